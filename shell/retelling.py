"""What of a session's records belongs on the screen when it goes on."""

from collections.abc import Iterable
from typing import TypeAlias

from messages.address import Address
from messages.subagents import SubagentEnded, SubagentStarted
from messages.transcript import Record
from messages.turns import (
    AgentSwitched,
    ReplyCompleted,
    TodosUpdated,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.inbox import Event, Notice, SubagentEvent

Retold = (
    TurnStarted
    | AgentSwitched
    | ReplyCompleted
    | ToolEnded
    | TodosUpdated
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
)
MOST_RETOLD = 100
"""Of a session that goes on, so many of the last records are shown again."""
MOST_RETOLD_BELOW = 500
"""Likewise of all subagents together; their pages say where the rest is."""
_RetoldBelow: TypeAlias = (
    TurnStarted | ReplyCompleted | ToolEnded | TurnCompleted | TurnInterrupted | TurnFailed
)
_OVER = "the program ended"


def retold(past: tuple[Record, ...]) -> list[Event]:
    """Tell again what the one that is talked with said and did; the oldest are counted."""
    said = [record for record in past if isinstance(record, Retold)]
    earlier, last = said[:-MOST_RETOLD], said[-MOST_RETOLD:]
    ledgers = [record for record in earlier if isinstance(record, TodosUpdated)]
    told = Notice(f"… {len(earlier)} earlier events are in the session file")
    return [*([told] if earlier else []), *ledgers[-1:], *last]


def retold_below(past: Iterable[tuple[Address, Record]]) -> list[Event]:
    """Tell again what those below said and did, for their pages; who goes on will say so."""
    started: dict[Address, SubagentStarted] = {}
    said: list[Event] = []
    for by, record in past:
        if isinstance(record, SubagentStarted):
            started[record.child] = record
        elif isinstance(record, _RetoldBelow):
            said.append(SubagentEvent(by, record))
    begun = [SubagentEvent(each.parent, each) for each in started.values()]
    over = [SubagentEvent(each.parent, _over(each)) for each in started.values()]
    return [*begun, *said[-MOST_RETOLD_BELOW:], *over]


def _over(started: SubagentStarted) -> SubagentEnded:
    return SubagentEnded(
        child=started.child,
        task_number=started.task_number,
        turn=started.turn,
        status="failed",
        detail=_OVER,
    )
