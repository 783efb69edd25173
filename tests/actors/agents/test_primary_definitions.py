"""What the definition of the primary agent sets: subagents, model and limits."""

from typing import Any

import pytest

from actors.agents.definition.definition import Definition
from messages.address import PRIMARY
from messages.turns import (
    AgentSwitched,
    EffortChanged,
    ModelChanged,
    SwitchAgent,
    TurnCompleted,
    TurnFailed,
)
from tests.actors.agents.scripted_agents import (
    SessionFixture,
    get_prompt,
    make_task_call,
    make_tool_use,
    never_reply,
    wait_for_completion,
    wait_for_turn_end,
)

pytestmark = pytest.mark.quick


def make_lead(**fields: object) -> Definition:
    return Definition(name="lead", system_prompt="", mode="primary", **fields)  # type: ignore[arg-type]  # a field of any type


def test_the_primary_starts_only_the_types_of_its_definition(sessions: SessionFixture) -> None:
    lines = {"begin": [make_task_call("t1", "work", "general"), "done"]}
    running = sessions.start_session(lines, make_lead(subagents=("explore",)), agent="lead")
    running.prompt()
    wait_for_completion(running)

    (result,) = running.scripted_agents.get_last_results("begin")
    assert result == "There is no subagent type 'general'. Available: explore."


def test_the_primary_uses_the_model_of_its_definition(sessions: SessionFixture) -> None:
    lead = make_lead(model="large")
    running = sessions.start_session({"begin": ["one"], "more": ["two"]}, lead, agent="lead")
    running.prompt()
    wait_for_completion(running)
    running.user.tell(PRIMARY, SwitchAgent(agent="build"))
    running.user.wait_for(AgentSwitched)
    assert running.user.wait_for(ModelChanged) == ModelChanged(model="m")
    running.prompt("more", turn=2)
    wait_for_completion(running)

    assert [request.model for request in running.scripted_agents.requests] == ["large", "m"]


def test_a_model_that_the_user_chose_overrides_the_definition(sessions: SessionFixture) -> None:
    lead = make_lead(model="large")
    lines = {"begin": ["one"]}
    running = sessions.start_session(lines, lead, agent="lead", model_is_explicit=True)
    running.prompt()
    wait_for_completion(running)

    assert running.scripted_agents.requests[0].model == "m"


def test_each_agent_uses_the_effort_of_its_definition(sessions: SessionFixture) -> None:
    lead = make_lead(effort="high")
    quick = Definition(name="quick", system_prompt="", mode="subagent", effort="low")
    tasks = (make_task_call("t1", "work", "general"), make_task_call("t2", "look", "quick"))
    lines: dict[str, list[Any]] = {
        "begin": [tasks, "done"],
        "work": ["one"],
        "look": ["two"],
        "more": ["three"],
    }
    running = sessions.start_session(lines, lead, quick, agent="lead", effort="medium")
    running.prompt()
    wait_for_completion(running)
    running.user.tell(PRIMARY, SwitchAgent(agent="build"))
    assert running.user.wait_for(EffortChanged) == EffortChanged(effort="medium")
    running.prompt("more", turn=2)
    wait_for_completion(running)

    efforts = {get_prompt(request): request.effort for request in running.scripted_agents.requests}
    assert efforts == {"begin": "high", "work": "high", "look": "low", "more": "medium"}


def test_a_resumed_primary_keeps_the_settings_of_its_definition(sessions: SessionFixture) -> None:
    lead = make_lead(model="large", max_turns=1)
    before = sessions.start_session({"begin": ["one"]}, lead, agent="lead")
    before.prompt()
    wait_for_completion(before)
    sessions.close()
    after = sessions.start_session(
        {"more": [make_tool_use("c1", "ls"), "never"]},
        lead,
        resume_path=before.session.log.path,
    )
    after.prompt("more", turn=2)
    after.user.answer_limit(1)
    ended = wait_for_turn_end(after)

    assert isinstance(ended, TurnFailed)
    assert after.scripted_agents.requests[0].model == "large"


def test_the_limits_of_the_definition_end_the_primarys_turn(sessions: SessionFixture) -> None:
    lead = make_lead(max_turns=1)
    lines = {"begin": [make_tool_use("c1", "ls"), "never"]}
    running = sessions.start_session(lines, lead, agent="lead")
    running.prompt()
    running.user.answer_limit(1)
    ended = wait_for_turn_end(running)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "max_turns"
    assert ended.detail.endswith("the limit per prompt (max_turns of the agent lead)")


def test_the_time_limit_of_the_definition_ends_the_primarys_turn(sessions: SessionFixture) -> None:
    lead = make_lead(time_limit_s=0.05)
    running = sessions.start_session({"begin": [never_reply]}, lead, agent="lead")
    running.prompt()
    running.user.answer_limit(1)
    ended = wait_for_turn_end(running)

    assert isinstance(ended, TurnFailed)
    assert ended.reason == "time_limit"
    assert ended.detail.endswith("(time_limit_s of the agent lead)")


def test_the_limits_end_when_another_agent_is_selected(sessions: SessionFixture) -> None:
    lead = make_lead(max_turns=1)
    lines = {"begin": [make_tool_use("c1", "ls"), "one"]}
    running = sessions.start_session(lines, lead, agent="lead")
    running.user.tell(PRIMARY, SwitchAgent(agent="build"))
    while running.user.wait_for(AgentSwitched).agent != "build":
        pass
    running.prompt()

    assert isinstance(wait_for_turn_end(running), TurnCompleted)
