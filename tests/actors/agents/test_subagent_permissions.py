"""Rights of subagents: their own rules and the session's grants, limited by their ancestors."""

from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from messages.approvals import ShowApproval
from messages.policy import Action, PermissionMode, Rule
from messages.turns import TurnCompleted
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    get_prompt,
    make_task_call,
    make_tool_use,
    wait_for_completion,
)

pytestmark = pytest.mark.quick

COMMAND = "make it"


def make_bash_call(call_id: str) -> Any:  # noqa: ANN401  (a line)
    return make_tool_use(call_id, "bash", command=COMMAND)


def grant_for_session(running: RunningSession) -> None:
    """Answer the only request with "don't ask again this session"."""
    running.user.submit_decision(running.user.wait_for(ShowApproval).request.id, "session")


def completes_without_asking(running: RunningSession) -> bool:
    """Return whether the turn completes before any request is shown."""
    while True:
        message = running.user.next()
        if isinstance(message, ShowApproval):
            return False
        if isinstance(message, TurnCompleted) and running.agents == [] and message.text == "end":
            return True


def test_a_subagents_grant_applies_to_the_primary(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "sub"), make_bash_call("c1"), "end"],
        "sub": [make_bash_call("c1"), "ok"],
    }
    running = sessions.start_session(lines)
    running.prompt()
    grant_for_session(running)
    assert completes_without_asking(running)


def test_a_grant_of_the_primary_applies_to_later_subagents(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [make_bash_call("c1"), make_task_call("t1", "sub"), "end"],
        "sub": [make_bash_call("c1"), "ok"],
    }
    running = sessions.start_session(lines)
    running.prompt()
    grant_for_session(running)
    assert completes_without_asking(running)


def test_a_nested_grant_applies_to_running_and_later_subagents(
    sessions: SessionFixture,
) -> None:
    lines: dict[str, list[Any]] = {
        "begin": [
            (make_task_call("t1", "one"), make_task_call("t2", "other")),
            make_task_call("t3", "later"),
            "end",
        ],
        "one": [make_task_call("t1", "nested"), make_bash_call("c9"), "ok"],
        "nested": [make_bash_call("c1"), "ok"],
        "other": [make_bash_call("c2"), make_bash_call("c3"), "ok"],
        "later": [make_bash_call("c1"), "ok"],
    }
    running = sessions.start_session(lines)
    running.prompt()
    requests = [running.user.wait_for(ShowApproval).request for _ in range(2)]
    nested = next(request for request in requests if request.agent.count("general") == 2)
    running.user.submit_decision(nested.id, "session")
    assert completes_without_asking(running), "the other parked request was not evaluated again"


def test_a_new_session_has_no_grants_of_other_sessions(sessions: SessionFixture) -> None:
    granted = sessions.start_session({"begin": [make_bash_call("c1"), "end"]})
    granted.prompt()
    grant_for_session(granted)
    wait_for_completion(granted)
    other = sessions.start_session({"begin": [make_bash_call("c1"), "end"]})
    other.prompt()
    assert other.user.wait_for(ShowApproval)


def test_explore_only_reads_and_runs_read_only_commands(sessions: SessionFixture) -> None:
    lines: dict[str, list[Any]] = {
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
    running = sessions.start_session(lines, mode="yolo")
    running.prompt()
    assert completes_without_asking(running)
    requests = [request for request in running.scripted_agents.requests if request.headers]
    assert "task" not in {str(tool["name"]) for tool in requests[0].tools}
    results = running.scripted_agents.get_last_results("look")
    assert "no tool 'write'" in results[0]
    assert not (running.session.options.workspace.root / "x").exists()


def test_explore_as_primary_has_the_same_limits(sessions: SessionFixture) -> None:
    writes = [make_tool_use("c1", "write", path="x", content="x"), "end"]
    running = sessions.start_session({"begin": writes}, mode="yolo", agent="explore")
    running.prompt()
    assert completes_without_asking(running)
    offered = {str(tool["name"]) for tool in running.scripted_agents.requests[0].tools}
    assert offered == {"read", "ls", "glob", "grep", "todo_write", "bash"}
    assert not (running.session.options.workspace.root / "x").exists()


def test_a_child_of_a_read_only_agent_is_read_only(
    sessions: SessionFixture,
) -> None:
    reader = Definition(name="reader", system_prompt="", read_only=True)
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "read", "reader"), "end"],
        "read": [make_task_call("t1", "change"), "ok"],
        "change": [make_tool_use("c3", "write", path="x", content="x"), "tried"],
    }
    running = sessions.start_session(lines, reader, mode="yolo")
    running.prompt()
    assert completes_without_asking(running)
    assert "no tool 'write'" in running.scripted_agents.get_last_results("change")[0]
    for prompt in ("read", "change"):
        assert not {"write", "edit"} & list_offered_tools(running, prompt)
        assert {"read", "bash", "task"} <= list_offered_tools(running, prompt)


def list_offered_tools(running: RunningSession, prompt: str) -> set[str]:
    """Return the names of the tools that the agent with this prompt is offered."""
    requests = running.scripted_agents.requests
    request = next(request for request in requests if get_prompt(request) == prompt)
    return {str(tool["name"]) for tool in request.tools}


@pytest.mark.parametrize("delegates", [(), ("bash",)])
def test_a_missing_tool_reaches_children_only_if_delegated(
    sessions: SessionFixture, delegates: tuple[str, ...]
) -> None:
    lead = Definition(
        name="lead", system_prompt="", disallowed_tools=("bash",), delegates=delegates
    )
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "delegate", "lead"), "end"],
        "delegate": [make_task_call("t1", "work"), "ok"],
        "work": [make_tool_use("c1", "bash", command="true"), "ok"],
    }
    running = sessions.start_session(lines, lead, mode="yolo")
    running.prompt()
    assert completes_without_asking(running)
    has_bash = bool(delegates)
    assert ("bash" in list_offered_tools(running, "work")) is has_bash
    assert ("no tool" in running.scripted_agents.get_last_results("work")[0]) is not has_bash


@pytest.mark.parametrize(
    ("lead_action", "lead_mode", "outcome"),
    [
        (None, "yolo", "runs"),
        ("ask", "yolo", "asks"),
        ("deny", "yolo", "denied"),
        (None, "plan", "asks"),
    ],
)
def test_an_own_allow_rule_applies_unless_an_ancestor_forbids(
    sessions: SessionFixture,
    lead_action: Action | None,
    lead_mode: PermissionMode,
    outcome: str,
) -> None:
    rules = (Rule(permission="bash", pattern="*", action=lead_action),) if lead_action else ()
    lead = Definition(name="lead", system_prompt="", rules=rules, permission_mode=lead_mode)
    allow = Rule(permission="bash", pattern="touch *", action="allow")
    toucher = Definition(name="toucher", system_prompt="", mode="subagent", rules=(allow,))
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "delegate", "lead"), "end"],
        "delegate": [make_task_call("t1", "work", "toucher"), "ok"],
        "work": [make_tool_use("c1", "bash", command="touch x"), "ok"],
    }
    running = sessions.start_session(lines, lead, toucher)
    running.prompt()
    assert completes_without_asking(running) is (outcome != "asks")
    assert (running.session.options.workspace.root / "x").exists() is (outcome == "runs")


def test_a_rule_can_deny_a_subagent_type(sessions: SessionFixture) -> None:
    lead = Definition(
        name="lead",
        system_prompt="",
        rules=(Rule(permission="task", pattern="general", action="deny"),),
    )
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "delegate", "lead"), "end"],
        "delegate": [make_task_call("t1", "work"), "ok"],
    }
    running = sessions.start_session(lines, lead)
    running.prompt()
    assert completes_without_asking(running)
    assert "Denied" in running.scripted_agents.get_last_results("delegate")[0]


def test_only_types_named_by_the_definition_can_start(sessions: SessionFixture) -> None:
    lead = Definition(name="lead", system_prompt="", subagents=("expl*",))
    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "delegate", "lead"), "end"],
        "delegate": [make_task_call("t1", "work"), "ok"],
    }
    running = sessions.start_session(lines, lead)
    running.prompt()
    assert completes_without_asking(running)
    assert "Available: explore" in running.scripted_agents.get_last_results("delegate")[0]
    request = next(request for request in running.scripted_agents.requests if request.headers)
    (description,) = (str(tool["description"]) for tool in request.tools if tool["name"] == "task")
    assert "explore" in description
    assert "general" not in description
