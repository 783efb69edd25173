"""Turns a resumed session's records into events for the screen."""

from collections.abc import Iterable
from typing import TypeAlias

from messages.address import Address
from messages.compaction import Compacted
from messages.journal import Record
from messages.reviews import ReviewEnded
from messages.steering import PromptDelivered
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
from shell.console.screen_event_queue import Notice, ScreenEvent, SubagentEvent

ReplayedRecord = (
    TurnStarted
    | PromptDelivered
    | AgentSwitched
    | ReplyCompleted
    | ToolEnded
    | TodosUpdated
    | Compacted
    | ReviewEnded
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
)
MAX_REPLAYED_RECORDS = 100
"""Last records of the primary agent that are shown again."""
MAX_REPLAYED_SUBAGENT_RECORDS = 500
"""Last records of all subagents together; their pages name the file with the rest."""
_ReplayedSubagentRecord: TypeAlias = (
    TurnStarted
    | PromptDelivered
    | ReplyCompleted
    | ToolEnded
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
)
_ENDED_DETAIL = "the program ended"


def build_replay(records: tuple[Record, ...]) -> list[ScreenEvent]:
    """Return the events of the primary agent; the oldest are replaced by their number."""
    shown = [record for record in records if isinstance(record, ReplayedRecord)]
    earlier, last = shown[:-MAX_REPLAYED_RECORDS], shown[-MAX_REPLAYED_RECORDS:]
    # The screen always shows the last list, however old it is.
    todo_lists = [record for record in earlier if isinstance(record, TodosUpdated)]
    notice = Notice(f"… {len(earlier)} earlier events are in the session file")
    return [*([notice] if earlier else []), *todo_lists[-1:], *last]


def build_subagent_replay(records: Iterable[tuple[Address, Record]]) -> list[ScreenEvent]:
    """Return the events of all subagents, for their pages.

    Each one ends as failed; a subagent that continues starts again.
    """
    started: dict[Address, SubagentStarted] = {}
    shown: list[ScreenEvent] = []
    for author, record in records:
        if isinstance(record, SubagentStarted):
            started[record.child] = record
        elif isinstance(record, _ReplayedSubagentRecord):
            shown.append(SubagentEvent(author, record))
    starts = [SubagentEvent(start.parent, start) for start in started.values()]
    ends = [SubagentEvent(start.parent, _make_end(start)) for start in started.values()]
    return [*starts, *shown[-MAX_REPLAYED_SUBAGENT_RECORDS:], *ends]


def _make_end(started: SubagentStarted) -> SubagentEnded:
    return SubagentEnded(
        child=started.child,
        task_number=started.task_number,
        turn=started.turn,
        status="failed",
        detail=_ENDED_DETAIL,
    )
