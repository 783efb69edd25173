"""Subagents that crash, are resumed, stay for more, or are stopped alone."""

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
    SubagentEnded,
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
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
    wait_for_turn_end,
)

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


def ended(running_system: RunningSession) -> list[tuple[str, str]]:
    return [
        (e.child.name, e.status) for e in running_system.records() if isinstance(e, SubagentEnded)
    ]


def test_a_question_that_was_open_when_the_program_died_is_asked_again_by_its_id(
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
    asked = before.user.wait_for(ShowApproval).request
    sessions.close()
    after = sessions.start_session(
        {"begin": ["done"], "asks": ["asks done"], "deep": ["deep done"]},
        take_up=before.session.log.path,
    )
    again = after.user.wait_for(ShowApproval).request

    assert (again.id, again.agent) == (asked.id, asked.agent)
    after.user.submit_decision(again.id)
    assert wait_for_completion(after)
    first, second = after.scripted_agents.get_last_results("begin")
    assert "asks done" in first
    assert second == "interrupted; continue with task_id general-2"
    assert (after.session.options.workspace.root / "x").exists()


def test_a_paused_subagent_goes_on_where_it_stopped_when_it_is_asked_to(
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
        take_up=before.session.log.path,
    )
    wait_for_completion(after)

    assert "all" in after.scripted_agents.get_last_results("begin")[0]
    assert [each.task_number for each in after.records() if isinstance(each, SubagentStarted)] == [
        1,
        2,
    ]


def test_names_are_never_given_twice_in_a_session(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "a"), "done"],
        "a": [make_task_call("t2", "b"), "ok"],
    }
    before = sessions.start_session({**parts, "b": ["ok"]})
    before.prompt()
    wait_for_completion(before)
    sessions.close()
    after = sessions.start_session(
        {"more": [make_task_call("t2", "b"), "done"], "b": ["ok"]}, take_up=before.session.log.path
    )
    after.prompt("more", turn=2)
    wait_for_completion(after)
    names = [each.child.name for each in after.records() if isinstance(each, SubagentStarted)]
    assert names == ["general-1", "general-2", "general-3"]


def test_a_one_shot_subagent_refuses_further_prompts(sessions: SessionFixture) -> None:
    stage = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": [never_reply]}
    )
    stage.prompt()
    while stage.user.next_from()[0] != CHILD:
        pass
    stage.user.tell(CHILD, AssignTask(prompt="more"))
    assert stage.user.wait_for(PromptRejected) == PromptRejected(agent=CHILD, reason="one_shot")
    stage.user.tell(CHILD, StartTurn(turn=9, text="more"))
    assert stage.user.wait_for(PromptRejected).agent == CHILD
    stage.cancel()
    wait_for_turn_end(stage)


def test_an_interactive_subagent_stays_and_takes_further_prompts_of_anybody(
    sessions: SessionFixture,
) -> None:
    helper = Definition(name="helper", system_prompt="", interactive=True)
    stage = sessions.start_session(
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
    stage.prompt()
    wait_for_completion(stage)
    assert stage.agents == [child]
    stage.user.tell(child, AssignTask(prompt="by hand"))
    while (said := stage.user.wait_for(TurnCompleted)).text != "two":
        pass
    stage.prompt("again", turn=2)
    wait_for_completion(stage)

    assert said.turn == 2
    assert "three" in stage.scripted_agents.get_last_results("again")[0]
    assert ended(stage) == [("helper-1", "completed")] * 2


def test_one_subagent_is_stopped_alone_and_its_parent_reads_how_far_it_came(
    sessions: SessionFixture,
) -> None:
    tasks = (make_task_call("t1", "busy"), make_task_call("t2", "quick"))
    busy_with = [make_tool_use("c", "ls"), never_reply]
    stage = sessions.start_session({"begin": [tasks, "done"], "busy": busy_with, "quick": ["fine"]})
    stage.prompt()
    streams(stage)
    stage.user.tell(CHILD, CancelTask())
    assert wait_for_completion(stage)

    busy, quick = stage.scripted_agents.get_last_results("begin")
    assert "was stopped before it finished" in busy
    assert "I was about to" in busy
    assert "fine" in quick


def test_whoever_watches_a_subagent_hears_its_stream(sessions: SessionFixture) -> None:
    busy_with = [make_tool_use("c", "ls"), never_reply]
    stage = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": busy_with}
    )
    stage.prompt()
    streams(stage)
    stage.cancel()
    wait_for_turn_end(stage)


def streams(running_system: RunningSession) -> None:
    """Watch the first child until it says something."""
    while running_system.user.next_from()[0] != CHILD:
        pass
    running_system.user.tell(CHILD, SubscribeToAgent())
    heard: list[Any] = []
    while not isinstance(heard[-1] if heard else None, TextDelta):
        sender, message = running_system.user.next_from()
        heard += [message] if sender == CHILD else []
    assert [each.agent for each in heard if isinstance(each, SessionConfigured)] == ["general"]


class AgentCrashError(Exception):
    """What a test wanted."""


def test_a_subagent_that_crashes_goes_on_from_its_records(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ToolEnded, times=1)
    stage = sessions.start_session(
        {
            "begin": [make_task_call("t1", "work"), "done"],
            "work": [make_tool_use("c", "ls"), "worked", "worked"],
        }
    )
    stage.prompt()
    assert wait_for_completion(stage)
    assert "worked" in stage.scripted_agents.get_last_results("begin")[0]
    assert ended(stage) == [("general-1", "completed")]


def test_a_subagent_that_crashes_again_and_again_is_a_failed_task_and_nothing_is_left(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at(monkeypatch, CHILD, ModelReplied, times=9)
    tasks = (make_task_call("t1", "bad"), make_task_call("t2", "good"))
    stage = sessions.start_session(
        {"begin": [tasks, "done"], "good": ["fine"], "bad": ["never"] * 9}
    )
    stage.prompt()
    assert wait_for_completion(stage)
    bad, good = stage.scripted_agents.get_last_results("begin")
    assert "failed (crash: AgentCrashError" in bad
    assert "fine" in good
    assert stage.agents == []


def test_a_parent_that_crashes_leaves_nobody_below_and_goes_on(
    sessions: SessionFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = sessions.start_session(
        {
            "begin": [make_task_call("t1", "asks"), "done"],
            "asks": [make_tool_use("c1", "bash", command="touch x"), "never"],
        }
    )
    stage.prompt()
    asked = stage.user.wait_for(ShowApproval).request
    crash_at(monkeypatch, PRIMARY, StartTurn, times=1)
    stage.prompt("lost", turn=99)
    assert wait_for_completion(stage)
    assert stage.scripted_agents.get_last_results("begin") == [
        "interrupted; continue with task_id general-1"
    ]
    assert stage.agents == []
    assert asked.id not in stage.user.shown_ids


def crash_at(
    monkeypatch: pytest.MonkeyPatch, address: Address, kind: type[object], times: int
) -> None:
    """Let an agent crash when it takes or reports such a message."""
    left = [times]

    def address_of(voice: Any) -> Address:  # noqa: ANN401  (it keeps its actor to itself)
        actor = cast("agent.Agent", vars(voice)["_actor"])
        return actor.address

    receive: Any = agent.Agent.on_receive
    report: Any = event_publisher.EventPublisher.publish

    def crash(by: Address, message: object) -> None:
        if by == address and isinstance(message, kind) and left[0]:
            left[0] -= 1
            raise AgentCrashError

    def on_receive(self: Any, message: Any) -> None:  # noqa: ANN401  (an agent, a message)
        crash(self.address, message)
        receive(self, message)

    def on_report(self: Any, event: Any) -> None:  # noqa: ANN401  (a voice, an event)
        crash(address_of(self), event)
        report(self, event)

    monkeypatch.setattr(agent.Agent, "on_receive", on_receive)
    monkeypatch.setattr(event_publisher.EventPublisher, "publish", on_report)


def test_every_subagent_has_a_transcript_of_its_own(
    sessions: SessionFixture, tmp_path: Path
) -> None:
    stage = sessions.start_session(
        {
            "begin": [make_task_call("t1", "one"), "done"],
            "one": [make_task_call("t1", "two", "explore"), "one done"],
            "two": ["two done"],
        }
    )
    stage.prompt()
    wait_for_completion(stage)
    sessions.close()
    folder = tmp_path / "state" / "subagents" / stage.session.session_id
    assert sorted(path.name for path in folder.iterdir()) == [
        "agent-general-1.explore-1.jsonl",
        "agent-general-1.jsonl",
    ]
    first = (folder / "agent-general-1.explore-1.jsonl").read_text().splitlines()[0]
    assert '"depth":2' in first
    assert '"parent":"/primary/general-1"' in first
    assert '"agent_type":"explore"' in first
