"""Compaction by the provider, with the real SDK and a server that signs and checks its blocks."""

from collections.abc import Callable
from typing import Any

import pytest

from actors.agents.turn.compaction_state import CompactionSettings
from messages.address import PRIMARY
from messages.compaction import Compacted, StartCompaction
from messages.turns import ModelRetrying
from tests.actors.agents.changing_session import ChangingSession, asks_for_summary
from tests.actors.agents.compaction.growing_model import GrowingModel, make_too_long_error
from tests.actors.agents.compaction.test_compaction import start
from tests.actors.agents.scripted_agents import SessionFixture, wait_for_completion
from tests.signing_server import REMOTE_SUMMARY


@pytest.fixture
def remote(session: ChangingSession) -> ChangingSession:
    """Return a session with two turns that the provider may compact."""
    session.options["compaction"] = CompactionSettings(remote=True)
    session.call_tool()
    session.call_tool()
    return session


def compact(session: ChangingSession) -> Compacted:
    outcome = session.compact()
    assert isinstance(outcome, Compacted)
    return outcome


def get_first_block(session: ChangingSession) -> Any:  # noqa: ANN401  (JSON)
    """Return the first block of the newest request that was accepted."""
    return session.server.accepted[-1]["messages"][0]["content"][0]


def sends_block(session: ChangingSession) -> bool:
    """Send a prompt; return whether its request started with a block, else with its text."""
    session.send_prompt()
    first = get_first_block(session)
    assert REMOTE_SUMMARY in first.get("content", first.get("text"))
    return bool(first["type"] == "compaction")


def list_retries(session: ChangingSession) -> list[str]:
    return [record.reason for record in session.records() if isinstance(record, ModelRetrying)]


def test_the_providers_block_replaces_the_earlier_messages(remote: ChangingSession) -> None:
    compacted = compact(remote)
    assert (compacted.method, compacted.usage.input_tokens) == ("remote", 70)
    assert REMOTE_SUMMARY in compacted.summary
    last, request = remote.server.accepted[-1], remote.server.compactions[0]
    assert (request["system"], request["tools"]) == (last["system"], last["tools"])
    assert sends_block(remote)
    ledger = remote.server.accepted[-1]["messages"][0]["content"][1]["text"]
    assert compacted.ledger in ledger
    assert remote.server.rejected_blocks == []
    remote.call_tool()
    second = compact(remote)
    assert second.method == "remote"
    assert sends_block(remote)
    assert not list_retries(remote)


def test_an_unavailable_compaction_is_done_locally_once(remote: ChangingSession) -> None:
    remote.server.can_compact = False
    compacted = compact(remote)
    assert (compacted.method, compacted.summary) == ("local", "A summary.")
    assert len(remote.server.compactions) == 1
    assert sum(map(asks_for_summary, remote.server.accepted)) == 1
    remote.send_prompt()
    assert "A summary." in get_first_block(remote)["text"]


def test_nothing_is_asked_of_the_provider_by_default(session: ChangingSession) -> None:
    session.call_tool()
    session.call_tool()
    assert compact(session).method == "local"
    assert not session.server.compactions
    assert not session.server.limits_requests


@pytest.mark.quick
def test_a_reply_without_a_block_is_followed_by_one_local_request(
    sessions: SessionFixture,
) -> None:
    model = GrowingModel()
    running = start(sessions, model, compaction=CompactionSettings(remote=True))
    running.user.tell(PRIMARY, StartCompaction(instructions="the parser"))
    assert running.user.wait_for(Compacted).method == "local"
    remote, local = model.summary_requests
    assert "the parser" in str((remote.compaction or {})["instructions"])
    assert local.compaction is None
    assert local.messages[: len(remote.messages) - 1] == remote.messages[:-1]


@pytest.mark.quick
def test_the_provider_is_not_asked_for_what_is_already_too_long(sessions: SessionFixture) -> None:
    model = GrowingModel(lines=["one", "two", make_too_long_error()])
    running = start(sessions, model, compaction=CompactionSettings(remote=True))
    running.prompt("three", 3)
    wait_for_completion(running)
    assert [request.compaction for request in model.summary_requests] == [None]


@pytest.mark.quick
def test_another_model_for_summaries_writes_them_itself(sessions: SessionFixture) -> None:
    model = GrowingModel()
    settings = CompactionSettings(model="other", remote=True)
    running = start(sessions, model, compaction=settings)
    running.user.tell(PRIMARY, StartCompaction())
    running.user.wait_for(Compacted)
    assert [request.compaction for request in model.summary_requests] == [None]


def test_a_block_that_is_rejected_later_is_dropped_for_good(remote: ChangingSession) -> None:
    compact(remote)
    assert sends_block(remote)
    remote.server.account = "another"
    assert not sends_block(remote)
    assert list_retries(remote) == ["compaction_rejected"]
    assert not sends_block(remote)
    remote.resume()
    assert not sends_block(remote)
    remote.fork()
    assert not sends_block(remote)
    assert len(remote.server.rejected_blocks) == 1
    assert remote.server.mismatches == []


def test_a_compaction_whose_earlier_block_is_rejected_continues_with_text(
    remote: ChangingSession,
) -> None:
    compact(remote)
    remote.call_tool()
    remote.server.account = "another"
    assert compact(remote).method == "local"
    assert len(remote.server.rejected_blocks) == 1
    summary_request = remote.server.accepted[-1]
    assert REMOTE_SUMMARY in summary_request["messages"][0]["content"][0]["text"]


def test_a_block_stays_after_resume_fork_and_plan_switch(remote: ChangingSession) -> None:
    compact(remote)
    assert sends_block(remote)
    for change in (remote.resume, remote.switch_plan_mode, remote.fork):
        change()
        assert sends_block(remote)
    assert remote.server.rejected_blocks == []


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        pytest.param(ChangingSession.change_model, ChangingSession.change_model, id="model"),
        pytest.param(ChangingSession.switch_agent, ChangingSession.switch_agent, id="agent"),
        pytest.param(ChangingSession.edit_instructions, ChangingSession.undo_edit, id="prompt"),
    ],
)
def test_a_block_is_left_out_while_its_prefix_differs(
    remote: ChangingSession,
    change: Callable[[ChangingSession], None],
    undo: Callable[[ChangingSession], None],
) -> None:
    compact(remote)
    change(remote)
    assert not sends_block(remote)
    undo(remote)
    assert sends_block(remote)
    assert remote.server.rejected_blocks == remote.server.mismatches == []
