"""Thinking stays valid in everything a session goes through, with the real SDK."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from messages.turns import ModelRetrying, ToolEnded
from tests.actors.agents.changing_session import CALLS, ChangingSession
from tests.session_replay import derive_requests, get_described_fields
from tests.signing_server import list_thinking

STEPS = (
    ChangingSession.send_prompt,
    ChangingSession.call_tool,
    ChangingSession.delegate,
    ChangingSession.switch_plan_mode,
    ChangingSession.switch_agent,
    ChangingSession.switch_plan_mode_in_loop,
    ChangingSession.switch_agent_in_loop,
    ChangingSession.compact,
    ChangingSession.change_remote,
    ChangingSession.change_model,
    ChangingSession.stop_in_loop,
    ChangingSession.resume,
    ChangingSession.edit_instructions,
    ChangingSession.undo_edit,
    ChangingSession.add_folder,
    ChangingSession.change_limits,
    ChangingSession.fork,
)


@example([ChangingSession.switch_agent_in_loop])
@example(
    [
        ChangingSession.change_remote,
        ChangingSession.compact,
        ChangingSession.switch_agent_in_loop,
        ChangingSession.change_model,
        ChangingSession.compact,
        ChangingSession.fork,
    ]
)
@example(
    [
        ChangingSession.stop_in_loop,
        ChangingSession.edit_instructions,
        ChangingSession.undo_edit,
        ChangingSession.stop_in_loop,
        ChangingSession.fork,
    ]
)
@given(st.lists(st.sampled_from(STEPS), min_size=2, max_size=10))
@settings(max_examples=12)
def test_any_sequence_of_changes_is_accepted(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = ChangingSession(Path(folder))
        with session.server:
            try:
                for step in (ChangingSession.call_tool, *steps, ChangingSession.call_tool):
                    step(session)
                records = session.records()
            finally:
                session.stop()
        derived = [request.body for request in derive_requests(session.path)]
    assert session.server.mismatches == []
    assert session.server.rejected_blocks == []
    assert session.loops_without_thinking == []
    assert [record for record in records if isinstance(record, ModelRetrying)] == []
    sent = [get_described_fields(body) for body in session.server.accepted]
    assert [body for body in derived if body not in sent] == []


def test_an_unfinished_turn_repeats_its_prompt_and_tools(session: ChangingSession) -> None:
    session.stop_in_loop()
    session.edit_instructions()
    session.send_prompt()
    first, *_, resumed, next_turn = session.server.accepted
    assert (resumed["system"], resumed["tools"]) == (first["system"], first["tools"])
    assert "Version 1." not in str(resumed["system"])
    assert "Version 1." in str(next_turn["system"])


def test_a_tool_that_no_longer_exists_fails_in_an_unfinished_turn(session: ChangingSession) -> None:
    session.stop_in_loop()
    session.calls_after_results.append(CALLS["delegate"])
    session.change_limits()
    ended = [record for record in session.records() if isinstance(record, ToolEnded)]
    offered = [tool["name"] for tool in session.server.accepted[-1]["tools"]]
    assert "task" in offered
    assert (ended[-1].tool, ended[-1].status) == ("task", "error")
    assert "the limit is 0" in ended[-1].text
    session.send_prompt()
    offered = [tool["name"] for tool in session.server.accepted[-1]["tools"]]
    assert "task" not in offered


def test_rejected_thinking_is_dropped_permanently(session: ChangingSession) -> None:
    session.send_prompt()
    session.server.account = "another"
    session.call_tool()
    session.resume()
    session.send_prompt()
    retries = [record for record in session.records() if isinstance(record, ModelRetrying)]
    assert [(retry.reason, retry.attempt) for retry in retries] == [("thinking_rejected", 1)]
    assert session.server.mismatches == ["messages.1.content.0"]
    thinking = list_thinking(session.server.accepted[-1]["messages"])
    assert thinking == ["on look", "on the results"]


def test_a_fork_around_damage_omits_all_earlier_thinking(session: ChangingSession) -> None:
    for step in (
        session.send_prompt,
        session.call_tool,
        session.call_tool,
        session.fork_around_damage,
        session.call_tool,
        session.send_prompt,
    ):
        step()
    assert session.server.mismatches == []
    thinking = list_thinking(session.server.accepted[-1]["messages"])
    assert thinking == ["on look", "on the results"], "only thinking of the fork itself"
