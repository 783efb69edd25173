"""Restoring a session: what its last records mean for the open turn."""

import pytest

from actors.agents.turn.call_lifecycle import OUTCOME_UNKNOWN
from actors.agents.turn.effects import Effect, PlanCall, RequestApproval, SendModelRequest
from actors.agents.turn.model_replies import INCOMPLETE_CALL
from actors.agents.turn.self_messages import ToolFailed
from actors.agents.turn.turn_state import TurnStage
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

TURN_STARTED = TurnStarted(turn=1, prompt="do it")
APPROVAL_ID = "/primary#1@1"


def make_reply_completed(*content: ContentBlock, stop_reason: str = "tool_use") -> ReplyCompleted:
    return ReplyCompleted(
        turn=1, content=content, stop_reason=stop_reason, usage=USAGE, model="script"
    )


def make_request(
    call_id: str = "c1", version: int = 1, approval: str = APPROVAL_ID
) -> ApprovalRequest:
    plan = make_plan(call_id, version)
    return make_approval_request(
        RequestApproval(approval, call_id, plan, make_decision("q", "ask"))
    )


def make_tool_started(call_id: str = "c1") -> ToolStarted:
    return ToolStarted(turn=1, call_id=call_id, tool=WRITE_TOOL, title="t")


def make_tool_ended(call_id: str = "c1") -> ToolEnded:
    return ToolEnded(turn=1, call_id=call_id, tool=WRITE_TOOL, title="t", status="ok", text="fine")


def resume_from(*records: Record) -> tuple[TurnDriver, tuple[Effect, ...]]:
    """Open the session a second time and continue its turn."""
    driver = TurnDriver.resume(records, make_state(run=2))
    return driver, tuple(driver.effects)


WITH_CALL = (TURN_STARTED, make_reply_completed(make_tool_use("c1")))


def test_an_agent_without_records_starts_idle() -> None:
    driver, effects = resume_from()

    assert driver.state == make_state(run=2)
    assert effects == ()


@pytest.mark.parametrize(
    "end",
    [
        TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE),
        TurnInterrupted(turn=1),
        TurnFailed(turn=1, reason="stream_interrupted", detail=""),
    ],
)
def test_an_ended_turn_is_left_unchanged(end: Record) -> None:
    driver, effects = resume_from(TURN_STARTED, end)

    assert effects == ()
    assert (driver.state.turn.stage, driver.state.turn.number) == (TurnStage.IDLE, 1)


def test_a_prompt_without_a_reply_is_sent_again() -> None:
    _, effects = resume_from(TURN_STARTED)

    assert effects == (SendModelRequest(1),)


def test_a_reply_without_calls_ends_its_turn() -> None:
    driver, _ = resume_from(
        TURN_STARTED, make_reply_completed(TextBlock(text="done"), stop_reason="end_turn")
    )

    completed = TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE)
    assert driver.records == [completed]
    assert driver.events == [completed]


def test_a_call_without_records_is_planned_and_evaluated_again() -> None:
    driver, effects = resume_from(*WITH_CALL)

    assert effects == (PlanCall("c1"),)
    driver.allow("c1")
    assert driver.run_calls == ["c1"]


def test_a_started_changing_call_is_never_run_again() -> None:
    driver, effects = resume_from(
        *WITH_CALL, make_request(), approve(APPROVAL_ID), make_tool_started()
    )

    assert driver.results == [("c1", "unknown", OUTCOME_UNKNOWN)]
    assert driver.planned_calls == []
    assert effects[-1] == SendModelRequest(1)


def test_calls_after_a_started_one_continue() -> None:
    driver, _ = resume_from(
        TURN_STARTED,
        make_reply_completed(
            make_tool_use("c1"), make_tool_use("c2"), make_tool_use("c3", READ_TOOL)
        ),
        make_tool_started(),
    )

    assert driver.planned_calls == ["c2"]


def test_a_denied_call_is_not_planned_after_a_resume() -> None:
    records = (
        TURN_STARTED,
        make_reply_completed(make_tool_use("c1"), make_tool_use("c2", READ_TOOL)),
        make_request("c2"),
        deny(APPROVAL_ID),
        make_tool_started("c1"),
    )
    driver, _ = resume_from(*records)

    assert driver.planned_calls == []
    assert [(call_id, status) for call_id, status, _ in driver.results] == [
        ("c1", "unknown"),
        ("c2", "denied"),
    ]


def test_complete_results_are_sent_to_the_model() -> None:
    _, effects = resume_from(*WITH_CALL, make_tool_started(), make_tool_ended())

    assert effects == (SendModelRequest(1),)


def test_an_open_request_is_sent_again_with_its_id() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request())

    assert driver.request_approval("c1") == APPROVAL_ID
    driver.send(approve(APPROVAL_ID))
    driver.decide("c1", "ask")
    assert driver.run_calls == ["c1"]


def test_a_new_request_in_a_later_run_has_its_own_id() -> None:
    driver, _ = resume_from(*WITH_CALL)

    assert driver.request_approval("c1") == "/primary#1@2"


def test_an_approved_call_that_never_started_runs_once() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(), approve(APPROVAL_ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert driver.get_effects(RequestApproval) == []


def test_an_approval_of_another_plan_is_requested_again() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(version=1), approve(APPROVAL_ID))
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.run_calls == []
    assert [effect.id for effect in driver.get_effects(RequestApproval)] == ["/primary#1@2"]


@pytest.mark.parametrize("version", [1, 2])
def test_an_approval_of_a_patch_is_bound_to_its_diff(version: int) -> None:
    plan = make_plan("c1", has_patch=True)
    shown = make_approval_request(
        RequestApproval(APPROVAL_ID, "c1", plan, make_decision("q", "ask"))
    )
    driver, _ = resume_from(*WITH_CALL, shown, approve(APPROVAL_ID))
    driver.plan("c1", version, patched=True)
    driver.decide("c1", "ask")

    assert driver.run_calls == (["c1"] if version == 1 else [])


def test_an_approval_is_bound_to_its_targets_not_only_its_text() -> None:
    other_targets = (PermissionRequest(permission="write", target="other.txt"),)
    driver, _ = resume_from(
        *WITH_CALL,
        make_request().model_copy(update={"requests": other_targets}),
        approve(APPROVAL_ID),
    )
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


@pytest.mark.parametrize("resolved_path", ["a.txt", "b.txt"])
def test_an_approval_is_bound_to_the_resolved_paths(resolved_path: str) -> None:
    shown = make_request().model_copy(update={"resolved_requests": make_write_requests("a.txt")})
    driver, _ = resume_from(*WITH_CALL, shown, approve(APPROVAL_ID))
    driver.plan("c1")
    driver.decide("c1", "ask", resolved_path)

    assert driver.run_calls == (["c1"] if resolved_path == "a.txt" else [])
    new_request_ids = ["/primary#1@2"] if resolved_path == "b.txt" else []
    assert [effect.id for effect in driver.get_effects(RequestApproval)] == new_request_ids


def test_an_open_request_is_sent_again_with_current_paths() -> None:
    driver, _ = resume_from(
        *WITH_CALL,
        make_request().model_copy(update={"resolved_requests": make_write_requests("a.txt")}),
    )
    driver.plan("c1")
    driver.decide("c1", "ask", "b.txt")
    driver.send(approve(APPROVAL_ID))
    driver.decide("c1", "ask", "b.txt")

    assert driver.run_calls == ["c1"]
    assert driver.get_effects(RequestApproval)[
        -1
    ].decision.resolved_requests == make_write_requests("b.txt")


def test_an_approval_runs_once_even_if_its_target_changes_back() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(), approve(APPROVAL_ID))
    driver.plan("c1")
    driver.decide("c1", "ask")
    driver.send(ToolFailed(call_id="c1", reason="target_changed", detail="it moved"))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert [effect.id for effect in driver.get_effects(RequestApproval)] == ["/primary#1@2"]


def test_an_approval_is_bound_to_the_working_directory() -> None:
    request = make_request().model_copy(update={"cwd": "/other"})
    driver, _ = resume_from(*WITH_CALL, request, approve(APPROVAL_ID))
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_current_deny_rule_overrides_a_recorded_approval() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(), approve(APPROVAL_ID))
    driver.plan("c1")
    driver.decide("c1", "deny")

    assert driver.run_calls == []


def test_a_recorded_rule_decision_is_evaluated_by_current_rules() -> None:
    driver, _ = resume_from(
        *WITH_CALL, make_request(), approve(APPROVAL_ID).model_copy(update={"decided_by": "rule"})
    )
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_recorded_denial_keeps_the_users_feedback() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(), deny(APPROVAL_ID, "use b.txt"))

    assert driver.results == [("c1", "denied", "Denied by the user. The user said: use b.txt")]


def test_a_withdrawn_request_is_not_a_decision() -> None:
    driver, _ = resume_from(*WITH_CALL, make_request(), ApprovalWithdrawn(id=APPROVAL_ID))

    assert driver.request_approval("c1") == "/primary#1@2"


def test_a_decision_followed_by_a_withdrawal_is_ignored() -> None:
    driver, _ = resume_from(
        *WITH_CALL, make_request(), approve(APPROVAL_ID), ApprovalWithdrawn(id=APPROVAL_ID)
    )
    driver.plan("c1")
    driver.decide("c1", "ask")

    assert driver.run_calls == []


def test_a_request_after_a_start_means_its_target_had_changed() -> None:
    records = (
        *WITH_CALL,
        make_request(),
        approve(APPROVAL_ID),
        make_tool_started(),
        make_request(version=2, approval="/primary#2@1"),
    )
    driver, _ = resume_from(*records)
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.results == []
    assert [effect.id for effect in driver.get_effects(RequestApproval)] == ["/primary#2@1"]


def test_calls_of_a_truncated_reply_end_without_running() -> None:
    driver, _ = resume_from(
        TURN_STARTED,
        make_reply_completed(make_tool_use("c1"), make_tool_use("c2"), stop_reason="max_tokens"),
        make_tool_ended(),
    )

    assert driver.results == [("c2", "error", INCOMPLETE_CALL.format(reason="max_tokens"))]
    assert driver.last_effects == ()
    assert driver.get_effects(SendModelRequest) == [SendModelRequest(1)]


def test_a_reply_that_failed_its_turn_fails_it_after_a_resume() -> None:
    driver, _ = resume_from(
        TURN_STARTED,
        make_reply_completed(make_tool_use("c1"), stop_reason="refusal"),
        make_tool_ended(),
    )

    assert [type(event) for event in driver.events] == [TurnFailed]


def test_a_reply_that_announces_a_missing_call_does_not_hang() -> None:
    driver, _ = resume_from(TURN_STARTED, make_reply_completed(TextBlock(text="so")))

    assert [type(event) for event in driver.events] == [TurnFailed]


def test_identical_replies_are_distinguished_by_their_position() -> None:
    """Some servers number call ids from the start in each reply."""
    driver, _ = resume_from(
        *WITH_CALL, make_tool_ended(), make_reply_completed(make_tool_use("c1"))
    )

    assert driver.planned_calls == ["c1"]


def test_only_the_last_turn_can_be_open() -> None:
    """The user was already notified that the turn failed if its end could not be written."""
    driver, effects = resume_from(*WITH_CALL, TurnStarted(turn=2, prompt="else"))

    assert driver.state.turn.number == 2
    assert effects == (SendModelRequest(1),)


def test_usage_of_an_open_turn_is_counted() -> None:
    driver, _ = resume_from(
        *WITH_CALL,
        make_tool_ended(),
        make_reply_completed(make_tool_use("c2")),
        make_tool_ended("c2"),
    )

    assert driver.state.turn.usage == USAGE + USAGE
