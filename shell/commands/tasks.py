"""`/tasks`."""

from collections.abc import Callable

from shell.commands.command import Command, ReplHost
from shell.intents import PromptSubagent
from shell.view.below import Subagent
from shell.view.task_list import NOBODY, listed, stopped
from shell.visible import visible_line

USAGE = "usage: /tasks [show NAME | stop NAME | say NAME WORDS]"
Act = Callable[[ReplHost, Subagent], None]


def tasks(words: list[str], shell: ReplHost) -> str:
    """List the agents at work, to read what one does or to stop it; `/tasks say NAME WORDS`."""
    match words:
        case []:
            return _list(shell)
        case ["show", name]:
            return _with(shell, name, lambda shell, row: shell.watch(row.address))
        case ["stop", name]:
            return _with(shell, name, _stop)
        case ["say", name, *said] if said:
            told = " ".join(said)
            return _with(shell, name, lambda shell, row: _say(shell, row, told))
        case _:
            return USAGE


def _list(shell: ReplHost) -> str:
    if not shell.state.below.running:
        return NOBODY
    shell.pick(listed(shell.state, shell.now_s, shell.watch))
    return ""


def _with(shell: ReplHost, name: str, act: Act) -> str:
    row = shell.state.below.called(name)
    if row is None:
        return f"There is no agent {visible_line(name)}; /tree shows who is there."
    act(shell, row)
    return ""


def _stop(shell: ReplHost, row: Subagent) -> None:
    shell.step(stopped(shell.state, row, shell.now_s))


def _say(shell: ReplHost, row: Subagent, text: str) -> None:
    shell.post(PromptSubagent(agent=row.address, text=text))


TASKS = Command("tasks", tasks)
