"""What a subagent may: never more than those above it, and what a person granted anywhere."""

from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from messages.approvals import ShowApproval
from messages.policy import Rule
from messages.turns import TurnCompleted
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    make_tool_use,
    wait_for_completion,
)

pytestmark = pytest.mark.quick

MAKE = "make it"


def makes(call_id: str) -> Any:  # noqa: ANN401  (a line)
    return make_tool_use(call_id, "bash", command=MAKE)


def grant(running_system: RunningSession) -> None:
    """Answer the one question with 'don't ask again'."""
    running_system.user.submit_decision(
        running_system.user.wait_for(ShowApproval).request.id, "session"
    )


def finishes_unasked(running_system: RunningSession) -> bool:
    """Whether the turn ends and nobody was asked before."""
    while True:
        message = running_system.user.next()
        if isinstance(message, ShowApproval):
            return False
        if (
            isinstance(message, TurnCompleted)
            and running_system.agents == []
            and message.text == "end"
        ):
            return True


def test_what_is_granted_in_a_subagent_holds_for_the_primary(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "sub"), makes("c1"), "end"],
        "sub": [makes("c1"), "ok"],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    grant(stage)
    assert finishes_unasked(stage)


def test_what_is_granted_in_the_primary_holds_for_later_subagents(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [makes("c1"), make_task_call("t1", "sub"), "end"],
        "sub": [makes("c1"), "ok"],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    grant(stage)
    assert finishes_unasked(stage)


def test_what_is_granted_in_a_nested_subagent_holds_for_running_and_later_ones(
    sessions: SessionFixture,
) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [
            (make_task_call("t1", "one"), make_task_call("t2", "other")),
            make_task_call("t3", "later"),
            "end",
        ],
        "one": [make_task_call("t1", "nested"), makes("c9"), "ok"],
        "nested": [makes("c1"), "ok"],
        "other": [makes("c2"), makes("c3"), "ok"],
        "later": [makes("c1"), "ok"],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    both = [stage.user.wait_for(ShowApproval).request for _ in range(2)]
    nested = next(asked for asked in both if asked.agent.count("general") == 2)
    stage.user.submit_decision(nested.id, "session")
    assert finishes_unasked(stage), "what was parked is judged anew"


def test_an_agent_on_its_own_has_no_grants_of_other_sessions(sessions: SessionFixture) -> None:
    granted = sessions.start_session({"begin": [makes("c1"), "end"]})
    granted.prompt()
    grant(granted)
    wait_for_completion(granted)
    own = sessions.start_session({"begin": [makes("c1"), "end"]})
    own.prompt()
    assert own.user.wait_for(ShowApproval)


def test_explore_reads_and_runs_what_is_harmless_and_nothing_else(sessions: SessionFixture) -> None:
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "look", "explore"), "end"],
        "look": [
            (
                make_tool_use("c1", "bash", command="ls"),
                make_tool_use("c2", "bash", command="touch x"),
            ),
            make_tool_use("c3", "write", path="x", content="x"),
            "seen",
        ],
    }
    stage = sessions.start_session(parts, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    asked = [each for each in stage.scripted_agents.requests if each.headers]
    assert "task" not in {str(tool["name"]) for tool in asked[0].tools}
    told = stage.scripted_agents.get_last_results("look")
    assert "no tool 'write'" in told[0]
    assert not (stage.session.options.workspace.root / "x").exists()


def test_explore_on_its_own_is_as_limited_as_below_another(sessions: SessionFixture) -> None:
    writes = [make_tool_use("c1", "write", path="x", content="x"), "end"]
    stage = sessions.start_session({"begin": writes}, mode="yolo", agent="explore")
    stage.prompt()
    assert finishes_unasked(stage)
    offered = {str(tool["name"]) for tool in stage.scripted_agents.requests[0].tools}
    assert offered == {"read", "ls", "glob", "grep", "todo_write", "bash"}
    assert not (stage.session.options.workspace.root / "x").exists()


def test_a_child_started_by_a_reader_reads_only_whatever_its_definition_says(
    sessions: SessionFixture,
) -> None:
    reader = Definition(name="reader", system_prompt="", read_only=True)
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "read", "reader"), "end"],
        "read": [make_task_call("t1", "change"), "ok"],
        "change": [make_tool_use("c3", "write", path="x", content="x"), "tried"],
    }
    stage = sessions.start_session(parts, reader, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    assert "the agent reader is read-only" in stage.scripted_agents.get_last_results("change")[0]


@pytest.mark.parametrize("delegates", [(), ("bash",)])
def test_a_tool_that_is_not_had_is_handed_on_only_where_it_is_delegated(
    sessions: SessionFixture, delegates: tuple[str, ...]
) -> None:
    chief = Definition(
        name="chief", system_prompt="", disallowed_tools=("bash",), delegates=delegates
    )
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "lead", "chief"), "end"],
        "lead": [make_task_call("t1", "work"), "ok"],
        "work": [make_tool_use("c1", "bash", command="true"), "ok"],
    }
    stage = sessions.start_session(parts, chief, mode="yolo")
    stage.prompt()
    assert finishes_unasked(stage)
    assert ("Denied" in stage.scripted_agents.get_last_results("work")[0]) is not bool(delegates)


def test_a_rule_may_forbid_a_type(sessions: SessionFixture) -> None:
    chief = Definition(
        name="chief",
        system_prompt="",
        rules=(Rule(permission="task", pattern="general", action="deny"),),
    )
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "lead", "chief"), "end"],
        "lead": [make_task_call("t1", "work"), "ok"],
    }
    stage = sessions.start_session(parts, chief)
    stage.prompt()
    assert finishes_unasked(stage)
    assert "Denied" in stage.scripted_agents.get_last_results("lead")[0]


def test_only_those_that_its_definition_names_can_be_started(sessions: SessionFixture) -> None:
    chief = Definition(name="chief", system_prompt="", subagents=("expl*",))
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "lead", "chief"), "end"],
        "lead": [make_task_call("t1", "work"), "ok"],
    }
    stage = sessions.start_session(parts, chief)
    stage.prompt()
    assert finishes_unasked(stage)
    assert "Available: explore" in stage.scripted_agents.get_last_results("lead")[0]
    lead = next(each for each in stage.scripted_agents.requests if each.headers)
    (described,) = (str(tool["description"]) for tool in lead.tools if tool["name"] == "task")
    assert "explore" in described
    assert "general" not in described
