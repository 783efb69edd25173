"""What a resumed session shows again of the primary agent and the subagents."""

from pathlib import Path

import pytest

from actors.sessions.log_reader import LogContents, select_unfinished_task_records
from messages.address import PRIMARY, Address
from messages.journal import Record
from messages.serialization import JournalLine
from messages.turns import TextDelta, ToolEnded, TurnStarted
from shell.cli.interactive_session import replay_session
from shell.console.replay import (
    MAX_REPLAYED_RECORDS,
    MAX_REPLAYED_SUBAGENT_RECORDS,
    build_replay,
    build_subagent_replay,
)
from shell.console.screen_event_queue import Notice, ScreenEvent, ScreenEventQueue, SubagentEvent
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenState
from shell.view.subagent_page import build_subagent_page
from tests.actors.agents.scripted_agents import (
    SessionFixture,
    make_task_call,
    make_tool_use,
    never_reply,
)
from tests.shell import sample_events
from tests.shell.view.row_text import get_texts

pytestmark = pytest.mark.quick
ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
TURN_STARTED = TurnStarted(turn=1, prompt="look")


def state_of(*events: ScreenEvent) -> ScreenState:
    state = ScreenState()
    for event in (sample_events.session_configured(), *events):
        state, _ = apply_event(state, event, 10.0)
    return state


def subagent_page_lines(state: ScreenState, agent: Address) -> list[str]:
    return get_texts(build_subagent_page(state, agent, 12.0).render_rows(40))


def test_only_the_last_events_of_a_session_are_replayed() -> None:
    turn = (
        TurnStarted(turn=1, prompt="hello"),
        sample_events.reply_completed("hi"),
        sample_events.turn_completed(),
    )
    events = build_replay(turn * MAX_REPLAYED_RECORDS)
    assert events[0] == Notice("… 200 earlier events are in the session file")
    assert len(events) == MAX_REPLAYED_RECORDS + 1


def test_only_subagents_with_an_unfinished_task_are_replayed() -> None:
    records: tuple[tuple[Address, Record], ...] = (
        (PRIMARY, TURN_STARTED),
        (PRIMARY, sample_events.subagent_started(ONE)),
        (PRIMARY, sample_events.subagent_started(TWO)),
        (ONE, TURN_STARTED),
        (TWO, TURN_STARTED),
        (PRIMARY, sample_events.subagent_ended(TWO)),
    )
    lines = tuple(JournalLine(seq, 0, by, record) for seq, (by, record) in enumerate(records, 1))
    assert select_unfinished_task_records(LogContents(lines)) == (
        (PRIMARY, sample_events.subagent_started(ONE)),
        (ONE, TURN_STARTED),
    )


def test_a_continued_subagent_shows_its_past_on_its_page() -> None:
    records: tuple[tuple[Address, Record], ...] = (
        (PRIMARY, sample_events.subagent_started(ONE)),
        (PRIMARY, sample_events.subagent_started(TWO)),
        (ONE, TURN_STARTED),
        (ONE, sample_events.reply_completed("I see.")),
        (TWO, TURN_STARTED),
    )
    state = state_of(*build_subagent_replay(records))
    assert state.subagents.running == ()
    state, _ = apply_event(state, SubagentEvent(PRIMARY, sample_events.subagent_started(ONE)), 20.0)
    state, _ = apply_event(state, SubagentEvent(ONE, TextDelta(text="And now")), 20.0)
    assert [row.address for row in state.subagents.running] == [ONE]
    assert subagent_page_lines(state, ONE) == ["> look", "", "I see.", "", "And now"]


def test_the_replay_of_subagents_is_bounded() -> None:
    started: tuple[tuple[Address, Record], ...] = ((PRIMARY, sample_events.subagent_started(ONE)),)
    turns: tuple[tuple[Address, Record], ...] = ((ONE, TURN_STARTED),) * (
        2 * MAX_REPLAYED_SUBAGENT_RECORDS
    )
    assert len(build_subagent_replay((*started, *turns))) == MAX_REPLAYED_SUBAGENT_RECORDS + 2


def test_a_resumed_session_replays_the_work_of_its_subagents(tmp_path: Path) -> None:
    fixture = SessionFixture(tmp_path)
    lines = {
        "begin": [make_task_call("t1", "busy"), "never"],
        "busy": [make_tool_use("c", "ls"), never_reply],
    }
    before = fixture.start_session(lines)
    before.prompt()
    before.user.wait_for(ToolEnded)
    fixture.close()
    after = fixture.start_session({"begin": ["done"]}, resume_path=before.session.log.path)
    screen_events = ScreenEventQueue()
    replay_session(after.session, screen_events)
    fixture.close()
    events = screen_events.take_all()
    assert TurnStarted(turn=1, prompt="begin") in events
    assert SubagentEvent(ONE, TurnStarted(turn=1, prompt="busy", task_number=1)) in events
    assert any(
        isinstance(event, SubagentEvent) and event.event.type == "tool_ended" for event in events
    )
