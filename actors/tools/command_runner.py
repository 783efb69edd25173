"""The port for running commands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended."""

    output: str
    """Standard output and error as they came, cut in the middle when longer than the cap."""
    exit_status: int
    """Negative: ended by that signal."""
    timed_out: bool
    full_output_file: Path | None
    """The file with everything, when `output` was cut."""
    had_leftover_processes: bool = False
    """Processes that outlived the shell were ended."""


class CommandRunner(Protocol):
    """Runs commands; the simulated one is a second implementation."""

    async def run(
        self, command: str, cwd: Path, timeout_s: float, output_folder: Path
    ) -> CommandResult:
        """Run `command` in bash in its own process group, without a terminal or standard input.

        Cancelling ends the group and who left it (TERM, after 1 s KILL) and returns only when all
        are gone, or 1 s after the KILL.

        Raises:
            ToolError: it cannot be started.
        """
        ...
