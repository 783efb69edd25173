"""The turn step by step: each path that a person could tell from another."""

import pytest

from actors.agents.calls import CHANGED_SINCE, LED_ELSEWHERE, MAX_DRIFTS
from actors.agents.effects import (
    Effect,
    PublishEvent,
    RequestApproval,
    RunCall,
    SendModelRequest,
    WriteRecord,
)
from actors.agents.replies import CUT_OFF, MAX_CALLS
from actors.agents.settling import MOST_DIFF_CHARS
from actors.agents.state import TurnStage
from messages.address import PRIMARY
from messages.approvals import ApprovalUnavailable
from messages.content import TextBlock, ToolUseBlock
from messages.models import ModelFailed
from messages.tools import ToolOutput, ToolPlanned, ToolSucceeded
from messages.turns import (
    StartTurn,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from tests.actors.agents.driver import Driver
from tests.actors.agents.scripts import (
    LOOK,
    USED,
    failed,
    no,
    parts,
    plan_for,
    reply,
    use,
    verdict,
    yes,
)

pytestmark = pytest.mark.quick

STARTED = ToolStarted(turn=1, call_id="c1", tool="change", title="change c1.txt")


@pytest.fixture
def driver() -> Driver:
    return Driver()


def kinds(effects: tuple[Effect, ...]) -> list[type[Effect]]:
    return [type(each) for each in effects]


# The plain way.


def test_a_prompt_is_on_disk_before_the_model_is_asked(driver: Driver) -> None:
    driver.hold = True
    started = TurnStarted(turn=1, prompt="do it")

    assert driver.tell(StartTurn(turn=1, text="do it")) == (
        WriteRecord(1, started),
        PublishEvent(started),
    )
    assert driver.sync() == (SendModelRequest(1),)


def test_a_reply_without_calls_ends_the_turn_once_its_end_is_on_disk(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.hold = True
    driver.replied(TextBlock(text="done"))
    ended = TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=USED)

    assert driver.records[-1] == ended
    assert ended not in driver.reports
    assert driver.sync() == (PublishEvent(ended),)
    assert driver.turn.stage is TurnStage.IDLE


def test_a_changing_call_runs_once_its_start_is_on_disk(driver: Driver) -> None:
    driver.prompted(use("c1"))
    plan = driver.planned("c1")
    driver.hold = True

    assert driver.judged("c1", "allow") == (WriteRecord(3, STARTED),)
    assert driver.sync() == (PublishEvent(STARTED), RunCall("c1", plan))


def test_a_reading_call_runs_without_a_record(driver: Driver) -> None:
    driver.prompted(use("c1", LOOK))
    plan = driver.planned("c1")

    assert driver.judged("c1", "allow")[-1] == RunCall("c1", plan)
    assert not any(isinstance(each, ToolStarted) for each in driver.records)


def test_the_model_goes_on_when_every_result_is_on_disk(driver: Driver) -> None:
    driver.prompted(use("c1", LOOK), use("c2", LOOK))
    driver.allowed("c1")
    driver.allowed("c2")
    driver.hold = True

    driver.done("c2")
    assert SendModelRequest not in kinds(driver.sync())
    driver.done("c1")
    assert driver.sync() == (SendModelRequest(2),)


def test_usage_adds_up_over_a_turn_and_begins_anew_with_the_next(driver: Driver) -> None:
    driver.prompted(use("c1", LOOK))
    driver.allowed("c1")
    driver.done("c1")
    driver.replied(TextBlock(text="done"))
    driver.prompted(TextBlock(text="done"))

    ends = [each for each in driver.reports if isinstance(each, TurnCompleted)]
    assert [end.usage for end in ends] == [USED + USED, USED]


def test_reading_calls_run_side_by_side_and_a_changing_one_stands_alone(driver: Driver) -> None:
    driver.prompted(use("a", LOOK), use("b", LOOK), use("c"), use("d", LOOK), use("e", LOOK))

    assert driver.planning == ["a", "b"]
    driver.allowed("b")
    driver.done("b")
    driver.allowed("a")
    assert driver.planning == ["a", "b"]
    driver.done("a")
    assert driver.planning == ["a", "b", "c"]
    driver.allowed("c")
    driver.done("c")
    assert driver.planning == ["a", "b", "c", "d", "e"]


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
    driver: Driver, stop_reason: str, reason: str
) -> None:
    driver.prompted(TextBlock(text="so"), stop_reason=stop_reason)

    end = driver.reports[-1]
    assert isinstance(end, TurnFailed)
    assert end.reason == reason


@pytest.mark.parametrize("stop_reason", ["max_tokens", "end_turn", "refusal", "stop_sequence"])
def test_calls_of_a_reply_that_did_not_end_for_them_never_run(
    driver: Driver, stop_reason: str
) -> None:
    driver.prompted(use("c1", LOOK), use("c2"), stop_reason=stop_reason)

    text = CUT_OFF.format(reason=stop_reason)
    assert driver.results == [("c1", "error", text), ("c2", "error", text)]
    assert driver.planning == []


@pytest.mark.parametrize(
    "uses",
    [(use("c1"), use("c1")), tuple(use(f"c{number}") for number in range(MAX_CALLS + 1))],
    ids=["one id twice", "too many"],
)
def test_calls_that_no_turn_can_carry_out_fail_it_and_leave_no_reply(
    driver: Driver, uses: tuple[ToolUseBlock, ...]
) -> None:
    driver.prompted(*uses)

    assert isinstance(driver.reports[-1], TurnFailed)
    assert [type(each) for each in driver.records] == [TurnStarted, TurnFailed]


def test_a_fault_of_the_model_keeps_what_had_arrived(driver: Driver) -> None:
    driver.tell(StartTurn(turn=1, text="do it"))
    driver.tell(ModelFailed(request=1, reason="cut_off", detail="gone", partial="I wi"))

    end = TurnFailed(turn=1, reason="cut_off", detail="gone", partial="I wi")
    assert driver.reports[-1] == end


def test_a_reply_to_an_earlier_request_is_late(driver: Driver) -> None:
    driver.prompted(use("c1", LOOK))
    driver.allowed("c1")
    driver.done("c1")

    assert driver.tell(reply(1, use("c9"))) == ()


# Judged and asked.


def test_a_denied_call_never_runs_and_says_which_rule(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.planned("c1")
    driver.judged("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]
    assert driver.ran == []


def test_a_question_carries_an_id_that_is_minted_once(driver: Driver) -> None:
    driver.prompted(use("c1", LOOK), use("c2", LOOK))

    assert driver.asked("c1") == "/primary#1@1"
    assert driver.asked("c2") == "/primary#2@1"


def test_a_yes_is_judged_again_before_it_runs(driver: Driver) -> None:
    driver.prompted(use("c1"))
    asked = driver.asked("c1")

    driver.tell(yes(asked))
    assert driver.ran == []
    driver.judged("c1", "ask")
    assert driver.ran == ["c1"]


def test_a_yes_does_not_lift_what_is_denied_by_now(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.tell(yes(driver.asked("c1")))
    driver.judged("c1", "deny")

    assert driver.results == [("c1", "denied", "Denied: a rule.")]


def test_a_yes_holds_while_every_path_leads_where_it_led(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.tell(yes(driver.asked("c1", "a.txt", "b.txt")))
    driver.judged("c1", "ask", "a.txt", "b.txt")

    assert driver.ran == ["c1"]


@pytest.mark.parametrize("led_to", [(), ("a.txt",), ("a.txt", "c.txt"), ("b.txt", "a.txt")])
def test_a_yes_to_what_leads_elsewhere_by_now_is_asked_anew(
    driver: Driver, led_to: tuple[str, ...]
) -> None:
    driver.prompted(use("c1"))
    asked = driver.asked("c1", "a.txt", "b.txt")
    driver.tell(yes(asked))
    driver.judged("c1", "ask", *led_to)

    assert driver.ran == []
    again = driver.of(RequestApproval)[-1]
    assert (again.id, again.decision.resolved_requests) == ("/primary#2@1", parts(*led_to))
    assert again.decision.reason == f"a rule; {LED_ELSEWHERE}"
    driver.tell(yes(asked))
    assert driver.ran == []
    driver.tell(yes(again.id))
    driver.judged("c1", "ask", *led_to)
    assert driver.ran == ["c1"]


def test_what_leads_elsewhere_by_now_runs_where_a_rule_allows_it(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.tell(yes(driver.asked("c1", "a.txt")))
    driver.judged("c1", "allow", "b.txt")

    assert driver.ran == ["c1"]


def test_what_a_rule_answered_is_asked_anew_should_the_rule_be_gone(driver: Driver) -> None:
    driver.prompted(use("c1"))
    asked = driver.asked("c1")
    driver.tell(yes(asked).model_copy(update={"decided_by": "rule"}))
    driver.judged("c1", "ask")

    assert driver.ran == []
    assert [each.id for each in driver.of(RequestApproval)] == [asked, "/primary#2@1"]


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        ("", "Denied by the user."),
        ("use b.txt", "Denied by the user. They said: use b.txt"),
    ],
)
def test_a_no_is_the_calls_result_and_the_turn_goes_on(
    driver: Driver, feedback: str, text: str
) -> None:
    driver.prompted(use("c1"))
    driver.tell(no(driver.asked("c1"), feedback))

    assert driver.results == [("c1", "denied", text)]
    assert driver.last[-1] == SendModelRequest(2)


def test_a_question_that_nobody_could_answer_says_so(driver: Driver) -> None:
    driver.prompted(use("c1"))
    asked = driver.asked("c1")
    driver.tell(ApprovalUnavailable(id=asked, agent=PRIMARY, reason="nobody can be asked here"))

    text = "Denied: a rule; it needs a person's approval, and nobody can be asked here."
    assert driver.results == [("c1", "denied", text)]


def test_answers_to_other_questions_change_nothing(driver: Driver) -> None:
    driver.prompted(use("c1"))
    asked = driver.asked("c1")

    assert driver.tell(yes("/primary#7@1")) == ()
    driver.tell(no(asked))
    assert driver.tell(yes(asked)) == ()


def test_a_verdict_counts_for_the_plan_that_it_is_about_only(driver: Driver) -> None:
    """A target that drifted is judged anew; a second copy of the first verdict must not decide."""
    driver.prompted(use("c1"))
    driver.allowed("c1")
    driver.tell(failed("c1", "target_changed"))
    driver.planned("c1", version=2)

    assert driver.tell(verdict("c1/1", "allow")) == ()
    assert driver.ran == ["c1"]
    driver.judged("c1", "deny")
    assert driver.results == [("c1", "denied", "Denied: a rule.")]


# Ends of a call.


@pytest.mark.parametrize(
    ("reason", "text"),
    [("rejected", "why"), ("crashed", "The tool failed (a fault of Greenroom): why")],
)
def test_a_call_that_cannot_be_planned_or_run_is_an_error_to_read(reason: str, text: str) -> None:
    for go_as_far_as in ("planning", "running"):
        driver = Driver()
        driver.prompted(use("c1"))
        if go_as_far_as == "running":
            driver.allowed("c1")
        driver.tell(failed("c1", reason))
        assert driver.results == [("c1", "error", text)]


def test_a_result_that_is_a_failure_of_its_own_is_an_error(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.allowed("c1")
    driver.tell(ToolSucceeded(call_id="c1", output=ToolOutput(text="exit status 1", failed=True)))

    assert driver.results == [("c1", "error", "exit status 1")]


def test_a_result_names_what_it_was_about(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.allowed("c1")
    driver.done("c1")

    assert driver.records[-1] == ToolEnded(
        turn=1,
        call_id="c1",
        tool="change",
        title="change c1.txt",
        target="c1.txt",
        status="ok",
        text="fine",
    )


def test_a_change_of_a_file_is_told_as_a_diff_when_it_was_made(driver: Driver) -> None:
    driver.prompted(use("c1"), use("c2"))
    for call_id in ("c1", "c2"):
        driver.planned(call_id, patched=True)
        driver.judged(call_id, "allow")
        driver.tell(failed("c2", "rejected")) if call_id == "c2" else driver.done("c1")

    told = [(each.status, each.diff) for each in ended(driver)]
    assert told == [("ok", "+version 1"), ("error", "")]


def test_a_long_diff_is_cut_at_a_line_and_says_so(driver: Driver) -> None:
    driver.prompted(use("c1"))
    plan = plan_for("c1", patched=True)
    lines = "".join(f"+line {number:04}\n" for number in range(2_000))
    patch = plan.patch.model_copy(update={"diff": lines}) if plan.patch else None
    driver.tell(ToolPlanned(call_id="c1", plan=plan.model_copy(update={"patch": patch})))
    driver.judged("c1", "allow")
    driver.done("c1")

    *shown, last = ended(driver)[0].diff.splitlines()
    assert shown == lines.splitlines()[: len(shown)]
    assert (len(shown) * len("+line 0000\n") <= MOST_DIFF_CHARS, len(shown) > 1_500) == (True, True)
    assert last == f"… +{2_000 - len(shown)} lines"


def ended(driver: Driver) -> list[ToolEnded]:
    return [each for each in driver.records if isinstance(each, ToolEnded)]


def test_a_target_that_drifted_is_planned_and_asked_anew(driver: Driver) -> None:
    driver.prompted(use("c1"))
    driver.tell(yes(driver.asked("c1")))
    driver.judged("c1", "ask")
    driver.tell(failed("c1", "target_changed"))
    driver.planned("c1", version=2)
    driver.judged("c1", "ask")

    assert driver.ran == ["c1"]
    shown = [(each.id, each.plan) for each in driver.of(RequestApproval)]
    assert shown == [
        ("/primary#1@1", plan_for("c1", 1)),
        ("/primary#2@1", plan_for("c1", 2)),
    ]
    reasons = [each.decision.reason for each in driver.of(RequestApproval)]
    assert reasons == ["a rule", f"a rule; {CHANGED_SINCE}"]


def test_a_target_that_drifts_for_ever_ends_as_an_error(driver: Driver) -> None:
    driver.prompted(use("c1"))
    for _ in range(MAX_DRIFTS + 1):
        assert driver.results == []
        driver.allowed("c1")
        driver.tell(failed("c1", "target_changed"))

    assert [status for _, status, _ in driver.results] == ["error"]
