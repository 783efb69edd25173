"""`/tasks`."""

from collections.abc import Callable

from shell.commands.command import Command, ReplHost
from shell.console.ui_commands import PromptSubagent
from shell.text.sanitize import sanitize_line
from shell.view.subagent_list import Subagent
from shell.view.task_picker import NO_AGENTS_RUNNING, build_task_picker, stop_subagent

USAGE = "usage: /tasks [show NAME | stop NAME | say NAME WORDS]"
SubagentAction = Callable[[ReplHost, Subagent], None]


def tasks(words: list[str], host: ReplHost) -> str:
    """List the agents at work, to read what one does or to stop it; `/tasks say NAME WORDS`."""
    match words:
        case []:
            return _list(host)
        case ["show", name]:
            return _with(host, name, lambda shell, row: shell.view_subagent(row.address))
        case ["stop", name]:
            return _with(host, name, _stop)
        case ["say", name, *said] if said:
            told = " ".join(said)
            return _with(host, name, lambda shell, row: _say(shell, row, told))
        case _:
            return USAGE


def _list(host: ReplHost) -> str:
    if not host.state.subagents.running:
        return NO_AGENTS_RUNNING
    host.show_picker(build_task_picker(host.state, host.now_s, host.view_subagent))
    return ""


def _with(host: ReplHost, name: str, act: SubagentAction) -> str:
    row = host.state.subagents.find_by_name(name)
    if row is None:
        return f"There is no agent {sanitize_line(name)}; /tree shows who is there."
    act(host, row)
    return ""


def _stop(host: ReplHost, row: Subagent) -> None:
    host.apply(stop_subagent(host.state, row, host.now_s))


def _say(host: ReplHost, row: Subagent, text: str) -> None:
    host.post(PromptSubagent(agent=row.address, text=text))


TASKS = Command("tasks", tasks)
