"""What of a session's records belongs on the screen when it goes on."""

from collections.abc import Iterable
from typing import TypeAlias

from messages.address import Address
from messages.journal import Record
from messages.subagents import SubagentEnded, SubagentStarted
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
from shell.console.screen_events import Notice, ScreenEvent, SubagentEvent

ReplayedRecord = (
    TurnStarted
    | AgentSwitched
    | ReplyCompleted
    | ToolEnded
    | TodosUpdated
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
)
MAX_REPLAYED_RECORDS = 100
"""Of a session that goes on, so many of the last records are shown again."""
MAX_REPLAYED_SUBAGENT_RECORDS = 500
"""Likewise of all subagents together; their pages say where the rest is."""
_RetoldBelow: TypeAlias = (
    TurnStarted | ReplyCompleted | ToolEnded | TurnCompleted | TurnInterrupted | TurnFailed
)
_OVER = "the program ended"


def build_replay(records: tuple[Record, ...]) -> list[ScreenEvent]:
    """Tell again what the one that is talked with said and did; the oldest are counted."""
    said = [record for record in records if isinstance(record, ReplayedRecord)]
    earlier, last = said[:-MAX_REPLAYED_RECORDS], said[-MAX_REPLAYED_RECORDS:]
    ledgers = [record for record in earlier if isinstance(record, TodosUpdated)]
    told = Notice(f"… {len(earlier)} earlier events are in the session file")
    return [*([told] if earlier else []), *ledgers[-1:], *last]


def build_subagent_replay(records: Iterable[tuple[Address, Record]]) -> list[ScreenEvent]:
    """Tell again what those below said and did, for their pages; who goes on will say so."""
    started: dict[Address, SubagentStarted] = {}
    said: list[ScreenEvent] = []
    for by, record in records:
        if isinstance(record, SubagentStarted):
            started[record.child] = record
        elif isinstance(record, _RetoldBelow):
            said.append(SubagentEvent(by, record))
    begun = [SubagentEvent(each.parent, each) for each in started.values()]
    over = [SubagentEvent(each.parent, _over(each)) for each in started.values()]
    return [*begun, *said[-MAX_REPLAYED_SUBAGENT_RECORDS:], *over]


def _over(started: SubagentStarted) -> SubagentEnded:
    return SubagentEnded(
        child=started.child,
        task_number=started.task_number,
        turn=started.turn,
        status="failed",
        detail=_OVER,
    )
