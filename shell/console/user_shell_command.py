"""`!command`: runs without asking; its output is sent to the model with the next prompt."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.runtime.actor import JobFailure
from actors.tools.bash import format_result
from actors.tools.command_runner import CommandCancelledError, CommandRunner, OutputTarget
from shell.console.ui_commands import UserCommandEnded, UserCommandStatus

TIME_LIMIT_S = 86_400.0  # practically none: Esc stops it


@dataclass(frozen=True, slots=True)
class UserCommandRunner:
    """Where and how user commands run."""

    processes: CommandRunner
    cwd: Path
    output_folder: Path
    """Folder for output that is too long to show."""


async def run_user_command(command: str, runner: UserCommandRunner) -> UserCommandEnded:
    """Run a command and wait until it ends."""
    try:
        output_target = OutputTarget(runner.output_folder)
        result = await runner.processes.run(command, runner.cwd, TIME_LIMIT_S, output_target)
    except CommandCancelledError as error:
        text = error.output.rstrip("\n")
        return UserCommandEnded(command=command, status="cancelled", text=text)
    output = format_result(result, TIME_LIMIT_S)
    status: UserCommandStatus = "error" if output.is_error else "ok"
    return UserCommandEnded(command=command, status=status, text=output.text)


def build_failed_command(command: str, failure: JobFailure) -> UserCommandEnded:
    """Return the end of a command that was cancelled or could not run."""
    status: UserCommandStatus = "cancelled" if failure.kind == "cancelled" else "error"
    return UserCommandEnded(command=command, status=status, text=failure.detail)


def with_user_commands(prompt: str, commands: Iterable[UserCommandEnded]) -> str:
    """Return the prompt after the output of the user commands before it."""
    outputs = [
        f"I ran this myself ({_STATUS[ended.status]}):\n$ {ended.command}\n{ended.text}".rstrip()
        for ended in commands
    ]
    return "\n\n".join([*outputs, prompt])


_STATUS: dict[UserCommandStatus, str] = {
    "ok": "it succeeded",
    "error": "it failed",
    "cancelled": "I stopped it",
}
