"""A session that stopped: what each place in its records means for what was under way."""

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.agent_state import TurnStage
from actors.agents.turn.call_lifecycle import OUTCOME_UNKNOWN
from actors.agents.turn.effects import Effect, PlanCall, RequestApproval, SendModelRequest
from actors.agents.turn.model_replies import INCOMPLETE_CALL
from actors.agents.turn.self_messages import ToolFailed
from actors.agents.turn.state_machine import resume_turn
from messages.approvals import (
    ApprovalRequest,
    ApprovalWithdrawn,
)
from messages.content import ContentBlock, TextBlock
from messages.journal import Record
from messages.policy import PermissionRequest
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import (
    READ_TOOL,
    USAGE,
    WRITE_TOOL,
    approve,
    deny,
    make_approval_request,
    make_decision,
    make_plan,
    make_state,
    make_tool_use,
    make_write_requests,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

BEGUN = TurnStarted(turn=1, prompt="do it")
ID = "/primary#1@1"


def replied(*content: ContentBlock, stop_reason: str = "tool_use") -> ReplyCompleted:
    return ReplyCompleted(
        turn=1, content=content, stop_reason=stop_reason, usage=USAGE, model="script"
    )


def asked(call_id: str = "c1", version: int = 1, approval: str = ID) -> ApprovalRequest:
    plan = make_plan(call_id, version)
    return make_approval_request(
        RequestApproval(approval, call_id, plan, make_decision("q", "ask"))
    )


def began(call_id: str = "c1") -> ToolStarted:
    return ToolStarted(turn=1, call_id=call_id, tool=WRITE_TOOL, title="t")


def ended(call_id: str = "c1") -> ToolEnded:
    return ToolEnded(turn=1, call_id=call_id, tool=WRITE_TOOL, title="t", status="ok", text="fine")


def taken_up(*records: Record) -> tuple[TurnDriver, tuple[Effect, ...]]:
    """Open the session a second time and go on."""
    past = restore(records, make_state(run=2))
    turn, effects = resume_turn(past)
    driver = TurnDriver(turn)
    driver.state = turn
    return driver, driver.collect(effects)


CALLED = (BEGUN, replied(make_tool_use("c1")))


def test_an_agent_without_records_begins_idle() -> None:
    driver, effects = taken_up()

    assert driver.state == make_state(run=2)
    assert effects == ()


@pytest.mark.parametrize(
    "end",
    [
        TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE),
        TurnInterrupted(turn=1),
        TurnFailed(turn=1, reason="cut_off", detail=""),
    ],
)
def test_an_ended_turn_is_left_alone(end: Record) -> None:
    driver, effects = taken_up(BEGUN, end)

    assert effects == ()
    assert (driver.state.stage, driver.state.turn_number) == (TurnStage.IDLE, 1)


def test_a_prompt_without_a_reply_is_put_to_the_model_again() -> None:
    _, effects = taken_up(BEGUN)

    assert effects == (SendModelRequest(1),)


def test_a_reply_without_calls_ends_its_turn() -> None:
    driver, _ = taken_up(BEGUN, replied(TextBlock(text="done"), stop_reason="end_turn"))

    completed = TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE)
    assert driver.records == [completed]
    assert driver.events == [completed]


def test_a_call_that_nothing_is_known_of_is_planned_and_judged_anew() -> None:
    driver, effects = taken_up(*CALLED)

    assert effects == (PlanCall("c1"),)
    driver.allow("c1")
    assert driver.run_calls == ["c1"]


def test_a_changing_call_that_began_is_never_run_again() -> None:
    driver, effects = taken_up(*CALLED, asked(), approve(ID), began())

    assert driver.results == [("c1", "unknown", OUTCOME_UNKNOWN)]
    assert driver.planned_calls == []
    assert effects[-1] == SendModelRequest(1)


def test_calls_after_one_that_began_go_on_once_it_is_closed() -> None:
    driver, _ = taken_up(
        BEGUN,
        replied(make_tool_use("c1"), make_tool_use("c2"), make_tool_use("c3", READ_TOOL)),
        began(),
    )

    assert driver.planned_calls == ["c2"]


def test_a_denied_call_is_not_even_planned_when_the_one_before_it_is_closed() -> None:
    records = (
        BEGUN,
        replied(make_tool_use("c1"), make_tool_use("c2", READ_TOOL)),
        asked("c2"),
        deny(ID),
        began("c1"),
    )
    driver, _ = taken_up(*records)

    assert driver.planned_calls == []
    assert [(call_id, status) for call_id, status, _ in driver.results] == [
        ("c1", "unknown"),
        ("c2", "denied"),
    ]


def test_results_that_are_complete_go_to_the_model() -> None:
    _, effects = taken_up(*CALLED, began(), ended())

    assert effects == (SendModelRequest(1),)


def test_an_open_question_is_asked_again_by_its_id() -> None:
    driver, _ = taken_up(*CALLED, asked())

    assert driver.request_approval("c1") == ID
    driver.send(approve(ID))
    driver.decide("c1", "ask")
    assert driver.run_calls == ["c1"]


def test_a_new_question_of_a_later_run_has_an_id_of_its_own() -> None:
    driver, _ = taken_up(*CALLED)

    assert driver.request_approval("c1") == "/primary#1@2"


def test_a_yes_without_a_start_runs_once_if_nothing_has_changed() -> None:
    driver, _ = taken_up(*CALLED, asked(), approve(ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert driver.get_effects(RequestApproval) == []


def test_a_yes_to_something_else_is_asked_anew() -> None:
    driver, _ = taken_up(*CALLED, asked(version=1), approve(ID))
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.run_calls == []
    assert [each.id for each in driver.get_effects(RequestApproval)] == ["/primary#1@2"]


@pytest.mark.parametrize("version", [1, 2])
def test_a_yes_to_a_patch_is_bound_to_its_diff(version: int) -> None:
    plan = make_plan("c1", has_patch=True)
    shown = make_approval_request(RequestApproval(ID, "c1", plan, make_decision("q", "ask")))
    driver, _ = taken_up(*CALLED, shown, approve(ID))
    driver.plan("c1", version, patched=True)
    driver.decide("c1", "ask")

    assert driver.run_calls == (["c1"] if version == 1 else [])


def test_a_yes_is_bound_to_the_targets_even_where_the_text_is_the_same() -> None:
    elsewhere = (PermissionRequest(permission="write", target="other.txt"),)
    driver, _ = taken_up(*CALLED, asked().model_copy(update={"requests": elsewhere}), approve(ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


@pytest.mark.parametrize("led_to", ["a.txt", "b.txt"])
def test_a_yes_is_bound_to_where_its_paths_led(led_to: str) -> None:
    shown = asked().model_copy(update={"resolved_requests": make_write_requests("a.txt")})
    driver, _ = taken_up(*CALLED, shown, approve(ID))
    driver.plan("c1")
    driver.decide("c1", "ask", led_to)

    assert driver.run_calls == (["c1"] if led_to == "a.txt" else [])
    again = ["/primary#1@2"] if led_to == "b.txt" else []
    assert [each.id for each in driver.get_effects(RequestApproval)] == again


def test_a_question_that_was_open_is_asked_for_where_its_paths_lead_now() -> None:
    driver, _ = taken_up(
        *CALLED, asked().model_copy(update={"resolved_requests": make_write_requests("a.txt")})
    )
    driver.plan("c1")
    driver.decide("c1", "ask", "b.txt")
    driver.send(approve(ID))
    driver.decide("c1", "ask", "b.txt")

    assert driver.run_calls == ["c1"]
    assert driver.get_effects(RequestApproval)[
        -1
    ].decision.resolved_requests == make_write_requests("b.txt")


def test_a_yes_runs_once_even_if_its_target_drifts_and_comes_back() -> None:
    driver, _ = taken_up(*CALLED, asked(), approve(ID))
    driver.plan("c1")
    driver.decide("c1", "ask")
    driver.send(ToolFailed(call_id="c1", reason="target_changed", detail="it moved"))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert [each.id for each in driver.get_effects(RequestApproval)] == ["/primary#1@2"]


def test_a_yes_is_bound_to_the_folder() -> None:
    elsewhere = asked().model_copy(update={"cwd": "/other"})
    driver, _ = taken_up(*CALLED, elsewhere, approve(ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_yes_is_denied_by_a_rule_of_today() -> None:
    driver, _ = taken_up(*CALLED, asked(), approve(ID))
    driver.plan("c1")
    driver.decide("c1", "deny")

    assert driver.run_calls == []


def test_what_a_rule_had_answered_is_judged_by_the_rules_of_today() -> None:
    driver, _ = taken_up(*CALLED, asked(), approve(ID).model_copy(update={"decided_by": "rule"}))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_no_is_denied_with_what_the_person_said() -> None:
    driver, _ = taken_up(*CALLED, asked(), deny(ID, "use b.txt"))

    assert driver.results == [("c1", "denied", "Denied by the user. The user said: use b.txt")]


def test_a_withdrawn_question_is_no_answer() -> None:
    driver, _ = taken_up(*CALLED, asked(), ApprovalWithdrawn(id=ID))

    assert driver.request_approval("c1") == "/primary#1@2"


def test_an_answer_that_was_overtaken_by_a_withdrawal_does_not_count() -> None:
    driver, _ = taken_up(*CALLED, asked(), approve(ID), ApprovalWithdrawn(id=ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_question_after_a_start_means_that_the_start_had_drifted() -> None:
    records = (*CALLED, asked(), approve(ID), began(), asked(version=2, approval="/primary#2@1"))
    driver, _ = taken_up(*records)
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.results == []
    assert [each.id for each in driver.get_effects(RequestApproval)] == ["/primary#2@1"]


def test_calls_of_a_reply_that_was_cut_off_are_closed_unrun() -> None:
    driver, _ = taken_up(
        BEGUN, replied(make_tool_use("c1"), make_tool_use("c2"), stop_reason="max_tokens"), ended()
    )

    assert driver.results == [("c2", "error", INCOMPLETE_CALL.format(reason="max_tokens"))]
    assert driver.last_effects == ()
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_a_reply_that_failed_its_turn_fails_it_still() -> None:
    driver, _ = taken_up(BEGUN, replied(make_tool_use("c1"), stop_reason="refusal"), ended())

    assert [type(each) for each in driver.events] == [TurnFailed]


def test_a_reply_that_announced_a_call_and_made_none_does_not_hang() -> None:
    driver, _ = taken_up(BEGUN, replied(TextBlock(text="so")))

    assert [type(each) for each in driver.events] == [TurnFailed]


def test_two_replies_that_look_the_same_are_told_apart_by_their_place() -> None:
    """Small servers begin to count their ids anew with each reply."""
    driver, _ = taken_up(*CALLED, ended(), replied(make_tool_use("c1")))

    assert driver.planned_calls == ["c1"]


def test_only_the_last_turn_can_be_open() -> None:
    """A turn whose end could not be written was told to have failed."""
    driver, effects = taken_up(*CALLED, TurnStarted(turn=2, prompt="else"))

    assert driver.state.turn_number == 2
    assert effects == (SendModelRequest(1),)


def test_usage_of_an_open_turn_counts_what_it_had_used() -> None:
    driver, _ = taken_up(*CALLED, ended(), replied(make_tool_use("c2")), ended("c2"))

    assert driver.state.usage == USAGE + USAGE
