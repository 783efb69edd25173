"""Subagents that crash, are resumed, accept more tasks, or are stopped individually."""

from pathlib import Path
from typing import Any, cast

import pytest

from actors.agents import agent
from actors.agents.definition.definition import Definition
from actors.agents.effect_handlers import event_publisher
from actors.agents.turn.self_messages import ModelReplied
from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.subagents import (
    AssignTask,
    CancelTask,
    PromptRejected,
    SubagentStarted,
    SubscribeToAgent,
)
from messages.turns import (
    SessionConfigured,
    StartTurn,
    TextDelta,
    ToolEnded,
    TurnCompleted,
)
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    list_task_ends,
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
    wait_for_turn_end,
)

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


def test_an_open_request_is_sent_again_after_a_crash(
    sessions: SessionFixture,
) -> None:
    before = sessions.start_session(
        {
            "begin": [(make_task_call("t1", "asks"), make_task_call("t2", "busy")), "never"],
            "asks": [make_task_call("t1", "deep"), "never"],
            "deep": [make_tool_use("c1", "bash", command="touch x"), "never"],
            "busy": [never_reply],
        }
    )
    before.prompt()
    request = before.user.wait_for(ShowApproval).request
    sessions.close()
    after = sessions.start_session(
        {"begin": ["done"], "asks": ["asks done"], "deep": ["deep done"]},
        resume_path=before.session.log.path,
    )
    resent = after.user.wait_for(ShowApproval).request

    assert (resent.id, resent.agent) == (request.id, request.agent)
    after.user.submit_decision(resent.id)
    assert wait_for_completion(after)
    first, second = after.scripted_agents.get_last_results("begin")
    assert "asks done" in first
    assert second == "interrupted; continue with task_id general-2"
    assert (after.session.options.workspace.root / "x").exists()


def test_a_paused_subagent_continues_when_given_another_task(
    sessions: SessionFixture,
) -> None:
    before = sessions.start_session(
        {
            "begin": [make_task_call("t1", "busy"), "never"],
            "busy": [make_tool_use("c", "ls"), never_reply],
        }
    )
    before.prompt()
    before.user.wait_for(ToolEnded)
    sessions.close()
    after = sessions.start_session(
        {
            "begin": [make_task_call("t2", "go on", task_id="general-1"), "done"],
            "busy": ["first done"],
            "go on": ["all"],
        },
        resume_path=before.session.log.path,
    )
    wait_for_completion(after)

    assert "all" in after.scripted_agents.get_last_results("begin")[0]
    assert [
        record.task_number for record in after.records() if isinstance(record, SubagentStarted)
    ] == [
        1,
        2,
    ]


def test_a_resumed_turn_is_not_the_result_of_the_next_task(sessions: SessionFixture) -> None:
    helper = Definition(name="helper", system_prompt="", interactive=True)
    before = sessions.start_session(
        {
            "begin": [make_task_call("t1", "busy", "helper"), "never"],
            "busy": [make_tool_use("c", "ls"), never_reply],
        },
        helper,
    )
    before.prompt()
    before.user.wait_for(ToolEnded)
    sessions.close()
    after = sessions.start_session(
        {
            "begin": [make_task_call("t2", "go on", "helper", task_id="helper-1"), "done"],
            "busy": ["first done"],
            "go on": ["second done"],
        },
        helper,
        resume_path=before.session.log.path,
    )
    wait_for_completion(after)

    assert "second done" in after.scripted_agents.get_last_results("begin")[0]


def test_names_are_never_reused_in_a_session(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "a"), "done"],
        "a": [make_task_call("t2", "b"), "ok"],
    }
    before = sessions.start_session({**lines, "b": ["ok"]})
    before.prompt()
    wait_for_completion(before)
    sessions.close()
    after = sessions.start_session(
        {"more": [make_task_call("t2", "b"), "done"], "b": ["ok"]},
        resume_path=before.session.log.path,
    )
    after.prompt("more", turn=2)
    wait_for_completion(after)
    names = [record.child.name for record in after.records() if isinstance(record, SubagentStarted)]
    assert names == ["general-1", "general-2", "general-3"]


def test_a_one_shot_subagent_rejects_further_prompts(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": [never_reply]}
    )
    running.prompt()
    while running.user.next_from()[0] != CHILD:
        pass
    running.user.tell(CHILD, AssignTask(prompt="more"))
    assert running.user.wait_for(PromptRejected) == PromptRejected(agent=CHILD, reason="one_shot")
    running.user.tell(CHILD, StartTurn(turn=9, text="more"))
    assert running.user.wait_for(PromptRejected).agent == CHILD
    running.cancel()
    wait_for_turn_end(running)


def test_an_interactive_subagent_stays_and_accepts_more_prompts(
    sessions: SessionFixture,
) -> None:
    helper = Definition(name="helper", system_prompt="", interactive=True)
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "first", "helper"), "done"],
            "first": ["one"],
            "by hand": ["two"],
            "again": [make_task_call("t2", "third", "helper", task_id="helper-1"), "done"],
            "third": ["three"],
        },
        helper,
    )
    child = Address("/primary/helper-1")
    running.prompt()
    wait_for_completion(running)
    assert running.agents == [child]
    running.user.tell(child, AssignTask(prompt="by hand"))
    while (completed := running.user.wait_for(TurnCompleted)).text != "two":
        pass
    running.prompt("again", turn=2)
    wait_for_completion(running)

    assert completed.turn == 2
    assert "three" in running.scripted_agents.get_last_results("again")[0]
    assert list_task_ends(running) == [("helper-1", "completed")] * 2


def test_a_stopped_subagent_returns_its_partial_text(
    sessions: SessionFixture,
) -> None:
    tasks = (make_task_call("t1", "busy"), make_task_call("t2", "quick"))
    busy_lines = [make_tool_use("c", "ls"), never_reply]
    running = sessions.start_session(
        {"begin": [tasks, "done"], "busy": busy_lines, "quick": ["fine"]}
    )
    running.prompt()
    wait_for_stream(running)
    running.user.tell(CHILD, CancelTask())
    assert wait_for_completion(running)

    busy, quick = running.scripted_agents.get_last_results("begin")
    assert "was stopped before it finished" in busy
    assert "I was about to" in busy
    assert "fine" in quick


def test_a_subscriber_receives_a_subagents_stream(sessions: SessionFixture) -> None:
    busy_lines = [make_tool_use("c", "ls"), never_reply]
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": busy_lines}
    )
    running.prompt()
    wait_for_stream(running)
    running.cancel()
    wait_for_turn_end(running)


def wait_for_stream(running: RunningSession) -> None:
    """Subscribe to the first child and wait for its text."""
    while running.user.next_from()[0] != CHILD:
        pass
    running.user.tell(CHILD, SubscribeToAgent())
    received: list[Any] = []
    while not isinstance(received[-1] if received else None, TextDelta):
        sender, message = running.user.next_from()
        received += [message] if sender == CHILD else []
    assert [event.agent for event in received if isinstance(event, SessionConfigured)] == [
        "general"
    ]


class AgentCrashError(Exception):
    """A crash that a test injects."""


def test_a_crashed_subagent_continues_from_its_records(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ToolEnded, times=1)
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "work"), "done"],
            "work": [make_tool_use("c", "ls"), "worked", "worked"],
        }
    )
    running.prompt()
    assert wait_for_completion(running)
    assert "worked" in running.scripted_agents.get_last_results("begin")[0]
    assert list_task_ends(running) == [("general-1", "completed")]


def test_a_subagent_that_keeps_crashing_is_a_failed_task(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ModelReplied, times=9)
    tasks = (make_task_call("t1", "bad"), make_task_call("t2", "good"))
    running = sessions.start_session(
        {"begin": [tasks, "done"], "good": ["fine"], "bad": ["never"] * 9}
    )
    running.prompt()
    assert wait_for_completion(running)
    bad, good = running.scripted_agents.get_last_results("begin")
    assert "failed (crash: AgentCrashError" in bad
    assert "fine" in good
    assert running.agents == []


def test_a_crashed_parent_ends_its_subagents_and_continues(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "asks"), "done"],
            "asks": [make_tool_use("c1", "bash", command="touch x"), "never"],
        }
    )
    running.prompt()
    request = running.user.wait_for(ShowApproval).request
    crash_at(monkeypatch, PRIMARY, StartTurn, times=1)
    running.prompt("lost", turn=99)
    assert wait_for_completion(running)
    assert running.scripted_agents.get_last_results("begin") == [
        "interrupted; continue with task_id general-1"
    ]
    assert running.agents == []
    assert request.id not in running.user.shown_ids


def crash_at(
    monkeypatch: pytest.MonkeyPatch, address: Address, message_type: type[object], times: int
) -> None:
    """Make an agent crash when it receives or publishes such a message."""
    remaining_crashes = times

    def get_address(publisher: Any) -> Address:  # noqa: ANN401  (its actor is private)
        actor = cast("agent.Agent", vars(publisher)["_actor"])
        return actor.address

    original_on_receive: Any = agent.Agent.on_receive
    original_publish: Any = event_publisher.EventPublisher.publish

    def crash_if_matching(agent_address: Address, message: object) -> None:
        nonlocal remaining_crashes
        if agent_address == address and isinstance(message, message_type) and remaining_crashes:
            remaining_crashes -= 1
            raise AgentCrashError

    def on_receive(self: Any, message: Any) -> None:  # noqa: ANN401  (an agent, a message)
        crash_if_matching(self.address, message)
        original_on_receive(self, message)

    def publish(self: Any, event: Any) -> None:  # noqa: ANN401  (a publisher, an event)
        crash_if_matching(get_address(self), event)
        original_publish(self, event)

    monkeypatch.setattr(agent.Agent, "on_receive", on_receive)
    monkeypatch.setattr(event_publisher.EventPublisher, "publish", publish)


def test_every_subagent_has_its_own_transcript(sessions: SessionFixture, tmp_path: Path) -> None:
    running = sessions.start_session(
        {
            "begin": [make_task_call("t1", "one"), "done"],
            "one": [make_task_call("t1", "two", "explore"), "one done"],
            "two": ["two done"],
        }
    )
    running.prompt()
    wait_for_completion(running)
    sessions.close()
    folder = tmp_path / "state" / "subagents" / running.session.session_id
    assert sorted(path.name for path in folder.iterdir()) == [
        "agent-general-1.explore-1.jsonl",
        "agent-general-1.jsonl",
    ]
    first = (folder / "agent-general-1.explore-1.jsonl").read_text().splitlines()[0]
    assert '"depth":2' in first
    assert '"parent":"/primary/general-1"' in first
    assert '"agent_type":"explore"' in first
