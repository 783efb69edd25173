"""`/tasks`."""

from collections.abc import Callable

from shell.commands.command import Command, ReplHost
from shell.console.ui_commands import PromptSubagent
from shell.text.sanitize import sanitize_line
from shell.view.subagent_states import Subagent
from shell.view.task_picker import (
    NO_AGENTS,
    build_task_picker,
    continue_subagent,
    stop_subagent,
)

USAGE = "usage: /tasks [show NAME | stop NAME | continue NAME | say NAME TEXT]"
SubagentAction = Callable[[ReplHost, Subagent], None]


def tasks(words: list[str], host: ReplHost) -> str:
    """Open the task view; `show`, `stop` or `continue NAME`, or `say NAME TEXT` for one agent."""
    match words:
        case []:
            return _show_list(host)
        case ["show", name]:
            return _act_on(host, name, lambda host, subagent: host.view_subagent(subagent.address))
        case ["stop", name]:
            return _act_on(host, name, _stop)
        case ["continue", name]:
            return _act_on(host, name, _continue)
        case ["say", name, *rest] if rest:
            text = " ".join(rest)
            return _act_on(host, name, lambda host, subagent: _send_prompt(host, subagent, text))
        case _:
            return USAGE


def _show_list(host: ReplHost) -> str:
    if not host.state.subagents.listed:
        return NO_AGENTS
    host.show_picker(build_task_picker(host.state, host.now_s, host.view_subagent))
    return ""


def _act_on(host: ReplHost, name: str, action: SubagentAction) -> str:
    subagent = host.state.subagents.find_by_name(name)
    if subagent is None:
        return f"There is no agent {sanitize_line(name)}. Type /tree for a list."
    action(host, subagent)
    return ""


def _stop(host: ReplHost, subagent: Subagent) -> None:
    host.apply(stop_subagent(host.state, subagent, host.now_s))


def _continue(host: ReplHost, subagent: Subagent) -> None:
    host.apply(continue_subagent(host.state, subagent))


def _send_prompt(host: ReplHost, subagent: Subagent, text: str) -> None:
    host.post(PromptSubagent(agent=subagent.address, text=text))


TASKS = Command("tasks", tasks)
