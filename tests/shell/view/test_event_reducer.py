"""State transitions of the screen, tested without a screen."""

from dataclasses import replace

import pytest

from messages.approvals import DismissApproval
from messages.content import Usage
from messages.failure_reasons import ModelFailureReason
from messages.steering import PromptsReturned, ReturnedPrompt
from messages.turns import (
    Attachment,
    CommandOutput,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyActivity,
    RequestPaused,
    RequestResumed,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnFailed,
    TurnStarted,
    UsageChanged,
)
from shell.console.screen_event_queue import Notice, ScreenEvent
from shell.console.ui_commands import InterruptTurn, SendPrompt
from shell.view import screen_state
from shell.view.event_reducer import apply_event
from shell.view.footer import render_footer
from shell.view.progress_rows import render_progress_rows, render_queued_rows
from shell.view.screen_state import (
    MAX_INTERRUPTED_TEXT_CHARS,
    PrintCall,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    QueuedMessage,
    RestoreDraft,
    ScreenEffect,
    ScreenState,
    SendCommand,
)
from shell.view.status_notices import PERSISTENCE_RECOVERED, format_write_failure
from shell.view.styled_text import AGENT_CHAIN_SEPARATOR
from tests.shell import sample_events

pytestmark = pytest.mark.quick


def apply_events(
    *events: ScreenEvent, initial: ScreenState | None = None
) -> tuple[ScreenState, tuple[ScreenEffect, ...]]:
    current, effects = initial or ScreenState(), tuple[ScreenEffect, ...]()
    for event in events:
        current, more = apply_event(current, event, 10.0)
        effects += more
    return current, effects


def create_running_state() -> ScreenState:
    return screen_state.submit_prompt(
        apply_events(sample_events.session_configured())[0], "hello", 10.0
    )[0]


def test_a_prompt_before_the_session_starts_is_queued() -> None:
    early, effects = screen_state.submit_prompt(ScreenState(), "hello", 1.0)
    assert (early.queued, effects) == ((QueuedMessage("hello"),), ())
    ready, effects = apply_event(early, sample_events.session_configured(), 2.0)
    assert ready.queued == ()
    assert effects == (
        sample_events.session_configured(),
        PrintPrompt("hello"),
        SendCommand(SendPrompt(turn=1, text="hello")),
    )


def test_attached_files_and_problems_are_printed_below_the_prompt() -> None:
    attachments = (
        Attachment(mention="a.py", summary="3 lines", text="…"),
        Attachment(mention="b.py", problem="b.py: no such file or directory", text="…"),
        Attachment(mention="src/", summary="1 entry", text="…"),
    )
    event = TurnStarted(turn=1, prompt="hello", attachments=attachments)
    notices = (
        PrintNotice("Attached @a.py (3 lines), @src/ (1 entry)."),
        PrintNotice("@b.py was not attached (b.py: no such file or directory).", "warn"),
    )
    assert apply_events(event, initial=create_running_state())[1] == notices
    assert apply_events(event)[1] == (PrintPrompt("hello"), *notices)


def test_an_unstreamed_reply_is_printed_when_it_completes() -> None:
    _, effects = apply_events(
        sample_events.reply_completed("All of it."), initial=create_running_state()
    )
    assert effects == (PrintMarkdown("All of it."),)


def test_a_streamed_reply_is_printed_only_once() -> None:
    text = "One.\n\nTwo."
    _, effects = apply_events(
        TextDelta(text=text), sample_events.reply_completed(text), initial=create_running_state()
    )
    assert effects == (PrintMarkdown("One."), PrintMarkdown("Two."))


def test_text_before_a_tool_call_is_printed_first() -> None:
    events = (TextDelta(text="Look."), sample_events.tool_started(), sample_events.tool_ended())
    _, effects = apply_events(*events, initial=create_running_state())
    assert effects == (PrintMarkdown("Look."), PrintCall(sample_events.tool_ended(), 0.0))


def test_a_turn_continued_after_resume_is_shown_running() -> None:
    resumed, effects = apply_events(
        sample_events.session_configured(resumed=True), TurnStarted(turn=3, prompt="go on")
    )
    assert resumed.turn is not None
    assert effects[1:] == (PrintPrompt("go on"),)


def test_an_open_turn_runs_at_start_and_queues_prompts() -> None:
    resumed, _ = apply_events(sample_events.session_configured(running_turn=3, next_turn=4))
    assert resumed.turn is not None
    waiting, effects = screen_state.submit_prompt(resumed, "hello", 11.0)
    assert (waiting.queued, effects) == (
        (QueuedMessage("hello", 4),),
        (SendCommand(SendPrompt(turn=4, text="hello")),),
    )


def test_late_text_of_an_ended_turn_starts_no_turn() -> None:
    ended, _ = apply_events(
        sample_events.turn_completed(), TextDelta(text="late"), initial=create_running_state()
    )
    assert ended.turn is None


def test_a_failed_turn_prints_why_and_restores_the_queue() -> None:
    waiting, _ = screen_state.submit_prompt(create_running_state(), "next", 10.0)
    failed = TurnFailed(turn=1, reason="unauthorized", detail="the key was refused")
    number = waiting.queued[0].turn
    returned = PromptsReturned(prompts=(ReturnedPrompt(number=number, text="next"),))
    ended, effects = apply_events(failed, returned, initial=waiting)
    assert ended.queued == ()
    assert effects == (
        PrintNotice("The turn failed (unauthorized): the key was refused", "bad"),
        RestoreDraft("next"),
    )


def test_interrupting_without_a_turn_does_nothing() -> None:
    assert screen_state.interrupt(ScreenState()) == (ScreenState(), ())
    once, effects = screen_state.interrupt(create_running_state())
    assert effects == (SendCommand(InterruptTurn()),)
    assert screen_state.interrupt(once)[1] == ()


def test_a_flood_of_text_after_esc_is_counted() -> None:
    stopping, _ = screen_state.interrupt(create_running_state())
    flood = TextDelta(text="x\n\n" * MAX_INTERRUPTED_TEXT_CHARS)
    current, effects = apply_events(TextDelta(text="One.\n\nTwo."), flood, initial=stopping)
    assert effects == (PrintMarkdown("One."), PrintOmission(len(flood.text)))
    assert apply_event(current, sample_events.turn_interrupted(), 11.0)[1] == (
        PrintMarkdown("Two."),
        PrintNotice("Interrupted.", "warn"),
    )


def test_a_restarted_agent_ends_the_turn_on_screen() -> None:
    restarted, effects = apply_events(
        sample_events.session_configured(next_turn=2), initial=create_running_state()
    )
    assert restarted.turn is None
    assert effects == ()


def test_a_withdrawal_is_announced_only_for_the_visible_request() -> None:
    both = (sample_events.exec_approval(), sample_events.exec_approval("git tag", number=2))
    first, second = (message.request.id for message in both)
    _, effects = apply_events(*both, DismissApproval(id=second, outcome="withdrawn"))
    assert effects == ()
    _, effects = apply_events(*both, DismissApproval(id=first, outcome="withdrawn"))
    assert effects == (PrintNotice("The request on screen was withdrawn.", "warn"),)


def test_a_request_shown_again_keeps_its_position() -> None:
    current, _ = apply_events(
        sample_events.exec_approval(),
        sample_events.exec_approval("git tag", number=2),
        sample_events.exec_approval(),
    )
    assert [request.id for request in current.approvals.parked] == [
        "/primary/explore-2#1@1",
        "/primary/explore-2#2@1",
    ]


def test_deferring_hides_waiting_requests_but_not_later_ones() -> None:
    waiting, _ = apply_events(
        sample_events.exec_approval(), sample_events.exec_approval("git tag", number=2)
    )
    deferred = screen_state.defer_approvals(waiting)
    assert deferred.approvals.current is None
    assert len(deferred.approvals.parked) == 2
    later, _ = apply_event(deferred, sample_events.exec_approval("ls", number=3), 11.0)
    assert later.approvals.current == later.approvals.parked[2]
    restored = screen_state.restore_deferred_approvals(screen_state.defer_approvals(later))
    assert restored.approvals.current == restored.approvals.parked[0]


def test_only_denying_a_subagents_call_prints_a_notice() -> None:
    """The primary agent's denied calls are printed as calls."""
    exec_approval = sample_events.exec_approval("git push\x1b[2J " + "x" * 200)
    patch_approval = sample_events.patch_approval("")
    waiting, _ = apply_events(exec_approval, patch_approval)
    denied, effects = screen_state.decide_approval(
        waiting, exec_approval.request.id, "no", "not on a Friday"
    )
    chain = f"primary{AGENT_CHAIN_SEPARATOR}explore-2"
    notice = f"You denied this call of {chain}: bash git push^[[2J {'x' * 100}…"
    reason = "Reason sent to the agent: not on a Friday"
    assert effects[1:] == (PrintNotice(f"{notice}\n{reason}", "warn"),)
    _, effects = screen_state.decide_approval(waiting, exec_approval.request.id, "no")
    assert effects[1:] == (PrintNotice(notice, "warn"),)
    _, effects = screen_state.decide_approval(denied, patch_approval.request.id, "no", "why")
    assert len(effects) == 1


def test_a_notice_event_is_printed_as_a_warning() -> None:
    assert apply_events(Notice("going away"))[1] == (PrintNotice("going away", "warn"),)


def test_the_spinner_shows_activity_elapsed_time_and_tokens() -> None:
    thinking, _ = apply_event(create_running_state(), ThinkingDelta(text="x" * 400), 74.0)
    [row] = render_progress_rows(thinking, 75.0, 80, 5)
    assert "Thinking · 1m 05s · ~100 tokens" in row[0][1]
    replied, _ = apply_events(
        sample_events.reply_completed("", output_tokens=1234), initial=thinking
    )
    assert "1.2k tokens" in render_progress_rows(replied, 75.0, 80, 5)[0][0][1]


def get_spinner(state: ScreenState, now_s: float) -> str:
    return render_progress_rows(state, now_s, 80, 5)[-1][0][1]


def test_the_spinner_waits_until_the_reply_begins() -> None:
    waiting = create_running_state()
    assert "Waiting for the model (20 s) · 20s · 0 tokens" in get_spinner(waiting, 30.0)
    begun, effects = apply_event(waiting, ReplyActivity(), 30.0)
    assert effects == ()
    assert "Thinking · 20s" in get_spinner(begun, 30.0)
    after_call, _ = apply_events(
        sample_events.reply_completed(""), sample_events.tool_ended("done"), initial=begun
    )
    assert "Waiting for the model" in get_spinner(after_call, 31.0)


def test_the_spinner_reports_a_silence_without_pings() -> None:
    for event in (ThinkingDelta(text="x"), ReplyActivity()):
        active, _ = apply_event(create_running_state(), event, 74.0)
        assert "Thinking" in get_spinner(active, 75.0)
        assert "Waiting for the model (16 s)" in get_spinner(active, 90.0)
        pinged, _ = apply_event(active, ReplyActivity(), 88.0)
        assert "Thinking" in get_spinner(pinged, 90.0)


def test_the_spinner_counts_the_wait_from_the_retry() -> None:
    waiting, _ = apply_event(create_running_state(), OVERLOADED, 40.0)
    assert "retrying (2 of 5)" in get_spinner(waiting, 58.0)
    assert "Waiting for the model (15 s)" in get_spinner(waiting, 59.0)
    assert "Waiting for the model (1 min 5 s)" in get_spinner(waiting, 109.0)


def test_the_spinner_says_why_and_how_long_a_request_is_held() -> None:
    paused = RequestPaused(reason="rate_limited", detail="slow down", wait_s=40)
    held, effects = apply_event(create_running_state(), paused, 20.0)
    assert effects == ()
    assert "Rate limit reached, waiting 30 s · 20s" in get_spinner(held, 30.0)
    assert "Rate limit reached, waiting · 1m 20s" in get_spinner(held, 90.0)
    sent, _ = apply_event(held, RequestResumed(), 90.0)
    assert "Waiting for the model (5 s)" in get_spinner(sent, 95.0)


def test_streamed_call_arguments_are_counted_as_tokens() -> None:
    called, effects = apply_event(create_running_state(), ToolInputDelta(char_count=4_000), 74.0)
    assert effects == ()
    [row] = render_progress_rows(called, 75.0, 80, 1)
    assert "Thinking · 1m 05s · ~1.0k tokens" in row[0][1]
    assert apply_event(ScreenState(), ToolInputDelta(char_count=4_000), 50.0) == (ScreenState(), ())


def test_the_spinner_mentions_esc_only_while_it_interrupts() -> None:
    asking, _ = apply_events(sample_events.exec_approval(), initial=create_running_state())
    for state, mentions_escape in (
        (create_running_state(), True),
        (asking, False),
        (screen_state.defer_approvals(asking), True),
        (screen_state.interrupt(create_running_state())[0], False),
    ):
        row = render_progress_rows(state, 20.0, 80, 5)[0][0][1]
        assert ("Esc to interrupt" in row) == mentions_escape


def test_a_small_window_keeps_spinner_and_counts_the_queue() -> None:
    busy, _ = apply_events(
        TextDelta(text="a\nb\nc"), sample_events.tool_started(), initial=create_running_state()
    )
    assert len(render_progress_rows(busy, 20.0, 80, 1)) == 1
    assert "Working" in render_progress_rows(busy, 20.0, 80, 1)[0][0][1]
    rows = [row[0][1] for row in render_queued_rows(tuple(map(QueuedMessage, "12345")), 80)]
    assert rows == ["» … 2 more", "» 3", "» 4", "» 5"]


OVERLOADED = ModelRetrying(
    turn=1,
    attempt=2,
    max_attempts=5,
    wait_s=4,
    reason="overloaded",
    detail="busy",
    partial_text="One.",
)


def test_a_retry_is_shown_until_the_next_text_arrives() -> None:
    waiting, effects = apply_events(
        TextDelta(text="One."), OVERLOADED, initial=create_running_state()
    )
    assert effects == (
        PrintMarkdown("One."),
        PrintNotice("The reply was interrupted here and starts over.", "warn"),
    )
    (row,) = render_progress_rows(waiting, 10.0, 100, 10)
    assert "The service is overloaded, retrying in 4 s (2 of 5)" in row[0][1]
    (row,) = render_progress_rows(waiting, 15.0, 100, 10)
    assert "The service is overloaded, retrying (2 of 5)" in row[0][1]
    resumed, _ = apply_event(waiting, TextDelta(text="Two"), 16.0)
    assert "retrying" not in str(render_progress_rows(resumed, 16.0, 100, 10))


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("server_error", "The service failed, retrying in 4 s (2 of 5)"),
        ("unavailable", "The service is unavailable, retrying in 4 s (2 of 5)"),
        ("gateway_error", "A gateway got no response from the service, retrying in 4 s (2 of 5)"),
        ("unreachable", "No connection, retrying in 4 s (2 of 5)"),
    ],
)
def test_a_retry_shows_the_reason_of_the_failure(reason: ModelFailureReason, line: str) -> None:
    waiting, _ = apply_events(
        OVERLOADED.model_copy(update={"reason": reason}), initial=create_running_state()
    )
    (row,) = render_progress_rows(waiting, 10.0, 100, 10)
    assert line in row[0][1]


def test_a_reached_limit_is_not_printed_as_a_failure() -> None:
    reached = TurnFailed(turn=1, reason="max_turns", detail="stopped after 2 requests")
    _, effects = apply_events(reached, initial=create_running_state())
    assert effects == (PrintNotice("The turn stopped after 2 requests.", "warn"),)


def test_a_reply_that_failed_midway_is_marked_incomplete() -> None:
    failed = TurnFailed(turn=1, reason="stream_interrupted", detail="gone", partial_text="One")
    _, effects = apply_events(failed, initial=create_running_state())
    notice = "The turn failed (stream_interrupted): gone. The reply above is incomplete."
    assert effects == (PrintNotice(notice, "bad"),)


def test_a_model_change_updates_the_model_on_screen() -> None:
    changed, _ = apply_events(ModelChanged(model="big"), initial=create_running_state())
    assert changed.session is not None
    assert changed.session.model == "big"


def test_an_effort_change_updates_the_effort_on_screen() -> None:
    changed, _ = apply_events(EffortChanged(effort="max"), initial=create_running_state())
    assert changed.session is not None
    assert changed.session.effort == "max"


def test_a_rejected_setting_stays_on_screen() -> None:
    rejected = OVERLOADED.model_copy(update={"reason": "setting_rejected", "partial_text": ""})
    _, effects = apply_events(rejected, initial=create_running_state())
    assert effects == (PrintNotice("busy.", "warn"),)


FAILING = PersistenceChanged(state="failing", detail="/s/a.jsonl: No space left on device")
SLOW, RECOVERED = PersistenceChanged(state="slow"), PersistenceChanged(state="ok")


def get_footer_text(current: ScreenState) -> str:
    return "".join(text for _, text in render_footer(current, "", 200))


@pytest.mark.parametrize(
    ("tokens", "part"),
    [(740, None), (750, ("warn", "context 75 %")), (950, ("bad", "context 95 %"))],
)
def test_the_footer_warns_when_the_context_fills(tokens: int, part: tuple[str, str] | None) -> None:
    usage = UsageChanged(context_tokens=tokens, context_window_tokens=1000, total_usage=Usage())
    state = replace(create_running_state(), usage=usage)
    colored = [fragment for fragment in render_footer(state, "", 200) if fragment[0] != "dim"]
    assert colored == ([part] if part else [])
    assert f"context {tokens // 10} %" in get_footer_text(state)
    for width in range(1, 60):
        text = "".join(text for _, text in render_footer(state, "", width))
        assert len(text) <= width


def test_a_write_failure_stays_in_the_footer_until_recovery() -> None:
    failing, effects = apply_events(sample_events.session_configured(), FAILING)
    assert effects[1:] == (PrintNotice(format_write_failure(FAILING), "bad"),)
    assert get_footer_text(failing).startswith("⚠ session not saved · ")

    recovered, effects = apply_events(RECOVERED, initial=failing)
    assert effects == (PrintNotice(PERSISTENCE_RECOVERED, "plain"),)
    assert "⚠" not in get_footer_text(recovered)


def test_a_slow_disk_is_shown_only_in_the_footer() -> None:
    slow, effects = apply_events(sample_events.session_configured(session_file="/s/a.jsonl"), SLOW)
    assert effects[1:] == ()
    assert get_footer_text(slow).startswith("⚠ saving a.jsonl is slow · ")

    recovered, effects = apply_events(RECOVERED, initial=slow)
    assert effects == ()
    assert "⚠" not in get_footer_text(recovered)


def test_a_restarted_agent_reports_the_persistence_status_again() -> None:
    current, _ = apply_events(
        sample_events.session_configured(), FAILING, sample_events.session_configured()
    )
    assert "⚠" not in get_footer_text(current)


def test_a_running_command_shows_the_end_of_its_output() -> None:
    running, _ = apply_events(sample_events.tool_started(), initial=create_running_state())
    for text in ("a\n", "a\nb\nc\n\nd\x1b[2J"):
        running, effects = apply_events(CommandOutput(call_id="c1", text=text), initial=running)
        assert effects == ()
    rows = ["".join(text for _, text in row) for row in render_progress_rows(running, 10.0, 80, 9)]
    assert rows[:4] == ["● Running git status · 0s", "  │ b", "  │ c", "  │ d^[[2J"]
    other = CommandOutput(call_id="c2", text="late")
    assert apply_events(other, initial=running)[0] == running
    assert apply_events(other) == (ScreenState(), ())
