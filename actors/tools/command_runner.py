"""The port for running shell commands."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from actors.sandbox.policy import Confinement


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The outcome of a command."""

    output: str
    """Standard output and standard error interleaved, truncated in the middle when too long.

    Truncated output names the file that has all of it.
    """
    exit_status: int
    """Negative: the number of the signal that ended the command."""
    timed_out: bool
    terminated_processes: tuple[str, ...] = ()
    """Processes that outlived the shell and were terminated."""
    running_processes: tuple[str, ...] = ()
    """Processes of the command that could not be terminated."""
    sandbox: Confinement | None = None
    """The sandbox that it ran in; None: none."""


@dataclass(frozen=True, slots=True)
class OutputTarget:
    """Where the output of a command goes, apart from its result."""

    folder: Path
    """Folder for the file of an output that is too long for the model."""
    report: Callable[[str], None] | None = None
    """Receives the end of the output while it runs, a few times per second at most."""


class CommandCancelledError(asyncio.CancelledError):
    """The command was cancelled; contains its output until then, truncated like a result's."""

    def __init__(self, output: str) -> None:
        """Create the error."""
        super().__init__()
        self.output = output


class CommandRunner(Protocol):
    """Runs shell commands; the simulation has a second implementation."""

    async def run(
        self,
        command: str,
        cwd: Path,
        timeout_s: float,
        output: OutputTarget,
        sandbox: Confinement | None = None,
    ) -> CommandResult:
        """Run `command` in bash in its own session, without a terminal or standard input.

        With `sandbox`, it runs in the session's sandbox, and in no other way.
        All of its processes end with it, even detached ones: those that outlive the shell by 0.2 s
        or the timeout, or run when it is cancelled, are terminated (SIGTERM, SIGKILL 1 s later). It
        returns only when all are gone, or 1 s after the SIGKILL.

        Raises:
            ToolError: the command cannot be started.
            CommandCancelledError: it was cancelled after it had started.
        """
        ...
