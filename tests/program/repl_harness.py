"""Runs the REPL on a terminal for tests."""

import signal
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from tests.program.program_harness import COMMAND, Program
from tests.shell.pty_terminal import PtyTerminal, open_terminal


@contextmanager
def open_repl(
    program: Program,
    *arguments: str,
    command: Sequence[str] = COMMAND,
    environment: Mapping[str, str] | None = None,
    rows: int = 24,
) -> Generator[PtyTerminal]:
    variables = {"TERM": "xterm-256color", **(environment or {})}
    with open_terminal(
        [*command, *arguments],
        environment=program.environment(**variables),
        cwd=program.repository,
        rows=rows,
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
