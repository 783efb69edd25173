"""`/tasks`."""

from collections.abc import Callable
from functools import partial

from shell.below import Subagent, clock
from shell.commands.command import Command, Shell
from shell.intents import StopSubagent, TellSubagent
from shell.pager import plain_page
from shell.picker import Choice, opened
from shell.subagent_rows import asking_of, doing
from shell.visible import visible_line

USAGE = "usage: /tasks [show NAME | stop NAME | say NAME WORDS]"
Act = Callable[[Shell, Subagent], str]
NOTHING = "(it has said nothing yet)"


def tasks(words: list[str], shell: Shell) -> str:
    """List the agents at work, to read what one does or to stop it; `/tasks say NAME WORDS`."""
    match words:
        case []:
            return _listed(shell)
        case ["show", name]:
            return _with(shell, name, _show)
        case ["stop", name]:
            return _with(shell, name, _stop)
        case ["say", name, *said] if said:
            text = " ".join(said)
            return _with(shell, name, lambda shell, row: _say(shell, row, text))
        case _:
            return USAGE


def _listed(shell: Shell) -> str:
    rows = shell.state.below.in_order()
    if not rows:
        return "No other agent is at work."
    asking = asking_of(shell.state)
    choices = tuple(
        Choice(
            f"{row.address.name} · {visible_line(row.description)}",
            f"{doing(row, asks=row.address in asking)} · {clock(row, shell.now_s)}",
            "\n".join(row.told[-4:]),
        )
        for row in rows
    )
    shell.pick(opened("Agents at work", choices, lambda at: _chosen(shell, rows[at])))
    return ""


def _chosen(shell: Shell, row: Subagent) -> None:
    acts = (partial(_show, shell, row), partial(_stop, shell, row))
    choices = (
        Choice("show", "what it said and did so far"),
        Choice("stop", "it and all below it; it can be asked to go on"),
    )
    shell.pick(opened(row.address.name, choices, lambda at: shell.remark(acts[at]())))


def _with(shell: Shell, name: str, act: Act) -> str:
    row = shell.state.below.find(name)
    if row is None:
        return f"There is no one agent {visible_line(name)}; /tree shows all, with their paths."
    return act(shell, row)


def _show(shell: Shell, row: Subagent) -> str:
    told = "\n".join(row.told) or NOTHING
    shell.show(plain_page(f"{row.address.name} · {visible_line(row.description)}", told))
    return ""


def _stop(shell: Shell, row: Subagent) -> str:
    if row.doing == "ended":
        return f"{row.address.name} has ended."
    shell.post(StopSubagent(agent=row.address))
    return f"{row.address.name} is being stopped, with all below it."


def _say(shell: Shell, row: Subagent, text: str) -> str:
    shell.post(TellSubagent(agent=row.address, text=text))
    return ""


TASKS = Command("tasks", tasks)
