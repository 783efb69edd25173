"""Switching the primary agent of one session, from build to plan and back."""

from dataclasses import replace

import pytest

from actors.agents.turn.agent_selection import AgentSelection, PrimaryAgent
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import (
    ApplyAgent,
    EvaluateCall,
    RequestApproval,
    SendModelRequest,
    TightenProfile,
    WriteRecord,
)
from actors.agents.turn.self_messages import PlanFileChecked, ToolPlanned
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, ApprovalUnavailable, QuestionRequest
from messages.journal import Appended, AppendFailed, Record
from messages.policy import PermissionRequest
from messages.tool_calls import AgentSwitchProposal, CallPlan
from messages.turns import (
    AgentSwitched,
    ReplyCompleted,
    StartTurn,
    SwitchAgentFailed,
    ToolEnded,
    TurnStarted,
)
from messages.user_questions import Choice, UserQuestion
from tests.actors.agents.turn.message_builders import (
    USAGE,
    make_decision,
    make_state,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

PRIMARIES = (
    PrimaryAgent("build"),
    PrimaryAgent("plan", "plan"),
    PrimaryAgent("reviewer", "auto-edit"),
)
TO_PLAN = PlanFileChecked(agent="plan", plan_exists=False)
TO_PREVIOUS = PlanFileChecked(agent="", plan_exists=True)
YES, NO = "Yes, go", "No"


def make_switchable_state(agent: str = "build", run: int = 1) -> AgentState:
    selection = AgentSelection(agent=agent, primary_agents=PRIMARIES, plan_file="/p.md")
    return replace(make_state(run), selection=selection)


@pytest.fixture
def driver() -> TurnDriver:
    return TurnDriver(make_switchable_state())


def make_switch_plan(agent: str) -> CallPlan:
    """Return the plan of a `plan_enter` or `plan_exit` call."""
    question = UserQuestion(text="Switch?", choices=(Choice(label=YES), Choice(label=NO)))
    return CallPlan(
        title="plan",
        requests=(PermissionRequest(permission="plan_exit", target="*"),),
        questions=(question,),
        switch_proposal=AgentSwitchProposal(agent=agent, confirming_reply=YES, plan_exists=True),
    )


def request_switch(driver: TurnDriver, agent: str) -> str:
    """Bring a turn to the question whether to switch; return the request's id."""
    driver.start_turn(make_tool_use("c1"))
    driver.send(ToolPlanned(call_id="c1", plan=make_switch_plan(agent)))
    driver.decide("c1", "ask")
    return driver.get_effects(RequestApproval)[-1].id


def answer(request_id: str, text: str) -> ApprovalDecided:
    return ApprovalDecided(id=request_id, agent=PRIMARY, decision="once", answers=(text,))


def test_a_switch_is_recorded_and_names_the_plan_file(
    driver: TurnDriver,
) -> None:
    driver.send(TO_PLAN)
    (switched,) = driver.records
    assert isinstance(switched, AgentSwitched)
    assert (switched.id, switched.agent, switched.previous_agent) == (
        "/primary#switch-1@1",
        "plan",
        "build",
    )
    assert "/p.md, which does not exist yet" in switched.text
    assert driver.events == [switched]
    assert driver.state.selection.agent == "plan"


def test_stricter_rights_apply_before_the_sync_and_looser_after(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    assert [type(effect) for effect in driver.effects] == [WriteRecord, TightenProfile]
    assert (driver.state.selection.agent, driver.state.selection.get_max_mode()) == (
        "build",
        "plan",
    )
    driver.sync()
    assert driver.get_effects(ApplyAgent)
    driver.effects.clear()
    driver.send(TO_PREVIOUS)
    assert [type(effect) for effect in driver.effects] == [WriteRecord]
    assert driver.state.selection.get_max_mode() == "plan"
    driver.sync()
    assert driver.state.selection.get_max_mode() == "yolo"


def test_switching_back_returns_to_the_previous_agent() -> None:
    driver = TurnDriver(make_switchable_state("reviewer"))
    driver.send(TO_PLAN)
    driver.send(TO_PREVIOUS)
    assert driver.state.selection.agent == "reviewer"
    (_, second) = driver.records
    assert isinstance(second, AgentSwitched)
    assert "The plan is in /p.md." in second.text
    driver.send(TO_PLAN)
    driver.send(PlanFileChecked(agent="", plan_exists=False))
    last = driver.records[-1]
    assert isinstance(last, AgentSwitched)
    assert "No plan was written: /p.md does not exist." in last.text


@pytest.mark.parametrize("agent", ["build", "", "unknown"])
def test_a_switch_to_an_invalid_agent_fails(driver: TurnDriver, agent: str) -> None:
    driver.send(PlanFileChecked(agent=agent, plan_exists=False))
    assert driver.records == []
    (failed,) = driver.events
    assert isinstance(failed, SwitchAgentFailed)
    assert failed.agent == "build"


def test_an_unwritten_switch_still_applies_the_stricter_rights(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(AppendFailed(id=driver.state.persistence.last_append_id, detail="disk full"))
    assert driver.state.selection.agent == "build"
    assert driver.state.selection.get_max_mode() == "plan"
    failures = [event for event in driver.events if isinstance(event, SwitchAgentFailed)]
    assert failures[0].detail == "the switch to plan cannot be saved yet (disk full)"


def test_a_prompt_waits_until_a_switch_is_written(driver: TurnDriver) -> None:
    """The conversation must be the same after a resume, which reads it from disk."""
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(StartTurn(turn=1, text="do it"))
    assert [type(record) for record in driver.records] == [AgentSwitched]
    driver.hold_disk = False
    driver.sync()
    assert [type(record) for record in driver.records] == [AgentSwitched, TurnStarted]
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_a_prompt_does_not_wait_for_a_failed_switch(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(AppendFailed(id=driver.state.persistence.last_append_id, detail="disk full"))
    assert [type(record) for record in driver.records] == [AgentSwitched, TurnStarted]


def test_a_call_does_not_start_while_a_switch_is_pending(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.reply(make_tool_use("c1"))
    assert driver.planned_calls == []
    driver.sync()
    assert driver.planned_calls == ["c1"]


def test_a_confirmed_switch_is_recorded_before_the_result() -> None:
    driver = TurnDriver(make_switchable_state("plan"))
    request = request_switch(driver, "")
    driver.send(answer(request, YES))
    kinds = [
        type(record) for record in driver.records if isinstance(record, AgentSwitched | ToolEnded)
    ]
    assert kinds == [AgentSwitched, ToolEnded]
    assert driver.state.selection.agent == "build"
    assert driver.results == [("c1", "ok", f"Switch?\nThe user: {YES}")]


@pytest.mark.parametrize("text", [NO, "yes, go", "Yes, go ", "not yet"])
def test_a_declined_switch_is_a_result_for_the_model(text: str) -> None:
    driver = TurnDriver(make_switchable_state("plan"))
    driver.send(answer(request_switch(driver, ""), text))
    assert driver.state.selection.agent == "plan"
    assert not [record for record in driver.records if isinstance(record, AgentSwitched)]
    result = f"The user did not agree; nothing was switched. The user said: {text}"
    assert driver.results == [("c1", "ok", result)]


def test_an_unavailable_approval_names_its_rule_and_switches_nothing() -> None:
    driver = TurnDriver(make_switchable_state("plan"))
    request = request_switch(driver, "")
    driver.send(ApprovalUnavailable(id=request, agent=PRIMARY, reason="no user is there"))
    ((_, status, text),) = driver.results
    assert (status, driver.state.selection.agent) == ("denied", "plan")
    assert text == "Denied: a rule; it needs the user's approval, but no user is there."


def test_a_rule_that_allows_does_not_confirm_a_switch() -> None:
    """A permission decision that allows is not the user's answer."""
    driver = TurnDriver(make_switchable_state("plan"))
    driver.start_turn(make_tool_use("c1"))
    driver.send(ToolPlanned(call_id="c1", plan=make_switch_plan("")))
    decision_id = driver.get_effects(EvaluateCall)[-1].id
    driver.send(make_decision(decision_id, "allow"))
    driver.sync()
    assert driver.state.selection.agent == "plan"


def resume_from(*records: Record) -> TurnDriver:
    return TurnDriver.resume(records, make_switchable_state(run=2))


SWITCHED = AgentSwitched(
    id="s", agent="plan", previous_agent="reviewer", text="[plan]", max_mode="plan"
)


def test_the_active_and_previous_agents_survive_a_resume() -> None:
    driver = resume_from(SWITCHED)
    assert (driver.state.selection.agent, driver.state.selection.previous_agent) == (
        "plan",
        "reviewer",
    )
    driver.send(TO_PREVIOUS)
    assert driver.state.selection.agent == "reviewer"


def test_a_deleted_agent_is_not_active_after_a_resume() -> None:
    deleted = SWITCHED.model_copy(update={"agent": "deleted"})
    assert resume_from(deleted).state.selection.agent == "build"


def test_a_recorded_confirmation_switches_after_a_resume() -> None:
    plan = make_switch_plan("")
    request = QuestionRequest(
        id="/primary#1@1",
        agent=PRIMARY,
        turn=1,
        call_id="c1",
        tool="change",
        cwd="/repo",
        reason="a rule",
        requests=plan.requests,
        available_decisions=("once", "no"),
        questions=plan.questions,
        switch_proposal=plan.switch_proposal,
    )
    replied = ReplyCompleted(
        turn=1, content=(make_tool_use("c1"),), stop_reason="tool_use", usage=USAGE, model="m"
    )
    started = TurnStarted(turn=1, prompt="do it")
    driver = resume_from(SWITCHED, started, replied, request, answer(request.id, YES))
    assert driver.state.selection.agent == "reviewer"
    assert [type(record) for record in driver.records][:2] == [AgentSwitched, ToolEnded]


def test_two_pending_switches_are_applied_one_by_one(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    first = driver.state.persistence.last_append_id
    driver.send(TO_PREVIOUS)
    assert driver.state.selection.get_max_mode() == "plan"
    driver.send(Appended(id=first))
    assert driver.state.selection.agent == "plan"
    driver.sync()
    assert driver.state.selection.agent == "build"
    assert [effect.switched.agent for effect in driver.get_effects(ApplyAgent)] == ["plan", "build"]
