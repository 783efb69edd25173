"""Plan and build: one session goes from one primary agent to another, and back."""

from dataclasses import replace

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.agent_state import AgentState, PrimaryAgent
from actors.agents.turn.agent_switch import get_max_mode
from actors.agents.turn.effects import (
    ApplyAgent,
    EvaluateCall,
    RequestApproval,
    SendModelRequest,
    TightenProfile,
    WriteRecord,
)
from actors.agents.turn.state_machine import resume_turn
from messages.address import PRIMARY
from messages.approvals import ApprovalDecided, ApprovalUnavailable, QuestionRequest
from messages.journal import Appended, AppendFailed, Record
from messages.policy import PermissionRequest
from messages.tool_calls import AgentSwitchProposal, CallPlan, ToolPlanned
from messages.turns import (
    AgentSwitched,
    PlanFileChecked,
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
BACK = PlanFileChecked(agent="", plan_exists=True)
YES, NO = "Yes, go", "No"


def turn(agent: str = "build", before: str = "build", run: int = 1) -> AgentState:
    given = make_state(run)
    return replace(
        given, primary_agents=PRIMARIES, agent=agent, previous_agent=before, plan_file="/p.md"
    )


@pytest.fixture
def driver() -> TurnDriver:
    return TurnDriver(turn())


def asking(agent: str) -> CallPlan:
    """Plan a call as `plan_enter` and `plan_exit` do."""
    question = UserQuestion(text="Switch?", choices=(Choice(label=YES), Choice(label=NO)))
    return CallPlan(
        title="plan",
        requests=(PermissionRequest(permission="plan_exit", target="*"),),
        questions=(question,),
        switch_proposal=AgentSwitchProposal(agent=agent, confirming_reply=YES, plan_exists=True),
    )


def asked(driver: TurnDriver, agent: str) -> str:
    """Go up to the question whether to switch; its id."""
    driver.start_turn(make_tool_use("c1"))
    driver.send(ToolPlanned(call_id="c1", plan=asking(agent)))
    driver.decide("c1", "ask")
    return driver.get_effects(RequestApproval)[-1].id


def reply_to(request: str, words: str) -> ApprovalDecided:
    return ApprovalDecided(id=request, agent=PRIMARY, decision="once", answers=(words,))


def test_a_switch_is_a_message_that_no_user_wrote_and_names_the_plan_file(
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
    assert driver.state.agent == "plan"


def test_the_stricter_agents_rights_hold_before_the_disk_has_it_and_the_looser_ones_after(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    assert [type(each) for each in driver.effects] == [WriteRecord, TightenProfile]
    assert (driver.state.agent, get_max_mode(driver.state)) == ("build", "plan")
    driver.sync()
    assert driver.get_effects(ApplyAgent)
    driver.effects.clear()
    driver.send(BACK)
    assert [type(each) for each in driver.effects] == [WriteRecord]
    assert get_max_mode(driver.state) == "plan"
    driver.sync()
    assert get_max_mode(driver.state) == "yolo"


def test_back_is_to_whoever_had_it_and_says_whether_there_is_a_plan() -> None:
    driver = TurnDriver(turn("reviewer"))
    driver.send(TO_PLAN)
    driver.send(BACK)
    assert driver.state.agent == "reviewer"
    (_, back) = driver.records
    assert isinstance(back, AgentSwitched)
    assert "The plan is in /p.md." in back.text
    driver.send(replace_plan(TO_PLAN))
    driver.send(PlanFileChecked(agent="", plan_exists=False))
    last = driver.records[-1]
    assert isinstance(last, AgentSwitched)
    assert "No plan was written: /p.md does not exist." in last.text


def replace_plan(wanted: PlanFileChecked) -> PlanFileChecked:
    return wanted.model_copy(update={"plan_written": True})


@pytest.mark.parametrize("agent", ["build", "", "nobody"])
def test_a_switch_to_nowhere_is_none(driver: TurnDriver, agent: str) -> None:
    driver.send(PlanFileChecked(agent=agent, plan_exists=False))
    assert driver.records == []
    (report,) = driver.events
    assert isinstance(report, SwitchAgentFailed)
    assert report.agent == "build"


def test_what_the_disk_refuses_is_no_switch_but_the_stricter_rights_hold(
    driver: TurnDriver,
) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(AppendFailed(id=driver.state.last_append_id, detail="disk full"))
    assert driver.state.agent == "build"
    assert get_max_mode(driver.state) == "plan"
    told = [each for each in driver.events if isinstance(each, SwitchAgentFailed)]
    assert told[0].detail == "the switch to plan waits for the disk: disk full"


def test_a_prompt_that_comes_while_a_switch_is_written_begins_behind_it(driver: TurnDriver) -> None:
    """So that the conversation is the same after a resume, which reads it off the disk."""
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(StartTurn(turn=1, text="do it"))
    assert [type(each) for each in driver.records] == [AgentSwitched]
    driver.hold_disk = False
    driver.sync()
    assert [type(each) for each in driver.records] == [AgentSwitched, TurnStarted]
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_a_prompt_does_not_wait_for_a_switch_that_the_disk_refused(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(AppendFailed(id=driver.state.last_append_id, detail="disk full"))
    assert [type(each) for each in driver.records] == [AgentSwitched, TurnStarted]


def test_a_call_does_not_begin_while_a_switch_is_on_its_way(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.hold_disk = True
    driver.send(TO_PLAN)
    driver.reply(make_tool_use("c1"))
    assert driver.planned_calls == []
    driver.sync()
    assert driver.planned_calls == ["c1"]


def test_the_persons_yes_to_a_plan_is_the_switch_and_comes_before_its_result_on_disk() -> None:
    driver = TurnDriver(turn("plan"))
    request = asked(driver, "")
    driver.send(reply_to(request, YES))
    kinds = [type(each) for each in driver.records if isinstance(each, AgentSwitched | ToolEnded)]
    assert kinds == [AgentSwitched, ToolEnded]
    assert driver.state.agent == "build"
    assert driver.results == [("c1", "ok", f"Switch?\nThe user: {YES}")]


@pytest.mark.parametrize("words", [NO, "yes, go", "Yes, go ", "not yet"])
def test_declining_is_a_result_for_the_model_and_no_switch(words: str) -> None:
    driver = TurnDriver(turn("plan"))
    driver.send(reply_to(asked(driver, ""), words))
    assert driver.state.agent == "plan"
    assert not [each for each in driver.records if isinstance(each, AgentSwitched)]
    told = f"The user did not agree, and nothing is switched. They said: {words}"
    assert driver.results == [("c1", "ok", told)]


def test_a_refused_question_says_which_rule_asked_and_switches_nothing() -> None:
    driver = TurnDriver(turn("plan"))
    request = asked(driver, "")
    driver.send(ApprovalUnavailable(id=request, agent=PRIMARY, reason="nobody is there"))
    ((_, status, text),) = driver.results
    assert (status, driver.state.agent) == ("denied", "plan")
    assert text == "Denied: a rule; it needs a person's approval, and nobody is there."


def test_an_answer_that_no_rule_may_give_switches_nothing() -> None:
    """A verdict that allows is not a person's reply."""
    driver = TurnDriver(turn("plan"))
    driver.start_turn(make_tool_use("c1"))
    driver.send(ToolPlanned(call_id="c1", plan=asking("")))
    query = driver.get_effects(EvaluateCall)[-1].id
    driver.send(make_decision(query, "allow"))
    driver.sync()
    assert driver.state.agent == "plan"


def resumed(*records: Record) -> TurnDriver:
    past = restore(records, turn(run=2))
    driver = TurnDriver(past.state)
    driver.state, effects = resume_turn(past)
    driver.collect(effects)
    return driver


SWITCHED = AgentSwitched(
    id="s", agent="plan", previous_agent="reviewer", text="[plan]", max_mode="plan"
)


def test_who_had_the_session_has_it_again_after_a_resume_and_goes_back_to_the_same() -> None:
    driver = resumed(SWITCHED)
    assert (driver.state.agent, driver.state.previous_agent) == ("plan", "reviewer")
    driver.send(BACK)
    assert driver.state.agent == "reviewer"


def test_an_agent_that_there_is_no_more_has_the_session_no_more() -> None:
    gone = SWITCHED.model_copy(update={"agent": "gone"})
    assert resumed(gone).state.agent == "build"


def test_a_yes_that_was_recorded_before_its_switch_is_made_good_after_a_resume() -> None:
    plan = asking("")
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
    begun = TurnStarted(turn=1, prompt="do it")
    driver = resumed(SWITCHED, begun, replied, request, reply_to(request.id, YES))
    assert driver.state.agent == "reviewer"
    assert [type(each) for each in driver.records][:2] == [AgentSwitched, ToolEnded]


def test_the_disk_answers_two_switches_one_by_one(driver: TurnDriver) -> None:
    driver.hold_disk = True
    driver.send(TO_PLAN)
    first = driver.state.last_append_id
    driver.send(BACK)
    assert get_max_mode(driver.state) == "plan"
    driver.send(Appended(id=first))
    assert driver.state.agent == "plan"
    driver.sync()
    assert driver.state.agent == "build"
    assert [each.switched.agent for each in driver.get_effects(ApplyAgent)] == ["plan", "build"]
