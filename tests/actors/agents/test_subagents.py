"""Subagents with real actors, journal, engine and broker; only the model is scripted."""

from typing import Any

import pytest

from actors.models.model_client import SUBAGENT_HEADER
from messages.address import PRIMARY, Address
from messages.approvals import ExecApprovalRequest, ShowApproval
from messages.content import ToolUseBlock
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import (
    SessionConfigured,
    TextDelta,
    ToolEnded,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_model_error,
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
)

pytestmark = pytest.mark.quick


def receive_until_end(running: RunningSession, end: type[object]) -> list[tuple[Address, Any]]:
    """Return all messages, with their senders, up to this end of the primary agent's turn."""
    received = [running.user.next_from()]
    while not (received[-1][0] == PRIMARY and isinstance(received[-1][1], end)):
        received.append(running.user.next_from())
    return received


def test_a_subagent_sees_only_its_prompt(
    sessions: SessionFixture,
) -> None:
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "look"), "all done"], "look": ["I saw it"]}
    )
    running.prompt()

    assert wait_for_completion(running).text == "all done"
    assert running.scripted_agents.get_last_results("begin") == [
        "task_id: general-1\n<task_result>\nI saw it\n</task_result>"
    ]
    request = running.scripted_agents.requests[1]
    assert request.messages == ({"role": "user", "content": [{"type": "text", "text": "look"}]},)
    assert request.headers == {SUBAGENT_HEADER: "general"}
    assert "subagent" in request.system
    assert running.scripted_agents.requests[0].headers == {}
    assert running.agents == []


def test_tasks_of_one_message_run_in_parallel_in_order(
    sessions: SessionFixture,
) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(5))
    lines: dict[str, list[Any]] = {f"part {n}": [f"result {n}"] for n in range(5)}
    running = sessions.start_session({"begin": [tasks, "done"], **lines})
    running.prompt()
    wait_for_completion(running)

    results = running.scripted_agents.get_last_results("begin")
    assert [f"result {n}" in text for n, text in enumerate(results)] == [True] * 5
    assert len({text.split("\n")[0] for text in results}) == 5


def test_events_go_up_with_their_source_but_deltas_do_not(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "look"), "done"],
            "look": [make_tool_use("c", "ls"), "seen"],
        }
    )
    running.prompt()
    received = receive_until_end(running, TurnCompleted)

    child = Address("/primary/general-1")
    from_child = [message for sender, message in received if sender == child]
    assert [event.type for event in from_child if event is not None] == [
        "turn_started",
        "reply_completed",
        "usage_changed",
        "tool_started",
        "tool_ended",
        "reply_completed",
        "usage_changed",
        "turn_completed",
    ]
    assert not any(isinstance(event, TextDelta | SessionConfigured) for event in from_child)
    kinds = [str(message.type) for sender, message in received if sender == PRIMARY]
    assert kinds.count("subagent_started") == kinds.count("subagent_ended") == 1


def test_a_request_from_depth_three_gets_its_decision_back(
    sessions: SessionFixture,
) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "one"), "done"],
        "one": [make_task_call("t2", "two"), "one done"],
        "two": [make_task_call("t3", "three"), "two done"],
        "three": [make_tool_use("c1", "bash", command="touch made"), "three done"],
    }
    running = sessions.start_session(lines)
    running.prompt()
    request = running.user.wait_for(ShowApproval).request

    assert isinstance(request, ExecApprovalRequest)
    assert request.agent == "/primary/general-1/general-2/general-3"
    assert len(running.agents) == 3
    running.user.submit_decision(request.id)
    assert wait_for_completion(running).text == "done"
    assert (running.session.options.workspace.root / "made").exists()


def test_sibling_requests_each_get_their_own_decision(sessions: SessionFixture) -> None:
    names = [f"part {n}" for n in range(4)]
    lines: dict[str, list[Any]] = {
        name: [make_tool_use("c1", "bash", command=f"touch '{name}'"), "ok"] for name in names
    }
    tasks = tuple(make_task_call(f"t{n}", name) for n, name in enumerate(names))
    running = sessions.start_session({"begin": [tasks, "done"], **lines})
    running.prompt()
    requests = [running.user.wait_for(ShowApproval).request for _ in names]
    for request in requests:
        is_denied = "part 2" in str(request)
        running.user.submit_decision(request.id, "no" if is_denied else "once")
    wait_for_completion(running)

    created = sorted(path.name for path in running.session.options.workspace.root.iterdir())
    assert created == ["part 0", "part 1", "part 3"]


def test_stopping_a_turn_withdraws_requests_and_ends_three_levels(
    sessions: SessionFixture,
) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [(make_task_call("t1", "one"), make_task_call("t2", "busy")), "never"],
        "one": [make_task_call("t3", "two"), "never"],
        "two": [make_tool_use("c1", "bash", command="touch made"), "never"],
        "busy": [never_reply],
    }
    running = sessions.start_session(lines)
    running.prompt()
    running.user.wait_for(ShowApproval)
    running.cancel()
    received = receive_until_end(running, TurnInterrupted)

    ended = [m for sender, m in received if sender == PRIMARY and isinstance(m, ToolEnded)]
    assert [message.status for message in ended] == ["cancelled", "cancelled"]
    assert any("I was about to" in message.text for message in ended)
    kinds = [message.type for _, message in received]
    assert "dismiss_approval" in kinds
    assert not running.user.shown_ids
    assert running.agents == []
    statuses = [e.status for e in running.records() if isinstance(e, SubagentEnded)]
    assert statuses == ["cancelled"] * 3


def test_a_failed_subagent_does_not_affect_its_sibling(
    sessions: SessionFixture,
) -> None:
    tasks = (make_task_call("t1", "bad"), make_task_call("t2", "good"))
    running = sessions.start_session(
        {"begin": [tasks, "done"], "bad": [make_model_error()], "good": ["fine"]}
    )
    running.prompt()
    wait_for_completion(running)

    bad, good = running.scripted_agents.get_last_results("begin")
    assert "rejected: injected" in bad
    assert "fine" in good


def test_an_earlier_subagent_continues_its_conversation(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [
            make_task_call("t1", "look"),
            make_task_call("t2", "look again", task_id="general-1"),
            "done",
        ],
        "look": ["I saw it"],
        "look again": ["and again"],
    }
    running = sessions.start_session(lines)
    running.prompt()
    wait_for_completion(running)

    contents = [message["content"] for message in running.scripted_agents.requests[3].messages]
    assert [block[0]["text"] for block in contents if isinstance(block, list)] == [  # type: ignore[index,call-overload]
        "look",
        "I saw it",
        "look again",
    ]
    starts = [(e.child, e.task_number) for e in running.records() if isinstance(e, SubagentStarted)]
    assert starts == [("/primary/general-1", 1), ("/primary/general-1", 2)]
    prompts = [record.prompt for record in running.records() if isinstance(record, TurnStarted)]
    assert prompts == ["begin", "look", "look again"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (make_task_call("t1", "x", agent="wizard"), "no subagent type 'wizard'"),
        (make_task_call("t1", "x", agent="build"), "Available: general, explore, sandboxed"),
        (make_task_call("t1", "x", task_id="general-7"), "There is no task_id 'general-7'"),
    ],
)
def test_an_invalid_task_is_an_error_that_says_what_exists(
    sessions: SessionFixture, call: ToolUseBlock, error: str
) -> None:
    running = sessions.start_session({"begin": [call, "done"]})
    running.prompt()
    wait_for_completion(running)

    assert error in running.scripted_agents.get_last_results("begin")[0]
    assert not any(isinstance(record, SubagentStarted) for record in running.records())


def test_a_full_tree_stays_within_its_slots_without_deadlock(
    sessions: SessionFixture,
) -> None:
    tasks = tuple(make_task_call(f"t{n}", f"part {n}") for n in range(6))
    lines: dict[str, list[Any]] = {
        f"part {n}": [make_task_call(f"u{n}", f"deep {n}"), f"result {n}"] for n in range(6)
    }
    deep: dict[str, list[Any]] = {f"deep {n}": [f"found {n}"] for n in range(6)}
    running = sessions.start_session({"begin": [tasks, "done"], **lines, **deep}, slot_limit=2)
    running.prompt()
    assert wait_for_completion(running).text == "done"

    assert running.scripted_agents.max_active_requests <= 2
    names = [
        record.child.name for record in running.records() if isinstance(record, SubagentStarted)
    ]
    assert sorted(names) == sorted(f"general-{n}" for n in range(1, 13)), (
        "two subagents have one name"
    )
    assert all(
        f"result {n}" in text
        for n, text in enumerate(running.scripted_agents.get_last_results("begin"))
    )
