"""Runs the REPL on a terminal for tests."""

import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from tests.program.program_harness import COMMAND, Program
from tests.shell.pty_terminal import PtyTerminal, open_terminal


@contextmanager
def open_repl(
    program: Program, *arguments: str, environment: Mapping[str, str] | None = None
) -> Generator[PtyTerminal]:
    with open_terminal(
        [*COMMAND, *arguments],
        environment=program.environment(TERM="xterm-256color", **(environment or {})),
        cwd=program.repository,
    ) as terminal:
        yield terminal


def kill_when_shown(program: Program, text: str) -> None:
    """Start a turn and kill the program when `text` is on its screen."""
    with open_repl(program, "Work.") as terminal:
        terminal.wait_for_text(text)
        terminal.send_signal(signal.SIGKILL)
        terminal.wait_for_exit()


def quit_repl(terminal: PtyTerminal) -> None:
    terminal.type("/quit\r")
    assert terminal.wait_for_exit() == 0
