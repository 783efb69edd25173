"""Compaction of a running session, with real actors and a scripted model."""

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from actors.agents.turn.compaction import STOPPED
from actors.models.model_client import SUBAGENT_HEADER, ModelError, Reply
from messages.address import PRIMARY
from messages.base import Message
from messages.compaction import (
    Compacted,
    CompactionFailed,
    ContextUsage,
    GetContextUsage,
    StartCompaction,
)
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Record
from messages.subagents import CancelSubagent, SubagentEnded, SubagentStarted
from messages.turns import (
    CancelTurn,
    ModelRetrying,
    StartTurn,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
)
from tests.actors.agents.compaction.growing_model import (
    USABLE_TOKENS,
    GrowingModel,
    Line,
    get_texts,
    make_too_long_error,
    wait_for,
)
from tests.actors.agents.conversation_assertions import assert_sendable, flatten
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_tool_use,
    wait_for_completion,
    wait_for_turn_end,
)
from tests.actors.crashable_session import ActorName
from tests.actors.crashable_session import start_session as start_crashable_session

pytestmark = pytest.mark.quick

LONG_PROMPT = "Remember the number 4711. " + "x" * 4_000
DUE, FULL = int(0.76 * USABLE_TOKENS), USABLE_TOKENS + 1
COMPACTOR = PRIMARY.child("compact-1")
SMALL = 10_000
"""Large enough that the limits are looked up with the second request."""


def start(
    sessions: SessionFixture,
    model: GrowingModel,
    turns: int = 2,
    **options: Any,  # noqa: ANN401  (any of the session's)
) -> RunningSession:
    """Start a session and run a few turns."""
    running = sessions.start_session({}, model=model, **options)
    for turn in range(1, turns + 1):
        running.prompt(LONG_PROMPT if turn == 1 else f"prompt {turn}", turn)
        wait_for_completion(running)
    return running


def compact(running: RunningSession, instructions: str = "") -> Compacted | CompactionFailed:
    running.user.tell(PRIMARY, StartCompaction(instructions=instructions))
    return wait_for_outcome(running)


def wait_for_outcome(running: RunningSession) -> Compacted | CompactionFailed:
    while True:
        message = running.user.next()
        if isinstance(message, Compacted | CompactionFailed):
            return message


def list_records(running: RunningSession, *types: type[Message]) -> list[Record]:
    return [record for record in running.records() if isinstance(record, types)]


def test_a_compaction_replaces_earlier_messages_with_summary_and_ledger(
    sessions: SessionFixture,
) -> None:
    model = GrowingModel(summaries=["Found the bug in a.py:3."])
    running = start(sessions, model, turns=3)
    outcome = compact(running, "the bug")
    assert isinstance(outcome, Compacted)
    assert outcome.method == "local"
    running.prompt("next", 4)
    wait_for_completion(running)
    assert_sendable(model.requests[-1].messages)
    texts = get_texts(model.requests[-1])
    assert "Found the bug in a.py:3." in texts[0]
    assert LONG_PROMPT in texts[1]
    assert "prompt 3" in texts[1]
    assert texts[2:] == ["ok 3", "next"]
    assert "the bug" in get_texts(model.summary_requests[0])[-1]
    assert list_records(running, Compacted) == [outcome]
    ends = list_records(running, SubagentStarted, SubagentEnded)
    assert [type(record) for record in ends] == [SubagentStarted, SubagentEnded]
    assert running.agents == []


def test_the_request_for_a_summary_repeats_the_agents_own(sessions: SessionFixture) -> None:
    """Only then does the model read the conversation from its cache."""
    model = GrowingModel()
    running = start(sessions, model, turns=3)
    compact(running)
    last, summary = model.requests[-1], model.summary_requests[0]
    assert (summary.model, summary.system, summary.tools) == (last.model, last.system, last.tools)
    assert (summary.max_tokens, summary.effort) == (last.max_tokens, last.effort)
    assert flatten(summary.messages)[:-1] == flatten(last.messages)
    assert summary.headers == {"x-greenroom-subagent": "compact"}


def test_a_nearly_full_conversation_is_compacted_in_the_background(
    sessions: SessionFixture,
) -> None:
    may_summarize = threading.Event()
    summary = wait_for(may_summarize, "Summary.")
    model = GrowingModel(sizes=[SMALL, SMALL, DUE], summaries=[summary])
    running = start(sessions, model, turns=3)
    running.prompt("prompt 4", 4)
    assert wait_for_completion(running).text == "ok 4"
    may_summarize.set()
    outcome = wait_for_outcome(running)
    assert isinstance(outcome, Compacted)
    assert outcome.trigger == "automatic"
    model.sizes = [SMALL]
    running.prompt("prompt 5", 5)
    wait_for_completion(running)
    assert get_texts(model.requests[3])[0] == LONG_PROMPT
    texts = get_texts(model.requests[4])
    assert "Summary." in texts[0]
    assert texts[-4:] == ["ok 3", "prompt 4", "ok 4", "prompt 5"]
    assert len(model.summary_requests) == 1


def test_a_full_conversation_waits_for_its_compaction(sessions: SessionFixture) -> None:
    model = GrowingModel(sizes=[SMALL, SMALL, FULL, SMALL])
    running = start(sessions, model, turns=3)
    running.prompt("prompt 4", 4)
    wait_for_completion(running)
    assert len(model.requests) == 4
    assert "What was done" in get_texts(model.requests[3])[0]


def test_interrupting_a_turn_that_waits_does_not_stop_the_compaction(
    sessions: SessionFixture,
) -> None:
    may_summarize = threading.Event()
    summary = wait_for(may_summarize, "Summary.")
    model = GrowingModel(sizes=[SMALL, SMALL, FULL, SMALL], summaries=[summary])
    running = start(sessions, model, turns=3)
    running.prompt("prompt 4", 4)
    running.user.tell(PRIMARY, CancelTurn(turn=4))
    assert isinstance(wait_for_turn_end(running), TurnInterrupted)
    may_summarize.set()
    assert isinstance(wait_for_outcome(running), Compacted)
    assert len(model.requests) == 3


@pytest.mark.parametrize("by_reply", [False, True])
def test_a_request_that_is_too_long_is_repeated_after_a_compaction(
    sessions: SessionFixture, *, by_reply: bool
) -> None:
    too_long: Line = make_too_long_error()
    if by_reply:
        block = TextBlock(text="I was ab")
        too_long = Reply((block,), "model_context_window_exceeded", Usage(requests=1), "m")
    model = GrowingModel(lines=["one", "two", too_long])
    running = start(sessions, model)
    running.prompt("prompt 3", 3)
    assert wait_for_completion(running).text == "ok 4"
    texts = get_texts(model.requests[3])
    assert "What was done" in texts[0]
    assert texts[-1] == "prompt 3"
    assert "I was ab" not in "".join(texts)
    (retrying,) = list_records(running, ModelRetrying)
    assert isinstance(retrying, ModelRetrying)
    assert retrying.reason == "context_too_long"


def test_each_smaller_request_for_a_summary_has_a_fifth_less(sessions: SessionFixture) -> None:
    errors: list[Line] = [make_too_long_error() for _ in range(9)]
    lines: list[Line] = [*(f"{n} {'y' * 20_000}" for n in range(12)), make_too_long_error()]
    model = GrowingModel(lines=lines, summaries=errors)
    running = start(sessions, model, turns=12)
    running.prompt("last", 13)
    wait_for_completion(running)
    sizes = [sum(map(len, get_texts(request))) for request in model.summary_requests]
    assert len(sizes) == 5
    assert all(after <= 0.8 * before for before, after in pairwise(sizes))
    (compacted,) = list_records(running, Compacted)
    assert isinstance(compacted, Compacted)
    assert compacted.method == "ledger"
    assert LONG_PROMPT in get_texts(model.requests[-1])[1]


def test_a_message_that_alone_is_too_long_ends_the_turn_with_a_reason(
    sessions: SessionFixture,
) -> None:
    model = GrowingModel(lines=["one", "two", *(make_too_long_error() for _ in range(9))])
    running = start(sessions, model)
    running.prompt("z" * 100_000, 3)
    end = wait_for_turn_end(running)
    assert isinstance(end, TurnFailed)
    assert end.reason == "context_too_long"
    assert "the newest messages" in end.detail
    assert "/clear" in end.detail
    running.prompt("short", 4)
    assert isinstance(wait_for_turn_end(running), TurnFailed | TurnCompleted)


@pytest.mark.parametrize(
    "summary",
    [
        pytest.param("", id="empty"),
        pytest.param(ToolUseBlock(id="c", name="ls", input={}), id="call"),
        pytest.param(Reply((TextBlock(text="x"),), "refusal", Usage(), "m"), id="refusal"),
    ],
)
def test_a_reply_without_a_summary_is_discarded_and_retried_once(
    sessions: SessionFixture, summary: Line
) -> None:
    model = GrowingModel(summaries=[summary, "Summary."])
    running = start(sessions, model)
    assert isinstance(compact(running), Compacted)
    assert len(model.summary_requests) == 2
    assert model.summary_requests[0] == model.summary_requests[1]

    model.summaries = [summary, summary, summary]
    running.prompt("w" * 5_000, 3)
    wait_for_completion(running)
    running.prompt("prompt 4", 4)
    wait_for_completion(running)
    outcome = compact(running)
    assert isinstance(outcome, CompactionFailed)
    assert "did not write a summary" in outcome.detail
    assert len(model.summary_requests) == 4
    running.prompt("prompt 5", 5)
    wait_for_completion(running)
    assert len(list_records(running, Compacted)) == 1
    assert model.requests[-1].messages[:-2] == model.requests[-2].messages


def test_a_cancelled_compaction_changes_nothing(sessions: SessionFixture) -> None:
    never = threading.Event()
    model = GrowingModel(summaries=[wait_for(never, "late")])
    running = start(sessions, model)
    running.user.tell(PRIMARY, StartCompaction())
    running.user.wait_for(SubagentStarted)
    running.user.tell(PRIMARY, CancelSubagent(child=COMPACTOR))
    outcome = wait_for_outcome(running)
    never.set()
    assert isinstance(outcome, CompactionFailed)
    assert "cancelled" in outcome.detail
    running.prompt("next", 3)
    wait_for_completion(running)
    assert get_texts(model.requests[-1]) == [LONG_PROMPT, "ok 1", "prompt 2", "ok 2", "next"]


def test_a_failed_background_compaction_is_tried_again_in_the_next_turn(
    sessions: SessionFixture,
) -> None:
    may_fail = threading.Event()
    failure = ModelError("rejected", "no")
    model = GrowingModel(sizes=[SMALL, SMALL, DUE], summaries=[wait_for(may_fail, ""), failure])
    running = start(sessions, model, turns=3)
    may_fail.set()
    assert isinstance(wait_for_outcome(running), CompactionFailed)
    running.prompt("prompt 4", 4)
    assert isinstance(wait_for_outcome(running), Compacted)


def test_a_second_compaction_at_the_same_time_is_refused(sessions: SessionFixture) -> None:
    may_summarize = threading.Event()
    model = GrowingModel(summaries=[wait_for(may_summarize, "Summary.")])
    running = start(sessions, model)
    running.user.tell(PRIMARY, StartCompaction())
    running.user.wait_for(SubagentStarted)
    outcome = compact(running)
    assert isinstance(outcome, CompactionFailed)
    assert "already" in outcome.detail
    may_summarize.set()
    assert isinstance(wait_for_outcome(running), Compacted)


def test_an_empty_conversation_is_not_compacted(sessions: SessionFixture) -> None:
    running = start(sessions, GrowingModel(), turns=0)
    outcome = compact(running)
    assert isinstance(outcome, CompactionFailed)
    assert "nothing to summarize" in outcome.detail


def test_three_compactions_with_little_gain_stop_further_ones(sessions: SessionFixture) -> None:
    model = GrowingModel(sizes=[DUE])
    running = start(sessions, model, turns=12)
    assert len(model.summary_requests) == 3
    running.prompt("go on", 13)
    assert wait_for_completion(running).text.startswith("ok")
    assert len(model.summary_requests) == 3
    assert "/context" in STOPPED
    model.sizes = [SMALL]
    assert isinstance(compact(running), Compacted)


def test_the_next_request_is_the_same_after_a_resume(sessions: SessionFixture) -> None:
    model = GrowingModel()
    running = start(sessions, model, turns=3)
    assert isinstance(compact(running), Compacted)
    running.prompt("next", 4)
    wait_for_completion(running)
    expected = (*model.requests[-1].messages,)
    sessions.close()
    model.requests.clear()
    resumed = sessions.start_session({}, model=model, resume_path=running.session.log.path)
    resumed.prompt("more", 5)
    wait_for_completion(resumed)
    assert model.requests[0].messages[: len(expected)] == expected
    assert resumed.session.primary_records


def test_a_compaction_that_the_program_did_not_finish_is_ended_on_resume(
    sessions: SessionFixture,
) -> None:
    never = threading.Event()
    model = GrowingModel(summaries=[wait_for(never, "late")])
    running = start(sessions, model)
    running.user.tell(PRIMARY, StartCompaction())
    running.user.wait_for(SubagentStarted)
    never.set()
    sessions.close()
    resumed = sessions.start_session({}, model=model, resume_path=running.session.log.path)
    resumed.prompt("prompt 3", 3)
    wait_for_completion(resumed)
    starts = list_records(resumed, SubagentStarted)
    ends = list_records(resumed, SubagentEnded)
    assert len(starts) == len(ends) == 1
    assert isinstance(compact(resumed), Compacted)
    assert isinstance(list_records(resumed, SubagentStarted)[-1], SubagentStarted)


def test_the_parts_of_the_context_add_up_to_its_size(sessions: SessionFixture) -> None:
    running = start(sessions, GrowingModel(sizes=[SMALL]), turns=3)
    running.user.tell(PRIMARY, GetContextUsage())
    before = running.user.wait_for(ContextUsage)
    assert sum(before.parts.values()) == pytest.approx(SMALL, abs=5)
    assert before.parts["ledger"] == 0
    assert isinstance(compact(running), Compacted)
    running.user.tell(PRIMARY, GetContextUsage())
    assert running.user.wait_for(ContextUsage).parts["ledger"] > 0


def test_a_subagent_compacts_its_own_conversation(sessions: SessionFixture) -> None:
    """Its own kind is in the header of its requests, and the compaction's in that one."""
    task = make_tool_use(
        "t", "task", description="look", prompt=LONG_PROMPT, subagent_type="general"
    )
    look = ToolUseBlock(id="c", name="ls", input={"path": "."})
    model = GrowingModel(lines=[task, look, make_too_long_error(), "seen", "done"])
    running = start(sessions, model, turns=0)
    running.prompt("begin")
    assert wait_for_completion(running).text == "done"
    headers = [request.headers.get(SUBAGENT_HEADER) for request in model.requests]
    assert headers == [None, "general", "general", "general", None]
    assert len(model.summary_requests) == 1
    assert "What was done" in get_texts(model.requests[3])[0]
    child = PRIMARY.child("general-1").child("compact-1")
    assert child in {
        record.child for record in running.records() if isinstance(record, SubagentStarted)
    }


@pytest.mark.parametrize("crashing", ["primary", "permissions", "journal"])
def test_a_crash_during_a_compaction_leaves_the_conversation_usable(
    tmp_path: Path, crashing: ActorName
) -> None:
    may_summarize = threading.Event()
    model = GrowingModel(summaries=[wait_for(may_summarize, "Summary.")])
    crashable = start_crashable_session(tmp_path, model_client=model)
    user = crashable.console_probe
    try:
        for turn in (1, 2):
            user.tell(PRIMARY, StartTurn(turn=turn, text=f"prompt {turn}"))
            user.wait_for(TurnCompleted)
        user.tell(PRIMARY, StartCompaction())
        user.wait_for(SubagentStarted)
        crashable.crash(crashing)
        if crashing == "primary":
            assert user.wait_for(SubagentEnded).status == "cancelled"
            user.tell(PRIMARY, StartCompaction())
        may_summarize.set()
        assert user.wait_for(Compacted).method == "local"
        user.tell(PRIMARY, StartTurn(turn=3, text="prompt 3"))
        user.wait_for(TurnCompleted)
        texts = get_texts(model.requests[-1])
        assert sum("compacted to save context" in text for text in texts) == 1
        assert texts[-2:] == ["ok 2", "prompt 3"]
        starts = crashable.records_of_type(SubagentStarted)
        assert len(starts) == len(crashable.records_of_type(SubagentEnded))
    finally:
        may_summarize.set()
        assert crashable.system.stop()


def test_too_much_overhead_stops_compaction_and_names_what_takes_the_space(
    sessions: SessionFixture,
) -> None:
    """Otherwise each compaction would be followed by the next."""
    model = GrowingModel(sizes=[9_000], window_tokens=10_000)
    running = start(sessions, model, turns=6)
    assert not model.summary_requests
    outcome = compact(running)
    while "/tasks" in str(outcome) or not isinstance(outcome, CompactionFailed):
        outcome = wait_for_outcome(running)
    assert "tools (" in outcome.detail
    assert "more than half of the usable context window" in outcome.detail
    started = list_records(running, SubagentStarted)
    assert len(started) <= 2, "one automatic compaction, and the one on request"
    running.prompt("go on", 7)
    assert wait_for_completion(running).text == "ok 7"
