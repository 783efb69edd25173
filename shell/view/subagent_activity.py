"""The recent activity of a subagent, stored as truncated events. Pure.

A subagent's page renders these events as the screen renders those of the primary agent.
"""

from dataclasses import dataclass
from functools import cached_property

from messages.content import TextBlock, join_text
from messages.steering import PromptDelivered
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.view.call_text import describe_ended, get_output_text

ActivityEvent = (
    TurnStarted
    | PromptDelivered
    | ReplyCompleted
    | ToolEnded
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
)
MAX_ACTIVITY_CHARS = 40_000
"""Limit per agent; the oldest events are dropped."""
_EVENT_CHARS = 500
"""Estimated size of an event without its text."""
_MAX_TEXT_CHARS = 12_000
_MAX_OUTPUT_LINES, _MAX_DIFF_LINES = 3, 8
_MAX_LINE_CHARS = 300
_LATEST_LINES = 4


@dataclass(frozen=True)
class RecentActivity:
    """Events in order; the class has no slots, because it caches what each frame asks for."""

    events: tuple[ActivityEvent, ...] = ()
    chars: int = 0
    """Their estimated size in memory."""
    dropped_count: int = 0
    """Number of earlier events that were dropped."""

    @cached_property
    def latest_lines(self) -> tuple[str, ...]:
        """The last few lines of the activity."""
        lines: list[str] = []
        for event in reversed(self.events):
            lines = [*_format_lines(event), *lines]
            if len(lines) >= _LATEST_LINES:
                break
        return tuple(lines[-_LATEST_LINES:])


def with_event(recent: RecentActivity, event: ActivityEvent) -> RecentActivity:
    """Add a truncated event; drop the earliest events over the limit."""
    event = _truncate_event(event)
    longer = RecentActivity(
        (*recent.events, event), recent.chars + _count_chars(event), recent.dropped_count
    )
    return trim(longer, MAX_ACTIVITY_CHARS)


def trim(recent: RecentActivity, max_chars: int) -> RecentActivity:
    """Drop the earliest events over the limit."""
    chars, first = recent.chars, 0
    while chars > max_chars and first < len(recent.events):
        chars -= _count_chars(recent.events[first])
        first += 1
    if not first:
        return recent
    return RecentActivity(recent.events[first:], chars, recent.dropped_count + first)


def _truncate_event(event: ActivityEvent) -> ActivityEvent:
    match event:
        case TurnStarted() | PromptDelivered():
            return event.model_copy(
                update={"prompt": _truncate_text(event.prompt, _MAX_TEXT_CHARS)}
            )
        case ReplyCompleted():
            text = _truncate_text(join_text(event.content), _MAX_TEXT_CHARS)
            return event.model_copy(update={"content": (TextBlock(text=text),)})
        case ToolEnded():
            text, diff = get_output_text(event), event.diff
            return event.model_copy(
                update={
                    "text": _truncate_lines(
                        text, _MAX_OUTPUT_LINES, keeps_end=event.tool == "bash"
                    ),
                    "diff": _truncate_lines(diff, _MAX_DIFF_LINES),
                    "title": _truncate_line(event.title),
                    "target": "",
                }
            )
        case TurnCompleted():
            return event.model_copy(update={"text": ""})
        case TurnInterrupted() | TurnFailed():
            return event.model_copy(
                update={"partial_text": _truncate_text(event.partial_text, _MAX_TEXT_CHARS)}
            )


def _truncate_text(text: str, max_chars: int) -> str:
    more = len(text) - max_chars
    return f"{text[:max_chars]}\n\n… {more:,} more characters" if more > 0 else text


def _truncate_lines(text: str, max_lines: int, *, keeps_end: bool = False) -> str:
    """Return the first or the last lines and the number of the others."""
    if not text.strip():
        return ""
    lines = text.rstrip("\n").split("\n")
    more = len(lines) - max_lines
    count = f"… +{more:,} lines"
    kept = [count, *lines[more:]] if keeps_end else [*lines[:max_lines], count]
    return "\n".join(_truncate_line(line) for line in (kept if more > 1 else lines))


def _truncate_line(text: str) -> str:
    return f"{text[:_MAX_LINE_CHARS]}…" if len(text) > _MAX_LINE_CHARS else text


def _count_chars(event: ActivityEvent) -> int:
    match event:
        case TurnStarted() | PromptDelivered():
            text = event.prompt
        case ReplyCompleted():
            text = join_text(event.content)
        case ToolEnded():
            text = f"{event.title}{event.text}{event.diff}"
        case TurnInterrupted():
            text = event.partial_text
        case TurnFailed():
            text = f"{event.detail}{event.partial_text}"
        case TurnCompleted():
            text = ""
    return _EVENT_CHARS + len(text)


def _format_lines(event: ActivityEvent) -> list[str]:
    match event:
        case TurnStarted(has_prompt=False):
            return []
        case TurnStarted() | PromptDelivered():
            return [f"▸ {event.prompt}"]
        case ReplyCompleted():
            return [line for line in join_text(event.content).splitlines() if line.strip()]
        case ToolEnded():
            return [f"● {describe_ended(event)} ({event.status})"]
        case TurnFailed():
            return [f"failed: {event.detail}"]
        case TurnCompleted() | TurnInterrupted():
            return []
