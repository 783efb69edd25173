"""`!command`: the person's own, run without a question, told to the model with the next prompt."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.runtime.actor import Failure
from actors.tools.bash import told
from actors.tools.processes import Processes
from shell.intents import OwnStatus, UserCommandEnded

TIME_LIMIT_S = 86_400.0


@dataclass(frozen=True, slots=True)
class UserCommandRunner:
    """Where and how the person's own commands run."""

    processes: Processes
    cwd: Path
    outputs: Path
    """For what is too long to be told."""


async def run_own(command: str, workbench: UserCommandRunner) -> UserCommandEnded:
    """Run one to its end."""
    processes, cwd = workbench.processes, workbench.cwd
    output = told(await processes.run(command, cwd, TIME_LIMIT_S, workbench.outputs), TIME_LIMIT_S)
    status: OwnStatus = "error" if output.failed else "ok"
    return UserCommandEnded(command=command, status=status, text=output.text)


def own_failed(command: str, failure: Failure) -> UserCommandEnded:
    """Say how one did not come to its end."""
    status: OwnStatus = "cancelled" if failure.kind == "cancelled" else "error"
    return UserCommandEnded(command=command, status=status, text=failure.detail)


def with_own_commands(prompt: str, ended: Iterable[UserCommandEnded]) -> str:
    """Put what the person's commands said before the prompt that follows them."""
    said = [
        f"I ran this myself ({_STATUS[each.status]}):\n$ {each.command}\n{each.text}".rstrip()
        for each in ended
    ]
    return "\n\n".join([*said, prompt])


_STATUS: dict[OwnStatus, str] = {
    "ok": "it succeeded",
    "error": "it failed",
    "cancelled": "I stopped it",
}
