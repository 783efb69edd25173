"""The real program on a real terminal, killed and taken up again."""

import signal
from collections.abc import Generator
from contextlib import contextmanager

from tests.program.program import COMMAND, Program
from tests.scripted_server import calls, cut, says
from tests.shell.terminal import Terminal, terminal


@contextmanager
def on_screen(program: Program, *words: str) -> Generator[Terminal]:
    with terminal(
        [*COMMAND, *words],
        environment=program.environment(TERM="xterm-256color"),
        folder=program.repository,
    ) as shown:
        yield shown


def killed_when(program: Program, seen: str) -> None:
    """Give the program work, and kill it when that is on its screen."""
    with on_screen(program, "Work.") as shown:
        shown.wait_for(seen)
        shown.signal(signal.SIGKILL)
        shown.wait_exit()


def leave(shown: Terminal) -> None:
    shown.type("/quit\r")
    assert shown.wait_exit() == 0


def test_esc_ends_a_turn_that_an_earlier_run_left_open(program: Program) -> None:
    whole = says("Half a thought")
    half = cut(whole, whole.body.rindex(b"event: content_block_stop"), "silence")
    with program.serve(half, half, says("Fresh.")):
        killed_when(program, "Half a thought")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("Esc interrupts")
            shown.wait_for("Half a thought")
            shown.type("\x1b")
            shown.wait_for("Interrupted.")
            shown.type("Anew.\r")
            shown.wait_for("Fresh.")
            leave(shown)


def test_a_parked_question_waits_for_who_comes_back_and_esc_twice_ends_its_turn(
    program: Program,
) -> None:
    with program.serve(calls("bash", command="touch ran"), says("Done.")):
        killed_when(program, "press a key to answer")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("touch ran")
            shown.wait_for("press a key to answer")
            shown.type("\x1b")
            shown.wait_gone("press a key to answer")
            shown.type("\x1b")
            shown.wait_for("Interrupted.")
            leave(shown)
    assert not (program.repository / "ran").exists()


def test_a_yes_after_the_program_was_killed_runs_the_command_once(program: Program) -> None:
    with program.serve(calls("bash", command="echo x >> ran"), says("Done.")):
        killed_when(program, "press a key to answer")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("press a key to answer")
            shown.type("y")
            shown.wait_for("Done.")
            leave(shown)
    assert (program.repository / "ran").read_text() == "x\n"
