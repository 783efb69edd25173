"""The turn step by step: each path that a person could tell from another."""

import pytest

from actors.agents.turn.agent_state import TurnStage
from actors.agents.turn.call_completion import MAX_DIFF_CHARS
from actors.agents.turn.call_lifecycle import (
    MAX_TARGET_CHANGES,
    PATH_CHANGED_NOTE,
    TARGET_CHANGED_NOTE,
)
from actors.agents.turn.effects import (
    Effect,
    PublishEvent,
    RequestApproval,
    RunCall,
    SendModelRequest,
    WriteRecord,
)
from actors.agents.turn.model_replies import INCOMPLETE_CALL, MAX_CALLS_PER_REPLY
from actors.agents.turn.self_messages import ModelFailed, ToolPlanned, ToolSucceeded
from messages.address import PRIMARY
from messages.approvals import ApprovalUnavailable
from messages.content import TextBlock, ToolUseBlock
from messages.tool_calls import ToolOutput
from messages.turns import (
    StartTurn,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from tests.actors.agents.turn.message_builders import (
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
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

STARTED = ToolStarted(turn=1, call_id="c1", tool="change", title="change c1.txt")


@pytest.fixture
def driver() -> TurnDriver:
    return TurnDriver()


def kinds(effects: tuple[Effect, ...]) -> list[type[Effect]]:
    return [type(each) for each in effects]


# The plain way.


def test_a_prompt_is_on_disk_before_the_model_is_asked(driver: TurnDriver) -> None:
    driver.hold_disk = True
    started = TurnStarted(turn=1, prompt="do it")

    assert driver.send(StartTurn(turn=1, text="do it")) == (
        WriteRecord(1, started),
        PublishEvent(started),
    )
    assert driver.sync() == (SendModelRequest(1),)


def test_a_reply_without_calls_ends_the_turn_once_its_end_is_on_disk(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.hold_disk = True
    driver.reply(TextBlock(text="done"))
    ended = TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USAGE)

    assert driver.records[-1] == ended
    assert ended not in driver.events
    assert driver.sync() == (PublishEvent(ended),)
    assert driver.state.stage is TurnStage.IDLE


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
    assert not any(isinstance(each, ToolStarted) for each in driver.records)


def test_the_model_goes_on_when_every_result_is_on_disk(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", READ_TOOL))
    driver.allow("c1")
    driver.allow("c2")
    driver.hold_disk = True

    driver.succeed("c2")
    assert SendModelRequest not in kinds(driver.sync())
    driver.succeed("c1")
    assert driver.sync() == (SendModelRequest(2),)


def test_usage_adds_up_over_a_turn_and_begins_anew_with_the_next(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")
    driver.reply(TextBlock(text="done"))
    driver.start_turn(TextBlock(text="done"))

    ends = [each for each in driver.events if isinstance(each, TurnCompleted)]
    assert [end.usage for end in ends] == [USAGE + USAGE, USAGE]


def test_reading_calls_run_side_by_side_and_a_changing_one_stands_alone(driver: TurnDriver) -> None:
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


# Replies that are no good.


@pytest.mark.parametrize(
    ("stop_reason", "reason"),
    [
        ("max_tokens", "max_tokens"),
        ("refusal", "refusal"),
        ("tool_use", "protocol"),
        ("pause_turn", "stop_reason"),
    ],
)
def test_a_reply_that_stopped_for_another_reason_fails_the_turn(
    driver: TurnDriver, stop_reason: str, reason: str
) -> None:
    driver.start_turn(TextBlock(text="so"), stop_reason=stop_reason)

    end = driver.events[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == reason


@pytest.mark.parametrize("stop_reason", ["max_tokens", "end_turn", "refusal", "stop_sequence"])
def test_calls_of_a_reply_that_did_not_end_for_them_never_run(
    driver: TurnDriver, stop_reason: str
) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2"), stop_reason=stop_reason)

    text = INCOMPLETE_CALL.format(reason=stop_reason)
    assert driver.results == [("c1", "error", text), ("c2", "error", text)]
    assert driver.planned_calls == []


@pytest.mark.parametrize(
    "uses",
    [
        (make_tool_use("c1"), make_tool_use("c1")),
        tuple(make_tool_use(f"c{number}") for number in range(MAX_CALLS_PER_REPLY + 1)),
    ],
    ids=["one id twice", "too many"],
)
def test_calls_that_no_turn_can_carry_out_fail_it_and_leave_no_reply(
    driver: TurnDriver, uses: tuple[ToolUseBlock, ...]
) -> None:
    driver.start_turn(*uses)

    assert isinstance(driver.events[-1], TurnFailed)
    assert [type(each) for each in driver.records] == [TurnStarted, TurnFailed]


def test_a_fault_of_the_model_keeps_what_had_arrived(driver: TurnDriver) -> None:
    driver.send(StartTurn(turn=1, text="do it"))
    driver.send(ModelFailed(request_number=1, reason="cut_off", detail="gone", partial_text="I wi"))

    end = TurnFailed(turn=1, reason="cut_off", detail="gone", partial_text="I wi")
    assert driver.events[-1] == end


def test_a_reply_to_an_earlier_request_is_late(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL))
    driver.allow("c1")
    driver.succeed("c1")

    assert driver.send(make_reply(1, make_tool_use("c9"))) == ()


# Judged and asked.


def test_a_denied_call_never_runs_and_says_which_rule(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.plan("c1")
    driver.decide("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]
    assert driver.run_calls == []


def test_a_question_carries_an_id_that_is_minted_once(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1", READ_TOOL), make_tool_use("c2", READ_TOOL))

    assert driver.request_approval("c1") == "/primary#1@1"
    assert driver.request_approval("c2") == "/primary#2@1"


def test_a_yes_is_judged_again_before_it_runs(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    asked = driver.request_approval("c1")

    driver.send(approve(asked))
    assert driver.run_calls == []
    driver.decide("c1", "ask")
    assert driver.run_calls == ["c1"]


def test_a_yes_does_not_lift_what_is_denied_by_now(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]


def test_a_yes_holds_while_every_path_leads_where_it_led(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1", "a.txt", "b.txt")))
    driver.decide("c1", "ask", "a.txt", "b.txt")

    assert driver.run_calls == ["c1"]


@pytest.mark.parametrize("led_to", [(), ("a.txt",), ("a.txt", "c.txt"), ("b.txt", "a.txt")])
def test_a_yes_to_what_leads_elsewhere_by_now_is_asked_anew(
    driver: TurnDriver, led_to: tuple[str, ...]
) -> None:
    driver.start_turn(make_tool_use("c1"))
    asked = driver.request_approval("c1", "a.txt", "b.txt")
    driver.send(approve(asked))
    driver.decide("c1", "ask", *led_to)

    assert driver.run_calls == []
    again = driver.get_effects(RequestApproval)[-1]
    assert (again.id, again.decision.resolved_requests) == (
        "/primary#2@1",
        make_write_requests(*led_to),
    )
    assert again.decision.reason == f"a rule; {PATH_CHANGED_NOTE}"
    driver.send(approve(asked))
    assert driver.run_calls == []
    driver.send(approve(again.id))
    driver.decide("c1", "ask", *led_to)
    assert driver.run_calls == ["c1"]


def test_what_leads_elsewhere_by_now_runs_where_a_rule_allows_it(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1", "a.txt")))
    driver.decide("c1", "allow", "b.txt")

    assert driver.run_calls == ["c1"]


def test_what_a_rule_answered_is_asked_anew_should_the_rule_be_gone(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    asked = driver.request_approval("c1")
    driver.send(approve(asked).model_copy(update={"decided_by": "rule"}))
    driver.decide("c1", "ask")

    assert driver.run_calls == []
    assert [each.id for each in driver.get_effects(RequestApproval)] == [asked, "/primary#2@1"]


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        ("", "Denied by the user."),
        ("use b.txt", "Denied by the user. The user said: use b.txt"),
    ],
)
def test_a_no_is_the_calls_result_and_the_turn_goes_on(
    driver: TurnDriver, feedback: str, text: str
) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(deny(driver.request_approval("c1"), feedback))

    assert driver.results == [("c1", "denied", text)]
    assert driver.last_effects[-1] == SendModelRequest(2)


def test_a_question_that_nobody_could_answer_says_so(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    asked = driver.request_approval("c1")
    driver.send(ApprovalUnavailable(id=asked, agent=PRIMARY, reason="nobody can be asked here"))

    text = "Denied: a rule; it needs the user's approval, but nobody can be asked here."
    assert driver.results == [("c1", "denied", text)]


def test_answers_to_other_questions_change_nothing(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    asked = driver.request_approval("c1")

    assert driver.send(approve("/primary#7@1")) == ()
    driver.send(deny(asked))
    assert driver.send(approve(asked)) == ()


def test_a_verdict_counts_for_the_plan_that_it_is_about_only(driver: TurnDriver) -> None:
    """A target that drifted is judged anew; a second copy of the first verdict must not decide."""
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(make_tool_failed("c1", "target_changed"))
    driver.plan("c1", version=2)

    assert driver.send(make_decision("c1/1", "allow")) == ()
    assert driver.run_calls == ["c1"]
    driver.decide("c1", "deny")
    assert driver.results == [("c1", "denied", "Denied: a rule.")]


# Ends of a call.


@pytest.mark.parametrize(
    ("reason", "text"),
    [("rejected", "why"), ("crashed", "The tool failed because of a bug in Greenroom: why")],
)
def test_a_call_that_cannot_be_planned_or_run_is_an_error_to_read(reason: str, text: str) -> None:
    for go_as_far_as in ("planning", "running"):
        driver = TurnDriver()
        driver.start_turn(make_tool_use("c1"))
        if go_as_far_as == "running":
            driver.allow("c1")
        driver.send(make_tool_failed("c1", reason))
        assert driver.results == [("c1", "error", text)]


def test_a_result_that_is_a_failure_of_its_own_is_an_error(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.allow("c1")
    driver.send(ToolSucceeded(call_id="c1", output=ToolOutput(text="exit status 1", is_error=True)))

    assert driver.results == [("c1", "error", "exit status 1")]


def test_a_result_names_what_it_was_about(driver: TurnDriver) -> None:
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


def test_a_change_of_a_file_is_told_as_a_diff_when_it_was_made(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"), make_tool_use("c2"))
    for call_id in ("c1", "c2"):
        driver.plan(call_id, patched=True)
        driver.decide(call_id, "allow")
        driver.send(make_tool_failed("c2", "rejected")) if call_id == "c2" else driver.succeed("c1")

    told = [(each.status, each.diff) for each in ended(driver)]
    assert told == [("ok", "+version 1"), ("error", "")]


def test_a_long_diff_is_cut_at_a_line_and_says_so(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    plan = make_plan("c1", has_patch=True)
    lines = "".join(f"+line {number:04}\n" for number in range(2_000))
    patch = plan.patch.model_copy(update={"diff": lines}) if plan.patch else None
    driver.send(ToolPlanned(call_id="c1", plan=plan.model_copy(update={"patch": patch})))
    driver.decide("c1", "allow")
    driver.succeed("c1")

    *shown, last = ended(driver)[0].diff.splitlines()
    assert shown == lines.splitlines()[: len(shown)]
    assert (len(shown) * len("+line 0000\n") <= MAX_DIFF_CHARS, len(shown) > 1_500) == (True, True)
    assert last == f"… +{2_000 - len(shown)} lines"


def ended(driver: TurnDriver) -> list[ToolEnded]:
    return [each for each in driver.records if isinstance(each, ToolEnded)]


def test_a_target_that_drifted_is_planned_and_asked_anew(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "ask")
    driver.send(make_tool_failed("c1", "target_changed"))
    driver.plan("c1", version=2)
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    shown = [(each.id, each.plan) for each in driver.get_effects(RequestApproval)]
    assert shown == [
        ("/primary#1@1", make_plan("c1", 1)),
        ("/primary#2@1", make_plan("c1", 2)),
    ]
    reasons = [each.decision.reason for each in driver.get_effects(RequestApproval)]
    assert reasons == ["a rule", f"a rule; {TARGET_CHANGED_NOTE}"]


def test_a_target_that_drifts_for_ever_ends_as_an_error(driver: TurnDriver) -> None:
    driver.start_turn(make_tool_use("c1"))
    for _ in range(MAX_TARGET_CHANGES + 1):
        assert driver.results == []
        driver.allow("c1")
        driver.send(make_tool_failed("c1", "target_changed"))

    assert [status for _, status, _ in driver.results] == ["error"]
