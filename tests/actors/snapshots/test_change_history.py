"""What each turn changed, from the records of a session."""

import pytest

from actors.agents.turn.conversation_history import ConversationHistory
from actors.snapshots.change_history import find_redo, find_undo, list_turn_changes
from messages.address import PRIMARY, Address
from messages.journal import Record
from messages.serialization import JournalLine
from messages.snapshots import ChangesUndone, SnapshotMoment, SnapshotTaken
from messages.turns import TurnStarted

pytestmark = pytest.mark.quick

BACKGROUND = PRIMARY.child("general-1")


def make_lines(*records: tuple[Record, Address]) -> tuple[JournalLine, ...]:
    return tuple(
        JournalLine(seq, 0.0, agent, record) for seq, (record, agent) in enumerate(records, 1)
    )


def start(turn: int) -> tuple[Record, Address]:
    return TurnStarted(turn=turn, prompt="go"), PRIMARY


def keep(moment: SnapshotMoment, commit: str, agent: Address = PRIMARY) -> tuple[Record, Address]:
    return SnapshotTaken(turn=1, moment=moment, commit=commit), agent


def undone(turn: int, *, is_redo: bool = False) -> tuple[Record, Address]:
    record = ChangesUndone(turn=turn, is_redo=is_redo, before="x", after="y", files=("a",))
    return record, PRIMARY


def test_a_killed_turn_ends_where_the_next_change_begins() -> None:
    lines = make_lines(start(1), keep("before", "a"), start(2), keep("before", "b"))
    first, second = list_turn_changes(lines)
    assert (first.before, first.after) == ("a", "b")
    assert (second.before, second.after) == ("b", "")


def test_a_background_agent_changes_files_in_a_later_turn() -> None:
    lines = make_lines(
        start(1), keep("before", "a", BACKGROUND), start(2), keep("after", "b", BACKGROUND)
    )
    _, second = list_turn_changes(lines)
    assert (second.before, second.after) == ("a", "b")


def test_undo_goes_back_and_redo_goes_forward_turn_by_turn() -> None:
    records = (
        *(start(1), keep("before", "a"), keep("after", "b")),
        *(start(2), start(3), keep("before", "b"), keep("after", "c")),
    )
    undos = (undone(3), undone(1), undone(1, is_redo=True))
    targets = [
        (undo and undo.turn, redo and redo.turn)
        for count in range(4)
        for changes in [list_turn_changes(make_lines(*records, *undos[:count]))]
        for undo, redo in [(find_undo(changes), find_redo(changes))]
    ]
    assert targets == [(3, None), (1, 3), (None, 1), (1, 3)]


def test_the_model_reads_which_files_were_undone() -> None:
    history = ConversationHistory()
    history.add(TurnStarted(turn=1, prompt="go"))
    history.add(undone(1)[0])
    history.add(TurnStarted(turn=2, prompt="on"))
    assert "The user ran /undo" in str(history.messages)
    assert str(history.messages).index("/undo") < str(history.messages).index("'on'")
