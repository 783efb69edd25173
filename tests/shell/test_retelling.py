"""A session that goes on: what is told again of it, of the primary and of those below it."""

from pathlib import Path

import pytest

from actors.sessions.reading import LogContents, left_open
from messages.address import PRIMARY, Address
from messages.transcript import Record
from messages.turns import TextDelta, ToolEnded, TurnStarted
from messages.wire import JournalLine
from shell.face import retell
from shell.inbox import Event, Notice, ScreenEventQueue, SubagentEvent
from shell.retelling import MOST_RETOLD, MOST_RETOLD_BELOW, retold, retold_below
from shell.view.events import received
from shell.view.state import State
from shell.view.subagent_page import subagent_page
from tests.actors.agents.troupe import SessionFixture, forever, task, use
from tests.shell import reports

pytestmark = pytest.mark.quick
ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ASKED = TurnStarted(turn=1, prompt="look")


def state_of(*events: Event) -> State:
    state = State()
    for event in (reports.session(), *events):
        state, _ = received(state, event, 10.0)
    return state


def page(state: State, agent: Address) -> list[str]:
    rows = subagent_page(state, agent, 12.0).rows(40)
    return ["".join(text for _, text in row) for row in rows]


def test_a_session_that_goes_on_is_told_again_but_not_without_end() -> None:
    turn = (TurnStarted(turn=1, prompt="hello"), reports.reply("hi"), reports.completed())
    said = retold(turn * MOST_RETOLD)
    assert said[0] == Notice("… 200 earlier events are in the session file")
    assert len(said) == MOST_RETOLD + 1


def test_of_those_below_only_who_had_not_done_their_task_is_told_of() -> None:
    recorded: tuple[tuple[Address, Record], ...] = (
        (PRIMARY, ASKED),
        (PRIMARY, reports.started(ONE)),
        (PRIMARY, reports.started(TWO)),
        (ONE, ASKED),
        (TWO, ASKED),
        (PRIMARY, reports.ended(TWO)),
    )
    lines = tuple(JournalLine(seq, 0, by, record) for seq, (by, record) in enumerate(recorded, 1))
    assert left_open(LogContents(lines)) == ((PRIMARY, reports.started(ONE)), (ONE, ASKED))


def test_who_goes_on_below_has_its_past_on_its_page_and_who_does_not_is_not_at_work() -> None:
    past: tuple[tuple[Address, Record], ...] = (
        (PRIMARY, reports.started(ONE)),
        (PRIMARY, reports.started(TWO)),
        (ONE, ASKED),
        (ONE, reports.reply("I see.")),
        (TWO, ASKED),
    )
    state = state_of(*retold_below(past))
    assert state.below.running == ()
    state, _ = received(state, SubagentEvent(PRIMARY, reports.started(ONE)), 20.0)
    state, _ = received(state, SubagentEvent(ONE, TextDelta(text="And now")), 20.0)
    assert [row.address for row in state.below.running] == [ONE]
    assert page(state, ONE) == ["> look", "", "I see.", "", "And now"]


def test_what_is_told_again_of_those_below_has_an_end() -> None:
    begun: tuple[tuple[Address, Record], ...] = ((PRIMARY, reports.started(ONE)),)
    said: tuple[tuple[Address, Record], ...] = ((ONE, ASKED),) * (2 * MOST_RETOLD_BELOW)
    assert len(retold_below((*begun, *said))) == MOST_RETOLD_BELOW + 2


def test_a_session_that_is_opened_again_is_told_with_what_its_subagents_did(tmp_path: Path) -> None:
    theatre = SessionFixture(tmp_path)
    parts = {"begin": [task("t1", "busy"), "never"], "busy": [use("c", "ls"), forever]}
    before = theatre.play(parts)
    before.prompt()
    before.person.until(ToolEnded)
    theatre.close()
    after = theatre.play({"begin": ["done"]}, take_up=before.session.log.path)
    inbox = ScreenEventQueue()
    retell(after.session, inbox)
    theatre.close()
    told = inbox.take()
    assert TurnStarted(turn=1, prompt="begin") in told
    assert SubagentEvent(ONE, TurnStarted(turn=1, prompt="busy")) in told
    assert any(isinstance(each, SubagentEvent) and each.event.type == "tool_ended" for each in told)
