"""The list of the agents at work, to read what one does or to stop it."""

from collections.abc import Callable
from dataclasses import replace

from messages.address import Address
from shell.intents import StopSubagent
from shell.view.below import Subagent, clock
from shell.view.picker import Picker, PickerItem, opened
from shell.view.state import PrintNotice, ScreenUpdate, SendCommand, State
from shell.view.subagent_rows import asking_of, doing
from shell.visible import visible_line

TITLE = "Agents at work"
KEYS = "Enter: read · x: stop · ←: back"
NOBODY = "No other agent is at work."


def listed(state: State, now_s: float, read: Callable[[Address], None]) -> Picker:
    """List the agents at work, each with the last that it said and did; a chosen one is read."""
    asking, rows = asking_of(state), state.below.in_order
    choices = tuple(
        PickerItem(
            f"{row.address.name} · {visible_line(row.description)}",
            f"{doing(row, asks=row.address in asking)} · {clock(row, now_s)}",
            "\n".join(row.recent.last_lines),
            row.address,
        )
        for row in rows
    )
    return replace(
        opened(TITLE, choices, lambda at: read(rows[at].address)), keys=KEYS, covers=True
    )


def question(row: Subagent) -> str:
    """Ask whether to stop an agent, in one line."""
    if row.doing == "ended":
        return f"{row.address.name} has ended."
    return f"x or y: stop {row.address.name} and all below it · Esc: no"


def stopped(state: State, row: Subagent, now_s: float) -> ScreenUpdate:
    """Stop an agent, with all below it."""
    name = row.address.name
    if row.doing == "ended":
        return state, (PrintNotice(f"{name} has ended.", "plain"),)
    if row.doing == "idle":  # it ends without a word: its task has ended before
        ended = replace(row, doing="ended", ended_s=now_s)
        state = replace(state, below=state.below.with_row(ended))
    told = PrintNotice(f"{name} is being stopped, with all below it.", "plain")
    return state, (SendCommand(StopSubagent(agent=row.address)), told)
