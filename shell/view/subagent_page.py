"""The page of one subagent: its prompts, replies and calls, as for the primary agent. Pure.

The subagent's events go through the same reducer as those of the primary agent, and the page shows
what that would print.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import assert_never

from actors.sessions.subagent_transcripts import make_transcript_id
from messages.address import Address
from messages.turns import TextDelta, TurnFailed, TurnInterrupted, UpwardEvent
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.approval_queue import format_call
from shell.view.event_reducer import apply_event
from shell.view.grouped_lookups import PrintLookups, render_lookup_row
from shell.view.markdown_blocks import MarkdownTail, is_continued
from shell.view.pager import Page
from shell.view.progress_rows import render_tail_rows
from shell.view.screen_state import (
    PrintCall,
    PrintMarkdown,
    PrintNotice,
    PrintPrompt,
    RunningTurn,
    ScreenEffect,
    ScreenState,
)
from shell.view.scrollback_renderer import render_prompt_rows
from shell.view.styled_text import Row, truncate, wrap_words
from shell.view.subagent_activity import RecentActivity
from shell.view.subagent_rows import find_waiting_agents, format_phase
from shell.view.subagent_states import Subagent, format_elapsed
from shell.view.tool_call_rows import render_tool_rows

WRITE_KEY_HINT = "Enter: write · "
CONTINUE_KEY_HINT = "Enter: continue · "
STOP_KEY_HINT = "x: stop · "
PAGE_KEY_HINT = "←: list · PgUp PgDn ↑ ↓ scroll · Esc closes"
EMPTY_PAGE_TEXT = "(no output yet)"
_BLANK_ROW: Row = (("plain", ""),)
_MAX_TAIL_ROWS = 1_000

PageItem = PrintPrompt | PrintMarkdown | PrintNotice | PrintCall | PrintLookups
"""The effects that the page shows; a subagent's events have no other ones that print."""


def build_subagent_page(state: ScreenState, agent: Address, now_s: float) -> Page:
    """Build the page of a subagent's activity, including its current reply."""
    subagent = state.subagents.subagents[agent]
    title = (
        agent.name,
        sanitize_line(subagent.description),
        format_phase(subagent, now_s, is_waiting=agent in find_waiting_agents(state)),
        format_elapsed(subagent, now_s),
        subagent.token_text,
    )
    write = WRITE_KEY_HINT if subagent.is_awaiting_prompt else ""
    stop = STOP_KEY_HINT if subagent.phase != "ended" else ""
    omission = _describe_omission(subagent, state.session.session_file if state.session else "")
    render_rows = partial(
        _render_rows,
        subagent.activity,
        subagent.streamed_text,
        _list_open_calls(subagent, state),
        omission,
    )
    resume = CONTINUE_KEY_HINT if subagent.phase == "paused" else ""
    key_hint = write + resume + stop + PAGE_KEY_HINT
    return Page(" · ".join(filter(None, title)), render_rows, key_hint, agent)


def _list_open_calls(subagent: Subagent, state: ScreenState) -> tuple[tuple[str, str], ...]:
    """Return the calls that run or wait for the user, each with its mark."""
    running = [("● ", title) for title in subagent.running_tools.values()]
    waiting = [
        ("⚠ ", f"needs your approval: {format_call(request)}")
        for request in state.approvals.of_agent(subagent.address)
    ]
    return (*running, *waiting)


def _describe_omission(subagent: Subagent, session_file: str) -> str:
    """Return how many earlier events are missing and where they are; empty: none is missing."""
    dropped = subagent.activity.dropped_count
    if not dropped:
        return ""
    path = Path(session_file)
    name = f"agent-{make_transcript_id(subagent.address)}.jsonl"
    transcript = path.parent / "subagents" / path.stem / name
    return f"… {dropped:,} earlier events" + (f" are in {transcript}" if session_file else "")


@lru_cache(maxsize=4)
def _render_rows(
    recent: RecentActivity,
    streamed_text: str,
    calls: tuple[tuple[str, str], ...],
    omission: str,
    width: int,
) -> tuple[Row, ...]:
    items, tail = _replay(recent, streamed_text)
    rows: list[Row] = []
    if omission:
        lines = wrap_words(sanitize(omission), width)
        rows += [*((("dim", line),) for line in lines), _BLANK_ROW]
    for item in items:
        rows += _render_item(item, width)  # pyright: ignore[reportArgumentType]  (messages are frozen)
    rows += render_tail_rows(tail, width, _MAX_TAIL_ROWS)
    rows += [
        (("warn", mark), ("plain", truncate(sanitize_line(call), width - 2)))
        for mark, call in calls
    ]
    return tuple(rows) or ((("plain", EMPTY_PAGE_TEXT),),)


def _replay(recent: RecentActivity, streamed_text: str) -> tuple[list[PageItem], MarkdownTail]:
    """Return what the screen would have printed, and the unfinished text."""
    state, items = ScreenState(), list[PageItem]()
    for event in recent.events:
        if isinstance(event, TurnInterrupted | TurnFailed) and event.partial_text:
            state = _replay_event(state, TextDelta(text=event.partial_text), items)
        state = _replay_event(state, event, items)
    if streamed_text:
        state = _replay_event(state, TextDelta(text=streamed_text), items)
    if state.lookups:
        items.append(PrintLookups(state.lookups))
    return items, state.turn.tail if state.turn else MarkdownTail()


def _replay_event(
    state: ScreenState, event: UpwardEvent | TextDelta, items: list[PageItem]
) -> ScreenState:
    """Apply one event; the start of its turn may have been dropped."""
    if isinstance(event, TextDelta) and state.turn is None:
        state = replace(state, turn=RunningTurn(started_s=0.0))
    state, effects = apply_event(state, event, 0.0)
    items += _select_items(effects)
    return state


def _select_items(effects: Iterable[ScreenEffect]) -> list[PageItem]:
    return [effect for effect in effects if isinstance(effect, PageItem)]


@lru_cache(maxsize=512)
def _render_item(item: PageItem, width: int) -> tuple[Row, ...]:
    """Lay out one item, followed by a blank row; cached, since it never changes."""
    match item:
        case PrintPrompt():
            rows = render_prompt_rows(item, width)
        case PrintMarkdown():
            rows = _render_markdown_rows(item.text, width)
        case PrintNotice():
            rows = [((item.tone, line),) for line in wrap_words(sanitize(item.text), width)]
        case PrintCall():
            rows = render_tool_rows(item, width)
        case PrintLookups():
            rows = [render_lookup_row(item.lookups, width)]
        case _:
            assert_never(item)
    continues = isinstance(item, PrintMarkdown) and is_continued(item.text)
    return (*rows, *(() if continues else (_BLANK_ROW,)))


def _render_markdown_rows(text: str, width: int) -> list[Row]:
    from shell.view.markdown_renderer import render_markdown_rows  # noqa: PLC0415  (rich is slow to import)

    return list(render_markdown_rows(text, width)) if text else []
