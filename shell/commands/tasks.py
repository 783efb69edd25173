"""`/tasks`."""

from collections.abc import Callable
from dataclasses import replace

from messages.address import Address
from shell.below import Subagent, clock
from shell.commands.command import Command, Shell
from shell.intents import StopSubagent, TellSubagent
from shell.picker import Choice, opened
from shell.state import Refill
from shell.subagent_rows import asking_of, doing
from shell.visible import visible_line

USAGE = "usage: /tasks [show NAME | stop NAME | say NAME WORDS]"
Act = Callable[[Shell, Subagent], str]


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
    shell.pick(opened("Agents at work", choices, lambda at: _chosen(shell, rows[at].address)))
    return ""


def _chosen(shell: Shell, agent: Address) -> None:
    row = shell.state.below.rows[agent]
    acts: list[tuple[Act, str, str]] = [(_show, "show", "what it says and does")]
    if row.doing == "idle" and not row.one_shot:
        acts.append((_begin_to_say, "say", "something: it stays for more"))
    acts.append((_stop, "stop", "it and all below it; it can be asked to go on"))
    choices = tuple(Choice(name, told) for _, name, told in acts)

    def chosen(at: int) -> None:
        act, _, _ = acts[at]
        shell.remark(act(shell, row))

    shell.pick(opened(row.address.name, choices, chosen))


def _with(shell: Shell, name: str, act: Act) -> str:
    fits = shell.state.below.called(name)
    match fits:
        case []:
            return f"There is no agent {visible_line(name)}; /tree shows who is there."
        case [row]:
            return act(shell, row)
        case _:
            paths = ", ".join("/".join(row.address.names) for row in fits)
            return f"{visible_line(name)} is the name of {len(fits)} agents; say which: {paths}"


def _show(shell: Shell, row: Subagent) -> str:
    shell.watch(row.address)
    return ""


def _stop(shell: Shell, row: Subagent) -> str:
    if row.doing == "ended":
        return f"{row.address.name} has ended."
    shell.post(StopSubagent(agent=row.address))
    if row.doing == "idle":  # it ends without a word: its task has ended before
        below = shell.state.below.with_row(replace(row, doing="ended", ended_s=shell.now_s))
        shell.step((replace(shell.state, below=below), ()))
    return f"{row.address.name} is being stopped, with all below it."


def _begin_to_say(shell: Shell, row: Subagent) -> str:
    path = "/".join(row.address.names)
    shell.step((shell.state, (Refill(f"/tasks say {path} "),)))
    return ""


def _say(shell: Shell, row: Subagent, text: str) -> str:
    shell.post(TellSubagent(agent=row.address, text=text))
    return ""


TASKS = Command("tasks", tasks)
