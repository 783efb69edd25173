"""How long the model thought, and what a turn took, for the user. Pure."""

from dataclasses import replace

from messages.content import Usage
from shell.view.number_format import format_count, format_duration, format_short_count
from shell.view.screen_state import PrintNotice, RunningTurn

MIN_SHOWN_S = 1.0
"""Shorter thoughts and turns, and those that are shown again after a resume, get no row."""


def add_thinking_time(turn: RunningTurn, now_s: float) -> RunningTurn:
    """Count the time since the previous event of the reply as thinking."""
    if not turn.has_reply_begun:
        return turn
    return replace(turn, thought_s=turn.thought_s + now_s - turn.last_activity_s)


def take_thought(turn: RunningTurn) -> tuple[RunningTurn, tuple[PrintNotice, ...]]:
    """Return a row that says how long the model thought before the text that follows.

    Thinking before calls alone is added to it, so that it does not part their rows.
    """
    if turn.thought_s < MIN_SHOWN_S:
        return turn, ()
    notice = PrintNotice(f"Thought for {format_duration(turn.thought_s)}")
    return replace(turn, thought_s=0.0), (notice,)


def summarize_turn(turn: RunningTurn | None, usage: Usage, now_s: float) -> tuple[PrintNotice, ...]:
    """Return a row with the time, requests and tokens of a completed turn."""
    if turn is None or now_s - turn.started_s < MIN_SHOWN_S:
        return ()
    cached = usage.cache_read_input_tokens
    total = usage.input_tokens + usage.cache_creation_input_tokens + cached
    parts = [f"Done in {format_duration(now_s - turn.started_s)}"]
    if usage.requests:
        of_it = f" ({format_short_count(cached)} cached)" if cached else ""
        parts.append(format_count(usage.requests, "request"))
        parts.append(
            f"{format_short_count(total)} in{of_it}, {format_short_count(usage.output_tokens)} out"
        )
    return (PrintNotice(" · ".join(parts)),)
