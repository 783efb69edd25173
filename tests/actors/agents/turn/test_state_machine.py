"""The turn's state machine, step by step."""

import pytest

from actors.agents.turn.call_completion import MAX_DIFF_CHARS
from actors.agents.turn.call_lifecycle import (
    MAX_TARGET_CHANGES,
    PATH_CHANGED_NOTE,
    TARGET_CHANGED_NOTE,
)
from actors.agents.turn.effects import (
    PublishEvent,
    RequestApproval,
    RunCall,
    SendModelRequest,
    WriteRecord,
)
from actors.agents.turn.model_replies import (
    INCOMPLETE_CALL,
    MAX_CALLS_PER_REPLY,
    TOO_MANY_CALLS,
)
from actors.agents.turn.self_messages import ModelFailed, ToolPlanned, ToolSucceeded
from actors.agents.turn.turn_state import TurnStage
from messages.address import PRIMARY
from messages.approvals import ApprovalUnavailable
from messages.content import TextBlock
from messages.policy import Action
from messages.tool_calls import ToolOutput
from messages.turns import (
    RequestInfo,
    StartTurn,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import (
    COMMAND_TOOL,
    READ_TOOL,
    USAGE,
    approve,
    deny,
    make_decision,
    make_plan,
    make_reply,
    make_tool_failed,
    make_tool_use,
    make_write_requests,
)
from tests.actors.agents.turn.turn_driver import TurnDriver, list_types

pytestmark = pytest.mark.quick

STARTED = ToolStarted(turn=1, call_id="c1", tool="change", title="change c1.txt")


# The normal course of a turn


def test_a_prompt_is_on_disk_before_the_model_request(driver: TurnDriver) -> None:
    driver.hold_disk = True
    started = TurnStarted(turn=1, prompt="do it")

    assert driver.send(StartTurn(turn=1, text="do it")) == (
        WriteRecord(1, started),
        PublishEvent(started),
    )
    assert driver.sync() == (SendModelRequest(1),)


def test_the_end_of_a_turn_is_reported_once_on_disk(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.hold_disk = True
    driver.reply(TextBlock(text="done"))
    completed = TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE)

    assert driver.records[-1] == completed
    assert completed not in driver.events
    assert driver.sync() == (PublishEvent(completed),)
    assert driver.state.turn.stage is TurnStage.IDLE


def test_a_changing_call_runs_once_its_start_is_on_disk(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    plan = driver.plan("c1")
    driver.hold_disk = True

    assert driver.decide("c1", "allow") == (WriteRecord(3, STARTED),)
    assert driver.sync() == (PublishEvent(STARTED), RunCall("c1", plan))


def test_a_reading_call_runs_without_a_record(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    plan = driver.plan("c1")

    assert driver.decide("c1", "allow")[-1] == RunCall("c1", plan)
    assert not any(isinstance(record, ToolStarted) for record in driver.records)


def test_the_model_continues_once_every_result_is_on_disk(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", READ_TOOL))
    driver.allow("c1")
    driver.allow("c2")
    driver.hold_disk = True

    driver.succeed("c2")
    assert SendModelRequest not in list_types(driver.sync())
    driver.succeed("c1")
    assert driver.sync() == (SendModelRequest(2),)


def test_usage_adds_up_within_a_turn_only(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.reply(TextBlock(text="done"))
    driver.start_turn(TextBlock(text="done"))

    ends = [event for event in driver.events if isinstance(event, TurnCompleted)]
    assert [end.usage for end in ends] == [USAGE + USAGE, USAGE]


def test_reads_run_in_parallel_and_changes_run_alone(driver: TurnDriver) -> None:
    driver.start_turn(
        make_tool_use("a", READ_TOOL),
        make_tool_use("b", READ_TOOL),
        make_tool_use("c"),
        make_tool_use("d", READ_TOOL),
        make_tool_use("e", READ_TOOL),
    )

    assert driver.planned_calls == ["a", "b"]
    driver.allow("b")
    driver.succeed("b")
    driver.allow("a")
    assert driver.planned_calls == ["a", "b"]
    driver.succeed("a")
    assert driver.planned_calls == ["a", "b", "c"]
    driver.allow("c")
    driver.succeed("c")
    assert driver.planned_calls == ["a", "b", "c", "d", "e"]


def test_commands_that_only_read_run_in_parallel(driver: TurnDriver) -> None:
    commands = [make_tool_use(call_id, COMMAND_TOOL) for call_id in ("a", "b", "c")]
    driver.start_turn(*commands, make_tool_use("d", READ_TOOL), make_tool_use("e"))

    for call_id in ("a", "b", "c"):
        assert driver.planned_calls[-1] == call_id
        driver.plan(call_id)
        driver.decide(call_id, "allow", changes_nothing=True)
    driver.allow("d")
    assert driver.run_calls == ["a", "b", "c", "d"]
    started = [record.call_id for record in driver.records if isinstance(record, ToolStarted)]
    assert started == ["a", "b", "c"]
    for call_id in ("d", "c", "b", "a"):
        assert driver.planned_calls[-1] == "d"
        driver.succeed(call_id)
    assert driver.planned_calls[-1] == "e"


@pytest.mark.parametrize(
    ("action", "changes_nothing"), [("allow", False), ("ask", True), ("deny", True)]
)
def test_any_other_command_waits_and_is_evaluated_again(
    driver: TurnDriver, action: Action, *, changes_nothing: bool
) -> None:
    driver.start_turn(
        make_tool_use("a", READ_TOOL),
        make_tool_use("b", COMMAND_TOOL),
        make_tool_use("c", READ_TOOL),
    )
    driver.allow("a")
    driver.plan("b")
    driver.decide("b", action, changes_nothing=changes_nothing)

    assert driver.planned_calls == ["a", "b"]
    assert driver.run_calls == ["a"]
    assert not driver.get_effects(RequestApproval)
    driver.succeed("a")
    assert driver.planned_calls == ["a", "b", "b"]
    driver.allow("b")
    assert driver.planned_calls == ["a", "b", "b"]
    driver.succeed("b")
    assert driver.planned_calls == ["a", "b", "b", "c"]


def test_a_changed_command_waits_for_later_calls_too(driver: TurnDriver) -> None:
    """What it runs now may change something, and a later call is already running."""
    driver.start_turn(make_tool_use("a", COMMAND_TOOL), make_tool_use("b", READ_TOOL))
    driver.plan("a")
    driver.decide("a", "allow", changes_nothing=True)
    driver.allow("b")
    driver.send(make_tool_failed("a", "target_changed"))
    driver.allow("a")
    assert driver.run_calls == ["a", "b"]
    driver.succeed("b")
    driver.allow("a")
    assert driver.run_calls == ["a", "b", "a"]


# Invalid replies


@pytest.mark.parametrize(
    ("stop_reason", "reason"),
    [
        ("max_tokens", "max_tokens"),
        ("refusal", "refusal"),
        ("tool_use", "protocol_error"),
        ("pause_turn", "unexpected_stop_reason"),
    ],
)
def test_an_unexpected_stop_reason_fails_the_turn(
    driver: TurnDriver, stop_reason: str, reason: str
) -> None:
    driver.start_turn(TextBlock(text="so"), stop_reason=stop_reason)

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == reason


@pytest.mark.parametrize("stop_reason", ["max_tokens", "end_turn", "refusal", "stop_sequence"])
def test_calls_of_an_incomplete_reply_never_run(driver: TurnDriver, stop_reason: str) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2"), stop_reason=stop_reason)

    text = INCOMPLETE_CALL.format(reason=stop_reason)
    assert driver.results == [("c1", "error", text), ("c2", "error", text)]
    assert driver.planned_calls == []


def test_two_too_long_replies_are_rejected_and_a_third_ends_the_turn(driver: TurnDriver) -> None:
    tool_uses = tuple(make_tool_use(f"c{number}") for number in range(MAX_CALLS_PER_REPLY + 1))
    text = TOO_MANY_CALLS.format(count=len(tool_uses), limit=MAX_CALLS_PER_REPLY)
    driver.start_turn(*tool_uses)

    assert driver.results == [(tool_use.id, "error", text) for tool_use in tool_uses]
    assert driver.planned_calls == []
    assert len(driver.get_effects(SendModelRequest)) == 2

    driver.reply(*tool_uses)
    assert len(driver.get_effects(SendModelRequest)) == 3
    driver.reply(*tool_uses)
    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == "protocol_error"


def test_calls_with_one_id_fail_the_turn_without_a_reply(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"), make_tool_use("c1"))

    assert isinstance(driver.events[-1], TurnFailed)
    assert [type(record) for record in driver.records] == [TurnStarted, TurnFailed]


def test_a_model_failure_keeps_the_partial_text(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(
        ModelFailed(
            request=RequestInfo(number=1),
            reason="stream_interrupted",
            detail="gone",
            partial_text="I wi",
        )
    )

    end = TurnFailed(
        turn=1,
        reason="stream_interrupted",
        detail="gone",
        partial_text="I wi",
        request=RequestInfo(number=1),
    )
    assert driver.events[-1] == end


def test_a_reply_to_an_earlier_request_is_ignored(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.send(make_reply(1, make_tool_use("c9"))) == ()


# Evaluation and approval


def test_a_denied_call_never_runs_and_names_the_rule(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.plan("c1")
    driver.decide("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]
    assert driver.run_calls == []


def test_each_approval_request_has_a_unique_id(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", READ_TOOL))

    assert driver.request_approval("c1") == "/primary#1@1"
    assert driver.request_approval("c2") == "/primary#2@1"


def test_an_approved_call_is_evaluated_again_before_it_runs(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1")

    driver.send(approve(approval_id))
    assert driver.run_calls == []
    driver.decide("c1", "ask")
    assert driver.run_calls == ["c1"]


def test_an_approval_does_not_override_a_later_deny(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]


def test_an_approval_is_valid_while_its_paths_resolve_the_same(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1", "a.txt", "b.txt")))
    driver.decide("c1", "ask", "a.txt", "b.txt")

    assert driver.run_calls == ["c1"]


@pytest.mark.parametrize("resolved_paths", [(), ("a.txt",), ("a.txt", "c.txt"), ("b.txt", "a.txt")])
def test_a_changed_path_resolution_is_asked_again(
    driver: TurnDriver, resolved_paths: tuple[str, ...]
) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1", "a.txt", "b.txt")
    driver.send(approve(approval_id))
    driver.decide("c1", "ask", *resolved_paths)

    assert driver.run_calls == []
    second = driver.get_effects(RequestApproval)[-1]
    assert (second.id, second.decision.resolved_requests) == (
        "/primary#2@1",
        make_write_requests(*resolved_paths),
    )
    assert second.decision.reason == f"a rule; {PATH_CHANGED_NOTE}"
    driver.send(approve(approval_id))
    assert driver.run_calls == []
    driver.send(approve(second.id))
    driver.decide("c1", "ask", *resolved_paths)
    assert driver.run_calls == ["c1"]


def test_a_changed_path_runs_where_a_rule_allows_it(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1", "a.txt")))
    driver.decide("c1", "allow", "b.txt")

    assert driver.run_calls == ["c1"]


def test_a_decision_by_a_removed_rule_is_asked_again(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1")
    driver.send(approve(approval_id).model_copy(update={"decided_by": "rule"}))
    driver.decide("c1", "ask")

    assert driver.run_calls == []
    assert [effect.id for effect in driver.get_effects(RequestApproval)] == [
        approval_id,
        "/primary#2@1",
    ]


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        ("", "Denied by the user."),
        ("use b.txt", "Denied by the user. The user said: use b.txt"),
    ],
)
def test_a_denial_is_the_result_and_the_turn_continues(
    driver: TurnDriver, feedback: str, text: str
) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(deny(driver.request_approval("c1"), feedback))

    assert driver.results == [("c1", "denied", text)]
    assert driver.last_effects[-1] == SendModelRequest(2)


def test_an_unavailable_approval_says_why(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1")
    driver.send(
        ApprovalUnavailable(id=approval_id, agent=PRIMARY, reason="there is no user to ask")
    )

    text = "Denied: a rule; it needs the user's approval, but there is no user to ask."
    assert driver.results == [("c1", "denied", text)]


def test_decisions_for_other_requests_change_nothing(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    approval_id = driver.request_approval("c1")

    assert driver.send(approve("/primary#7@1")) == ()
    driver.send(deny(approval_id))
    assert driver.send(approve(approval_id)) == ()


def test_a_permission_decision_applies_only_to_its_plan(driver: TurnDriver) -> None:
    """A changed target is evaluated again; a copy of the first decision must not apply."""
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(make_tool_failed("c1", "target_changed"))
    driver.plan("c1", version=2)

    assert driver.send(make_decision("c1/1", "allow")) == ()
    assert driver.run_calls == ["c1"]
    driver.decide("c1", "deny")
    assert driver.results == [("c1", "denied", "Denied: a rule.")]


# Results of calls


@pytest.mark.parametrize(
    ("reason", "text"),
    [("rejected", "why"), ("crashed", "The tool failed because of a bug in Greenroom: why")],
)
def test_a_tool_failure_is_an_error_for_the_model(reason: str, text: str) -> None:
    for stage in ("planning", "running"):
        driver = TurnDriver()
        driver.start_turn(make_tool_use("c1"))
        if stage == "running":
            driver.allow("c1")
        driver.send(make_tool_failed("c1", reason))
        assert driver.results == [("c1", "error", text)]


def test_an_error_output_is_an_error_result(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="exit status 1", is_error=True)))

    assert driver.results == [("c1", "error", "exit status 1")]


def test_a_result_names_its_call_and_target(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.records[-1] == ToolEnded(
        turn=1,
        call_id="c1",
        tool="change",
        title="change c1.txt",
        target="c1.txt",
        status="ok",
        text="fine",
    )


def test_a_successful_file_change_includes_its_diff(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"), make_tool_use("c2"))
    driver.plan("c1", patched=True)
    driver.decide("c1", "allow")
    driver.succeed("c1")
    driver.plan("c2", patched=True)
    driver.decide("c2", "allow")
    driver.send(make_tool_failed("c2", "rejected"))

    diffs = [(record.status, record.diff) for record in list_results(driver)]
    assert diffs == [("ok", "+version 1"), ("error", "")]


def test_a_long_diff_is_truncated_at_a_line_end(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    plan = make_plan("c1", has_patch=True)
    lines = "".join(f"+line {number:04}\n" for number in range(2_000))
    patch = plan.patch.model_copy(update={"diff": lines}) if plan.patch else None
    driver.send(ToolPlanned(call_id="c1", plan=plan.model_copy(update={"patch": patch})))
    driver.decide("c1", "allow")
    driver.succeed("c1")

    *shown, note = list_results(driver)[0].diff.splitlines()
    assert shown == lines.splitlines()[: len(shown)]
    assert len(shown) * len("+line 0000\n") <= MAX_DIFF_CHARS
    assert len(shown) > 1_500
    assert note == f"… +{2_000 - len(shown)} lines"


def list_results(driver: TurnDriver) -> list[ToolEnded]:
    return [record for record in driver.records if isinstance(record, ToolEnded)]


def test_a_changed_target_is_planned_and_asked_again(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "ask")
    driver.send(make_tool_failed("c1", "target_changed"))
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    requests = [(effect.id, effect.plan) for effect in driver.get_effects(RequestApproval)]
    assert requests == [
        ("/primary#1@1", make_plan("c1", 1)),
        ("/primary#2@1", make_plan("c1", 2)),
    ]
    reasons = [effect.decision.reason for effect in driver.get_effects(RequestApproval)]
    assert reasons == ["a rule", f"a rule; {TARGET_CHANGED_NOTE}"]


def test_a_target_that_keeps_changing_ends_as_an_error(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    for _ in range(MAX_TARGET_CHANGES + 1):
        assert driver.results == []
        driver.allow("c1")
        driver.send(make_tool_failed("c1", "target_changed"))

    assert [status for _, status, _ in driver.results] == ["error"]
