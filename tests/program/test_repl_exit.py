"""However the REPL ends, the terminal is restored and no command keeps running."""

import random
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.program.program_harness import YOLO, CommandWatch, Program
from tests.program.repl_harness import open_repl
from tests.scripted_server import respond_text, respond_tool_call
from tests.shell.pty_terminal import PtyTerminal

STOP_TIMEOUT_S = 5.0
FAULTY_COMMAND = """
from shell.commands.command import Command
from shell.commands.command_table import COMMANDS
from shell.main import main
COMMANDS["fail"] = Command("fail", lambda words, host: str(1 // 0))
main()
"""
"""The program with a command that fails."""
FAULTY_DRAWING = """
from shell.main import main
from shell.view import frame_layout
frame_layout.render_footer = lambda *rest: 1 // 0
main()
"""


def is_restored(terminal: PtyTerminal) -> bool:
    """Return whether raw mode, hidden cursor, bracketed paste and alternate screen are off."""
    pairs = ((b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?2004h", b"\x1b[?2004l"))
    undone = all(terminal.raw.rfind(on) < terminal.raw.rfind(off) for on, off in pairs)
    alternate = terminal.raw.count(b"\x1b[?1049h") == terminal.raw.count(b"\x1b[?1049l")
    return undone and alternate and not terminal.is_raw()


@contextmanager
def open_repl_during_command(
    program: Program, command_watch: CommandWatch
) -> Generator[PtyTerminal]:
    """Open the REPL and wait until a command runs that would take minutes."""
    command = f"{command_watch.report_start}; sleep 300 & sleep 300"
    with (
        program.serve(respond_tool_call("bash", command=command)),
        open_repl(program, "Work.", *YOLO) as terminal,
    ):
        command_watch.wait_for_output()
        terminal.wait_for_text("Working")
        yield terminal


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_commands_and_restores_the_terminal(
    program: Program, command_watch: CommandWatch, number: signal.Signals, status: int
) -> None:
    with open_repl_during_command(program, command_watch) as terminal:
        terminal.send_signal(number)
        assert terminal.wait_for_exit(STOP_TIMEOUT_S) == status
        command_watch.wait_for_close()
        assert is_restored(terminal)
        assert terminal.read_screen().count("is saved. Resume it with greenroom --continue") == 1
    assert program.record_types()[-1] == "tool_started"


def test_closing_the_terminal_ends_everything(
    program: Program, command_watch: CommandWatch
) -> None:
    with open_repl_during_command(program, command_watch) as terminal:
        terminal.hang_up()
        command_watch.wait_for_close(STOP_TIMEOUT_S)
        assert terminal.wait_for_exit(STOP_TIMEOUT_S) == 129
    assert program.record_types()[-1] == "tool_started"


def test_an_internal_error_ends_the_repl_with_one_line(program: Program) -> None:
    with (
        program.serve(respond_text("Hello.")),
        open_repl(program, command=(sys.executable, "-P", "-c", FAULTY_COMMAND)) as terminal,
    ):
        terminal.wait_for_text("build · default")
        terminal.type("Hi.\r")
        terminal.wait_for_text("Hello.")
        terminal.wait_for_no_text("Esc to interrupt")
        terminal.type("/fail\r")
        assert terminal.wait_for_exit(STOP_TIMEOUT_S) == 1
        assert is_restored(terminal)
        line = "internal error: ZeroDivisionError"
        assert terminal.read_screen().replace("\n", "").count(line) == 1
        assert "Traceback" not in terminal.read_scrollback()
    assert program.record_types()[-1] == "turn_completed"


def test_an_error_in_the_first_frame_restores_the_terminal(program: Program) -> None:
    with (
        program.serve(),
        open_repl(program, command=(sys.executable, "-P", "-c", FAULTY_DRAWING)) as terminal,
    ):
        assert terminal.wait_for_exit(STOP_TIMEOUT_S) == 1
        assert is_restored(terminal)
        assert "internal error: ZeroDivisionError" in terminal.read_screen()


def test_ctrl_d_twice_exits(program: Program) -> None:
    with program.serve(), open_repl(program) as terminal:
        terminal.wait_for_text("build · default")
        terminal.type("\x04")
        terminal.wait_for_text("again to exit")
        terminal.type("\x04")
        assert terminal.wait_for_exit(STOP_TIMEOUT_S) == 130
        assert is_restored(terminal)


@pytest.mark.parametrize("seed", range(3))
def test_random_keys_and_pastes_leave_a_working_screen(program: Program, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (a replayable sequence)
    long = "\n\n".join(f"Paragraph {n}: " + "word " * 30 for n in range(40))
    answers = [respond_text(long) for _ in range(40)]
    inputs = (
        "go on\r",
        "\x1b",
        "draft\x03",
        "\x1b\x1b",
        "\x1b[200~a\nb\x1b[201~\x15",
        "/he\x15",
        "\t",
    )
    with program.serve(*answers), open_repl(program) as terminal:
        terminal.type("before there is a screen\r")
        terminal.wait_for_text("build · default")
        for _ in range(25):
            if chance.random() < 0.2:
                terminal.resize(24, chance.choice((40, 60, 80, 100)))
            terminal.type(chance.choice(inputs))
            terminal.read_for(chance.choice((0.0, 0.01, 0.05, 0.12)))
        terminal.resize(24, 80)
        for _ in range(2):  # the first one may close a menu
            terminal.type("\x1b")
            terminal.read_for(0.3)  # else Esc and the next key would be read as Alt and that key
        terminal.wait_for_no_text("Esc to interrupt")
        terminal.wait_for_no_text("Interrupting")
        terminal.type("x\x03/status\r")
        terminal.wait_for_text("turn       none")
        terminal.wait_for_no_text(
            "again to exit"
        )  # a busy machine reads Esc and x together, as Alt-x
        assert terminal.read_screen().count("build · default") == 1
        assert (
            sum(
                row.startswith(">") and row.strip() == ">"
                for row in terminal.read_screen().split("\n")
            )
            == 1
        )
        terminal.type("/quit\r")
        assert terminal.wait_for_exit() == 0
        assert is_restored(terminal)
    types = program.record_types()
    ended = sum(
        types.count(f"turn_{outcome}") for outcome in ("completed", "interrupted", "failed")
    )
    assert types.count("turn_started") == ended
