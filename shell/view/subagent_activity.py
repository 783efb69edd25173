"""The last that an agent below was asked, said and did, shortened so that it can be kept. Pure.

It is kept as the events that tell it: a page shows them as the screen shows those of the session.
"""

from dataclasses import dataclass
from functools import cached_property

from messages.content import TextBlock, join_text
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.view.tool_call_rows import get_output_text

ActivityEvent = (
    TurnStarted | ReplyCompleted | ToolEnded | TurnCompleted | TurnInterrupted | TurnFailed
)
MAX_ACTIVITY_CHARS = 40_000
"""Of one agent so much is kept, the latest."""
_EVENT_CHARS = 500
"""What an event takes beside its text."""
_MOST_TEXT_CHARS = 12_000
_OUTPUT_LINES, _DIFF_LINES = 3, 8
_LINE_CHARS = 300
_LAST_LINES = 4


@dataclass(frozen=True)
class Recent:
    """Events in their order; without slots, since what a frame asks for is found out once."""

    events: tuple[ActivityEvent, ...] = ()
    chars: int = 0
    """What they take in memory, about."""
    dropped_count: int = 0
    """So many came before them."""

    @cached_property
    def latest_lines(self) -> tuple[str, ...]:
        """Say in a few lines what came last."""
        lines: list[str] = []
        for event in reversed(self.events):
            lines = [*_lines(event), *lines]
            if len(lines) >= _LAST_LINES:
                break
        return tuple(lines[-_LAST_LINES:])


def with_event(recent: Recent, event: ActivityEvent) -> Recent:
    """Keep one event more, shortened; the earliest go when there is too much."""
    short = _shortened(event)
    chars = recent.chars + _chars_of(short)
    return trim(Recent((*recent.events, short), chars, recent.dropped_count), MAX_ACTIVITY_CHARS)


def trim(recent: Recent, max_chars: int) -> Recent:
    """Keep only so much, the latest."""
    chars, first = recent.chars, 0
    while chars > max_chars and first < len(recent.events):
        chars -= _chars_of(recent.events[first])
        first += 1
    return Recent(recent.events[first:], chars, recent.dropped_count + first) if first else recent


def _shortened(event: ActivityEvent) -> ActivityEvent:
    match event:
        case TurnStarted():
            return event.model_copy(update={"prompt": _begun(event.prompt, _MOST_TEXT_CHARS)})
        case ReplyCompleted():
            text = _begun(join_text(event.content), _MOST_TEXT_CHARS)
            return event.model_copy(update={"content": (TextBlock(text=text),)})
        case ToolEnded():
            text, diff = get_output_text(event), event.diff
            short = {"text": _first(text, _OUTPUT_LINES), "diff": _first(diff, _DIFF_LINES)}
            return event.model_copy(update={**short, "title": _line(event.title), "target": ""})
        case TurnCompleted():
            return event.model_copy(update={"text": ""})
        case TurnInterrupted() | TurnFailed():
            return event.model_copy(
                update={"partial_text": _begun(event.partial_text, _MOST_TEXT_CHARS)}
            )


def _begun(text: str, most_chars: int) -> str:
    more = len(text) - most_chars
    return f"{text[:most_chars]}\n\n… {more:,} characters more" if more > 0 else text


def _first(text: str, most_lines: int) -> str:
    """Keep the first lines, and say how many follow."""
    if not text.strip():
        return ""
    lines = text.rstrip("\n").split("\n")
    more = len(lines) - most_lines
    shown = lines if more <= 1 else [*lines[:most_lines], f"… +{more:,} lines"]
    return "\n".join(_line(line) for line in shown)


def _line(text: str) -> str:
    return f"{text[:_LINE_CHARS]}…" if len(text) > _LINE_CHARS else text


def _chars_of(event: ActivityEvent) -> int:
    match event:
        case TurnStarted():
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


def _lines(event: ActivityEvent) -> list[str]:
    match event:
        case TurnStarted():
            return [f"▸ {event.prompt}"]
        case ReplyCompleted():
            return [line for line in join_text(event.content).splitlines() if line.strip()]
        case ToolEnded():
            return [f"● {event.title} ({event.status})"]
        case TurnFailed():
            return [f"failed: {event.detail}"]
        case TurnCompleted() | TurnInterrupted():
            return []
