"""What reports change, without a screen."""

import pytest

from messages.approvals import DismissApproval
from messages.models import ModelFailureReason
from messages.turns import (
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnFailed,
    TurnStarted,
)
from shell.inbox import Event, Notice
from shell.intents import InterruptTurn, SendPrompt
from shell.view import state
from shell.view.disk import WRITTEN_AGAIN, unwritten
from shell.view.events import MOST_LATE_CHARS, received
from shell.view.footer import footer_row
from shell.view.ink import CHAIN
from shell.view.live import live_rows, queued_rows
from shell.view.state import (
    Effect,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    RestoreDraft,
    SendCommand,
    State,
)
from tests.shell import reports

pytestmark = pytest.mark.quick


def after(*events: Event, begin: State | None = None) -> tuple[State, tuple[Effect, ...]]:
    current, effects = begin or State(), tuple[Effect, ...]()
    for event in events:
        current, more = received(current, event, 10.0)
        effects += more
    return current, effects


def running() -> State:
    return state.entered(after(reports.session())[0], "hello", 10.0)[0]


def test_what_is_entered_before_the_agent_is_ready_waits_for_it() -> None:
    early, effects = state.entered(State(), "hello", 1.0)
    assert (early.queue, effects) == (("hello",), ())
    ready, effects = received(early, reports.session(), 2.0)
    assert ready.queue == ()
    assert effects == (
        reports.session(),
        PrintPrompt("hello"),
        SendCommand(SendPrompt(text="hello")),
    )


def test_a_reply_that_was_not_streamed_is_printed_from_its_record() -> None:
    _, effects = after(reports.reply("All of it."), begin=running())
    assert effects == (PrintMarkdown("All of it."),)


def test_a_reply_that_was_streamed_is_printed_once() -> None:
    text = "One.\n\nTwo."
    _, effects = after(TextDelta(text=text), reports.reply(text), begin=running())
    assert effects == (PrintMarkdown("One."), PrintMarkdown("Two."))


def test_text_before_a_tool_is_printed_before_the_tool_row() -> None:
    events = (TextDelta(text="Look."), reports.tool_started(), reports.tool_ended())
    _, effects = after(*events, begin=running())
    assert effects == (PrintMarkdown("Look."), reports.tool_ended())


def test_a_turn_that_goes_on_after_a_resume_is_shown_as_running() -> None:
    resumed, effects = after(reports.session(resumed=True), TurnStarted(turn=3, prompt="go on"))
    assert resumed.turn is not None
    assert effects[1:] == (PrintPrompt("go on"),)


def test_a_turn_that_was_left_open_runs_from_the_start_and_what_is_entered_waits() -> None:
    resumed, _ = after(reports.session(running_turn=3, next_turn=4))
    assert resumed.turn is not None
    waiting, effects = state.entered(resumed, "hello", 11.0)
    assert (waiting.queue, effects) == (("hello",), ())


def test_a_late_piece_of_an_ended_turn_starts_nothing() -> None:
    ended, _ = after(reports.completed(), TextDelta(text="late"), begin=running())
    assert ended.turn is None


def test_a_failed_turn_says_why_and_gives_the_queue_back() -> None:
    waiting, _ = state.entered(running(), "next", 10.0)
    failed = TurnFailed(turn=1, reason="unauthorized", detail="the key was refused")
    ended, effects = received(waiting, failed, 11.0)
    assert ended.queue == ()
    assert effects == (
        PrintNotice("The turn failed (unauthorized): the key was refused", "bad"),
        RestoreDraft("next"),
    )


def test_esc_without_a_turn_does_nothing_and_with_one_interrupts_it_once() -> None:
    assert state.interrupted(State()) == (State(), ())
    once, effects = state.interrupted(running())
    assert effects == (SendCommand(InterruptTurn()),)
    assert state.interrupted(once)[1] == ()


def test_a_flood_of_text_behind_esc_is_only_counted() -> None:
    stopping, _ = state.interrupted(running())
    much = TextDelta(text="x\n\n" * MOST_LATE_CHARS)
    current, effects = after(TextDelta(text="One.\n\nTwo."), much, begin=stopping)
    assert effects == (PrintMarkdown("One."), PrintOmission(len(much.text)))
    assert received(current, reports.interrupted(), 11.0)[1] == (
        PrintMarkdown("Two."),
        PrintNotice("Interrupted.", "warn"),
    )


def test_an_agent_that_starts_again_ends_the_turn_on_the_screen() -> None:
    again, effects = after(reports.session(next_turn=2), begin=running())
    assert again.turn is None
    assert effects == ()


def test_a_withdrawn_request_is_mentioned_only_if_it_was_on_the_screen() -> None:
    both = (reports.asked(), reports.asked("git tag", number=2))
    first, second = (message.request.id for message in both)
    _, effects = after(*both, DismissApproval(id=second, why="withdrawn"))
    assert effects == ()
    _, effects = after(*both, DismissApproval(id=first, why="withdrawn"))
    assert effects == (PrintNotice("The request on screen was withdrawn.", "warn"),)


def test_a_request_that_is_presented_again_keeps_its_place() -> None:
    current, _ = after(reports.asked(), reports.asked("git tag", number=2), reports.asked())
    assert [request.id for request in current.requests.parked] == [
        "/primary/explore-2#1@1",
        "/primary/explore-2#2@1",
    ]


def test_all_requests_that_wait_are_put_off_together_and_one_that_comes_later_shows_itself() -> (
    None
):
    waiting, _ = after(reports.asked(), reports.asked("git tag", number=2))
    off = state.put_off(waiting)
    assert off.requests.shown is None
    assert len(off.requests.parked) == 2
    later, _ = received(off, reports.asked("ls", number=3), 11.0)
    assert later.requests.shown == later.requests.parked[2]
    back = state.recalled(state.put_off(later)).requests
    assert back.shown == back.parked[0]


def test_a_no_to_a_subagent_is_told_with_its_reason_and_one_to_the_primary_by_its_call() -> None:
    asked, changed = reports.asked("git push\x1b[2J " + "x" * 200), reports.asked_to_change("")
    waiting, _ = after(asked, changed)
    refused, effects = state.answered(waiting, asked.request.id, "no", "not on a Friday")
    line = f"You said no to primary{CHAIN}explore-2: bash git push^[[2J {'x' * 100}…"
    assert effects[1:] == (PrintNotice(f"{line}\nIt reads: not on a Friday", "warn"),)
    _, effects = state.answered(waiting, asked.request.id, "no")
    assert effects[1:] == (PrintNotice(line, "warn"),)
    _, effects = state.answered(refused, changed.request.id, "no", "why")
    assert len(effects) == 1


def test_a_notice_is_a_remark() -> None:
    assert after(Notice("going away"))[1] == (PrintNotice("going away", "warn"),)


def test_the_spinner_tells_verb_time_and_tokens() -> None:
    thinking, _ = received(running(), ThinkingDelta(text="x" * 400), 74.0)
    [row] = live_rows(thinking, 75.0, 80, 5)
    assert "Thinking · 1m 05s · ~100 tokens" in row[0][1]
    replied, _ = after(reports.reply("", output_tokens=1234), begin=thinking)
    assert "1.2k tokens" in live_rows(replied, 75.0, 80, 5)[0][0][1]


def test_the_spinner_tells_when_nothing_has_come_for_long() -> None:
    silent = "No word from the model for 1m 05s · 1m 05s · 0 tokens · Esc interrupts"
    assert silent in live_rows(running(), 75.0, 80, 5)[0][0][1]
    for said in (ThinkingDelta(text="x"), reports.tool_ended("done")):
        heard, _ = received(running(), said, 74.0)
        assert "Thinking" in live_rows(heard, 75.0, 80, 5)[0][0][1]
        assert "from the model for 16s" in live_rows(heard, 90.0, 80, 5)[0][0][1]
    waiting, _ = received(running(), OVERLOADED, 40.0)
    assert "trying again (2 of 5)" in live_rows(waiting, 58.0, 80, 5)[0][0][1]
    assert "from the model for 15s" in live_rows(waiting, 59.0, 80, 5)[0][0][1]


def test_a_calls_arguments_count_as_they_stream_in() -> None:
    called, effects = received(running(), ToolInputDelta(chars=4_000), 74.0)
    assert effects == ()
    [row] = live_rows(called, 75.0, 80, 1)
    assert "Thinking · 1m 05s · ~1.0k tokens" in row[0][1]
    assert received(State(), ToolInputDelta(chars=4_000), 50.0) == (State(), ())


def test_the_spinner_names_esc_only_while_esc_interrupts() -> None:
    asking, _ = after(reports.asked(), begin=running())
    for stands, told in (
        (running(), True),
        (asking, False),
        (state.put_off(asking), True),
        (state.interrupted(running())[0], False),
    ):
        assert ("Esc interrupts" in live_rows(stands, 20.0, 80, 5)[0][0][1]) == told


def test_with_little_room_the_spinner_stays_and_the_queue_counts_the_rest() -> None:
    busy, _ = after(TextDelta(text="a\nb\nc"), reports.tool_started(), begin=running())
    assert len(live_rows(busy, 20.0, 80, 1)) == 1
    assert "Working" in live_rows(busy, 20.0, 80, 1)[0][0][1]
    told = [row[0][1] for row in queued_rows(("1", "2", "3", "4", "5"), 80)]
    assert told == ["» … 2 more", "» 3", "» 4", "» 5"]


OVERLOADED = ModelRetrying(
    turn=1, attempt=2, of=5, wait_s=4, reason="overloaded", detail="busy", partial="One."
)


def test_a_wait_is_shown_with_its_time_and_ends_with_the_next_text() -> None:
    waiting, effects = after(TextDelta(text="One."), OVERLOADED, begin=running())
    assert effects == (
        PrintMarkdown("One."),
        PrintNotice("The reply was cut off here; it begins anew.", "warn"),
    )
    (row,) = live_rows(waiting, 10.0, 100, 10)
    assert "Overloaded, trying again in 4 s (2 of 5)" in row[0][1]
    (row,) = live_rows(waiting, 15.0, 100, 10)
    assert "Overloaded, trying again (2 of 5)" in row[0][1]
    going_on, _ = received(waiting, TextDelta(text="Two"), 16.0)
    assert "trying again" not in str(live_rows(going_on, 16.0, 100, 10))


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("server_failed", "The service failed, trying again in 4 s (2 of 5)"),
        ("unavailable", "The service is unavailable, trying again in 4 s (2 of 5)"),
        ("gateway", "A gateway got no answer from the service, trying again in 4 s (2 of 5)"),
        ("unreachable", "No connection, trying again in 4 s (2 of 5)"),
    ],
)
def test_a_wait_names_whose_trouble_it_is(reason: ModelFailureReason, line: str) -> None:
    waiting, _ = after(OVERLOADED.model_copy(update={"reason": reason}), begin=running())
    (row,) = live_rows(waiting, 10.0, 100, 10)
    assert line in row[0][1]


def test_a_limit_ends_a_turn_with_one_line_that_is_no_failure() -> None:
    reached = TurnFailed(turn=1, reason="max_turns", detail="stopped after 2 requests")
    _, effects = after(reached, begin=running())
    assert effects == (PrintNotice("The turn stopped after 2 requests.", "warn"),)


def test_a_reply_that_broke_off_for_good_is_marked() -> None:
    failed = TurnFailed(turn=1, reason="cut_off", detail="gone", partial="One")
    _, effects = after(failed, begin=running())
    said = "The turn failed (cut_off): gone. What stands above of the reply is not all of it."
    assert effects == (PrintNotice(said, "bad"),)


def test_another_model_is_shown_from_now_on() -> None:
    changed, _ = after(ModelChanged(model="big"), begin=running())
    assert changed.session is not None
    assert changed.session.model == "big"


FAILING = PersistenceChanged(state="failing", detail="/s/a.jsonl: No space left on device")
SLOW, WELL = PersistenceChanged(state="slow"), PersistenceChanged(state="well")


def footer(current: State) -> str:
    return "".join(text for _, text in footer_row(current, "", 200))


def test_a_disk_that_refuses_is_told_once_and_stands_in_the_footer_until_it_is_well() -> None:
    failing, effects = after(reports.session(), FAILING)
    assert effects[1:] == (PrintNotice(unwritten(FAILING), "bad"),)
    assert footer(failing).startswith("⚠ the session is not saved · ")

    well, effects = after(WELL, begin=failing)
    assert effects == (PrintNotice(WRITTEN_AGAIN, "plain"),)
    assert "⚠" not in footer(well)


def test_a_slow_disk_stands_in_the_footer_alone_with_the_file_that_waits() -> None:
    slow, effects = after(reports.session(file="/s/a.jsonl"), SLOW)
    assert effects[1:] == ()
    assert footer(slow).startswith("⚠ the disk is slow: a.jsonl waits · ")

    well, effects = after(WELL, begin=slow)
    assert effects == ()
    assert "⚠" not in footer(well)


def test_an_agent_that_was_started_again_tells_anew_how_the_disk_is() -> None:
    current, _ = after(reports.session(), FAILING, reports.session())
    assert "⚠" not in footer(current)
