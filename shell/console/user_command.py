"""`!command`: the person's own, run without a question, told to the model with the next prompt."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.runtime.actor import JobFailure
from actors.tools.bash import format_result
from actors.tools.command_runner import CommandRunner
from shell.console.ui_commands import UserCommandEnded, UserCommandStatus

TIME_LIMIT_S = 86_400.0


@dataclass(frozen=True, slots=True)
class UserCommandRunner:
    """Where and how the person's own commands run."""

    processes: CommandRunner
    cwd: Path
    output_folder: Path
    """For what is too long to be told."""


async def run_user_command(command: str, runner: UserCommandRunner) -> UserCommandEnded:
    """Run one to its end."""
    processes, cwd = runner.processes, runner.cwd
    output = format_result(
        await processes.run(command, cwd, TIME_LIMIT_S, runner.output_folder), TIME_LIMIT_S
    )
    status: UserCommandStatus = "error" if output.is_error else "ok"
    return UserCommandEnded(command=command, status=status, text=output.text)


def build_failed_command(command: str, failure: JobFailure) -> UserCommandEnded:
    """Say how one did not come to its end."""
    status: UserCommandStatus = "cancelled" if failure.kind == "cancelled" else "error"
    return UserCommandEnded(command=command, status=status, text=failure.detail)


def with_user_commands(prompt: str, commands: Iterable[UserCommandEnded]) -> str:
    """Put what the person's commands said before the prompt that follows them."""
    said = [
        f"I ran this myself ({_STATUS[each.status]}):\n$ {each.command}\n{each.text}".rstrip()
        for each in commands
    ]
    return "\n\n".join([*said, prompt])


_STATUS: dict[UserCommandStatus, str] = {
    "ok": "it succeeded",
    "error": "it failed",
    "cancelled": "I stopped it",
}
