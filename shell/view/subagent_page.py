"""The page of one subagent: what it was asked, said and did, as the session's own is shown. Pure.

The events that are kept of it go through the same function as those of the session, and what that
would print is laid out here.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import assert_never

from actors.sessions.transcript_writer import make_transcript_id
from messages.address import Address
from messages.turns import TextDelta, ToolEnded, TurnFailed, TurnInterrupted, UpwardEvent
from shell.text.sanitize import sanitize_line, visible
from shell.view.event_reducer import apply_event
from shell.view.markdown_blocks import MarkdownTail, is_continued
from shell.view.pager import Page
from shell.view.progress_rows import render_tail_rows
from shell.view.screen_state import (
    PrintMarkdown,
    PrintNotice,
    PrintPrompt,
    RunningTurn,
    ScreenEffect,
    ScreenState,
)
from shell.view.scrollback_renderer import render_prompt_rows
from shell.view.styled_text import Row, truncate, wrap_words
from shell.view.subagent_activity import Recent
from shell.view.subagent_list import Subagent, format_elapsed
from shell.view.subagent_rows import find_waiting_agents, format_phase
from shell.view.tool_call_rows import render_tool_rows

WRITE_KEY_HINT = "Enter: write · "
STOP_KEY_HINT = "x: stop · "
PAGE_KEY_HINT = "←: list · PgUp PgDn ↑ ↓ · Esc closes"
EMPTY_PAGE_TEXT = "(it has said nothing yet)"
_BLANK: Row = (("plain", ""),)
_MOST_TAIL_ROWS = 1_000

PageItem = PrintPrompt | PrintMarkdown | PrintNotice | ToolEnded
"""What is shown of it; an agent below prints nothing else."""


def build_subagent_page(state: ScreenState, agent: Address, now_s: float) -> Page:
    """Put on a page what an agent said and did, with the reply that it is at."""
    row = state.subagents.subagents[agent]
    at = format_phase(row, is_waiting=agent in find_waiting_agents(state))
    told = (
        agent.name,
        sanitize_line(row.description),
        at,
        format_elapsed(row, now_s),
        row.token_text,
    )
    write = WRITE_KEY_HINT if row.is_awaiting_prompt else ""
    stop = STOP_KEY_HINT if row.phase != "ended" else ""
    earlier = _earlier(row, state.session.session_file if state.session else "")
    rows = partial(
        _rows, row.activity, row.streamed_text, tuple(row.running_tools.values()), earlier
    )
    return Page(" · ".join(filter(None, told)), rows, write + stop + PAGE_KEY_HINT, agent)


def _earlier(row: Subagent, session_file: str) -> str:
    """Say how much is missing at the beginning, and where it is; empty: nothing is."""
    dropped = row.activity.dropped_count
    if not dropped:
        return ""
    path = Path(session_file)
    transcript = (
        path.parent / "subagents" / path.stem / f"agent-{make_transcript_id(row.address)}.jsonl"
    )
    return f"… {dropped:,} earlier events" + (f" are in {transcript}" if session_file else "")


@lru_cache(maxsize=4)
def _rows(
    recent: Recent, streamed: str, calls: tuple[str, ...], earlier: str, width: int
) -> tuple[Row, ...]:
    items, tail = _shown(recent, streamed)
    rows: list[Row] = []
    if earlier:
        rows += [*((("dim", line),) for line in wrap_words(visible(earlier), width)), _BLANK]
    for item in items:
        rows += _item_rows(item, width)  # pyright: ignore[reportArgumentType]  (messages are frozen)
    rows += render_tail_rows(tail, width, _MOST_TAIL_ROWS)
    rows += [
        (("warn", "● "), ("plain", truncate(sanitize_line(call), width - 2))) for call in calls
    ]
    return tuple(rows) or ((("plain", EMPTY_PAGE_TEXT),),)


def _shown(recent: Recent, streamed: str) -> tuple[list[PageItem], MarkdownTail]:
    """Say what the screen would have printed, and what of the text is not yet finished."""
    state, items = ScreenState(), list[PageItem]()
    for event in recent.events:
        if isinstance(event, TurnInterrupted | TurnFailed) and event.partial_text:
            state = _heard(state, TextDelta(text=event.partial_text), items)
        state = _heard(state, event, items)
    if streamed:
        state = _heard(state, TextDelta(text=streamed), items)
    return items, state.turn.tail if state.turn else MarkdownTail()


def _heard(
    state: ScreenState, event: UpwardEvent | TextDelta, items: list[PageItem]
) -> ScreenState:
    """Take in one event; also of a turn whose beginning is not kept any more."""
    if isinstance(event, TextDelta) and state.turn is None:
        state = replace(state, turn=RunningTurn(started_s=0.0))
    state, effects = apply_event(state, event, 0.0)
    items += _items(effects)
    return state


def _items(effects: Iterable[ScreenEffect]) -> list[PageItem]:
    return [effect for effect in effects if isinstance(effect, PageItem)]


@lru_cache(maxsize=512)
def _item_rows(item: PageItem, width: int) -> tuple[Row, ...]:
    """Lay one out, with a blank row behind it; it stays as it is, hence remembered."""
    match item:
        case PrintPrompt():
            rows = render_prompt_rows(item.text, width)
        case PrintMarkdown():
            rows = _prose_rows(item.text, width)
        case PrintNotice():
            rows = [((item.tone, line),) for line in wrap_words(visible(item.text), width)]
        case ToolEnded():
            rows = render_tool_rows(item, width)
        case _:
            assert_never(item)
    return (
        *rows,
        *(() if isinstance(item, PrintMarkdown) and is_continued(item.text) else (_BLANK,)),
    )


def _prose_rows(text: str, width: int) -> list[Row]:
    from shell.view.markdown_renderer import render_markdown  # noqa: PLC0415  (the first screen comes first)

    lines = render_markdown(text, width, color=False) if text else []
    return [(("plain", line),) for line in lines]
