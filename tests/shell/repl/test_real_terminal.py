"""Behavior that only a real terminal shows: modes, signals, the exit status."""

import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.shell.pty_terminal import PtyTerminal, open_terminal

ROOT = Path(__file__).parents[3]
FOOTER = "primary · default"


def build_command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tests.shell.echo_repl", *words]


@pytest.fixture
def screen() -> Generator[PtyTerminal]:
    with open_terminal(build_command(), cwd=ROOT) as terminal:
        terminal.wait_for_text(FOOTER)
        yield terminal


def test_a_prompt_is_sent_and_answered_on_screen(screen: PtyTerminal) -> None:
    screen.type("hello\r")
    screen.wait_for_text("You said hello.")
    assert screen.is_raw()
    screen.type("/quit\r")
    assert screen.wait_for_exit() == 0
    assert not screen.is_raw()
    assert "exit status 0" in screen.read_screen()
    assert FOOTER not in screen.read_screen()


def test_enter_typed_before_raw_mode_submits_the_prompt() -> None:
    with open_terminal(build_command(), cwd=ROOT) as terminal:
        assert not terminal.is_raw()
        terminal.type("early\rand more")
        terminal.wait_for_text("You said early.")
        terminal.wait_for_text("> and more")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["TERM", "HUP"]
)
def test_a_signal_exits_with_status_and_restored_terminal(
    screen: PtyTerminal, number: signal.Signals, status: int
) -> None:
    screen.type("wait\r")
    screen.wait_for_text("You said wait.")
    screen.send_signal(number)
    assert screen.wait_for_exit() == status
    assert not screen.is_raw()
    assert f"exit status {status}" in screen.read_screen()
    assert b"\x1b[?2004l" in screen.raw


def test_pressing_ctrl_c_twice_exits_with_status_130(screen: PtyTerminal) -> None:
    screen.type("\x03")
    screen.wait_for_text("Press Ctrl-C or Ctrl-D again to exit")
    screen.type("\x03")
    assert screen.wait_for_exit() == 130


def test_closing_the_terminal_ends_the_whole_program(screen: PtyTerminal) -> None:
    screen.type("wait\r")
    screen.wait_for_text("You said wait.")
    screen.hang_up()
    assert screen.wait_for_exit() == 129


def test_text_typed_before_the_first_screen_is_kept() -> None:
    with open_terminal(build_command(), cwd=ROOT) as screen:
        screen.type("hello\rhalf a thought")
        screen.wait_for_text("You said hello.")
        screen.wait_for_text("> half a thought")
        assert screen.read_scrollback().count("half a thought") == 1


def test_suspending_restores_the_terminal_and_requires_rearming() -> None:
    shell = ["/bin/bash", "--norc", "--noprofile", "-i"]
    with open_terminal(shell, cwd=ROOT) as screen:
        screen.type(" ".join(build_command("--ask")) + "\r")
        screen.wait_for_text("Press a key to answer")
        for from_outside in (False, True):
            start = len(screen.raw)
            if from_outside:
                os.kill(find_child_pid(screen), signal.SIGTSTP)
            else:
                screen.type("\x1a")
            screen.wait_for_text("Stopped")
            assert b"\x1b[?2004l" in screen.raw[start:]
            screen.type("stty -a | grep -oe ' icano[n]'\r")
            screen.wait_for_text(" icanon")
            screen.type("clear; fg\r")
            screen.wait_for_text("y  Yes, once")
            assert screen.is_raw()
            screen.wait_for_text("Press a key to answer")
            assert screen.read_screen().count("y  Yes, once") == 1
        screen.type("y")
        screen.wait_for_no_text("y  Yes, once")


def find_child_pid(screen: PtyTerminal) -> int:
    """Return the program that the terminal's shell has started."""
    children = Path(f"/proc/{screen.pid}/task/{screen.pid}/children").read_text()
    return int(children.split()[0])


def test_an_approval_arms_in_a_real_terminal() -> None:
    with open_terminal(build_command("--ask"), cwd=ROOT) as screen:
        screen.wait_for_text("Press a key to answer")
        screen.type("y")
        screen.wait_for_no_text("y  Yes, once")
        assert FOOTER in screen.wait_for_text(FOOTER)


def test_no_color_setting_leaves_only_text_attributes() -> None:
    environment = {**os.environ, "NO_COLOR": "1"}
    with open_terminal(build_command("--ask"), cwd=ROOT, environment=environment) as screen:
        screen.wait_for_text("Press a key to answer")
        for color in (b"[31m", b"[32m", b"[33m", b"[36m", b";31m", b";32m", b";33m", b";36m"):
            assert color not in screen.raw


def test_after_resizing_one_input_and_footer_remain(screen: PtyTerminal) -> None:
    for columns in (60, 40, 100, 50, 80):
        screen.resize(24, columns)
        screen.type(str(columns))
        screen.wait_for_text(str(columns))
    screen.wait_for_text("> 60401005080")
    assert screen.read_screen().count(FOOTER) == 1
