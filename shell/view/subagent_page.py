"""The page of one subagent: what it was asked, said and did, as the session's own is shown. Pure.

The events that are kept of it go through the same function as those of the session, and what that
would print is laid out here.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import assert_never

from actors.sessions.transcripts import id_of
from messages.address import Address
from messages.turns import TextDelta, ToolEnded, TurnFailed, TurnInterrupted, UpwardEvent
from shell.view.below import Subagent, clock
from shell.view.blocks import Tail, goes_on
from shell.view.events import received
from shell.view.ink import Row, cut, flowed
from shell.view.live import tail_rows
from shell.view.pager import Page
from shell.view.recent import Recent
from shell.view.render import said_rows
from shell.view.state import Effect, PrintMarkdown, PrintNotice, PrintPrompt, RunningTurn, State
from shell.view.subagent_rows import asking_of, doing
from shell.view.tool_row import tool_rows
from shell.visible import visible, visible_line

WRITE = "Enter: write · "
STOP = "x: stop · "
KEYS = "←: list · PgUp PgDn ↑ ↓ · Esc closes"
NOTHING = "(it has said nothing yet)"
_BLANK: Row = (("plain", ""),)
_MOST_TAIL_ROWS = 1_000

Item = PrintPrompt | PrintMarkdown | PrintNotice | ToolEnded
"""What is shown of it; an agent below prints nothing else."""


def subagent_page(state: State, agent: Address, now_s: float) -> Page:
    """Put on a page what an agent said and did, with the reply that it is at."""
    row = state.below.rows[agent]
    at = doing(row, asks=agent in asking_of(state))
    told = (agent.name, visible_line(row.description), at, clock(row, now_s), row.wrote)
    write = WRITE if row.waits_for_more else ""
    stop = STOP if row.doing != "ended" else ""
    earlier = _earlier(row, state.session.file if state.session else "")
    rows = partial(_rows, row.recent, row.streamed, tuple(row.tools.values()), earlier)
    return Page(" · ".join(filter(None, told)), rows, write + stop + KEYS, agent)


def _earlier(row: Subagent, session_file: str) -> str:
    """Say how much is missing at the beginning, and where it is; empty: nothing is."""
    dropped = row.recent.dropped
    if not dropped:
        return ""
    path = Path(session_file)
    transcript = path.parent / "subagents" / path.stem / f"agent-{id_of(row.address)}.jsonl"
    return f"… {dropped:,} earlier events" + (f" are in {transcript}" if session_file else "")


@lru_cache(maxsize=4)
def _rows(
    recent: Recent, streamed: str, calls: tuple[str, ...], earlier: str, width: int
) -> tuple[Row, ...]:
    items, tail = _shown(recent, streamed)
    rows: list[Row] = []
    if earlier:
        rows += [*((("dim", line),) for line in flowed(visible(earlier), width)), _BLANK]
    for item in items:
        rows += _item_rows(item, width)  # pyright: ignore[reportArgumentType]  (messages are frozen)
    rows += tail_rows(tail, width, _MOST_TAIL_ROWS)
    rows += [(("warn", "● "), ("plain", cut(visible_line(call), width - 2))) for call in calls]
    return tuple(rows) or ((("plain", NOTHING),),)


def _shown(recent: Recent, streamed: str) -> tuple[list[Item], Tail]:
    """Say what the screen would have printed, and what of the text is not yet finished."""
    state, items = State(), list[Item]()
    for event in recent.events:
        if isinstance(event, TurnInterrupted | TurnFailed) and event.partial:
            state = _heard(state, TextDelta(text=event.partial), items)
        state = _heard(state, event, items)
    if streamed:
        state = _heard(state, TextDelta(text=streamed), items)
    return items, state.turn.tail if state.turn else Tail()


def _heard(state: State, event: UpwardEvent | TextDelta, items: list[Item]) -> State:
    """Take in one event; also of a turn whose beginning is not kept any more."""
    if isinstance(event, TextDelta) and state.turn is None:
        state = replace(state, turn=RunningTurn(began_s=0.0))
    state, effects = received(state, event, 0.0)
    items += _items(effects)
    return state


def _items(effects: Iterable[Effect]) -> list[Item]:
    return [effect for effect in effects if isinstance(effect, Item)]


@lru_cache(maxsize=512)
def _item_rows(item: Item, width: int) -> tuple[Row, ...]:
    """Lay one out, with a blank row behind it; it stays as it is, hence remembered."""
    match item:
        case PrintPrompt():
            rows = said_rows(item.text, width)
        case PrintMarkdown():
            rows = _prose_rows(item.text, width)
        case PrintNotice():
            rows = [((item.tone, line),) for line in flowed(visible(item.text), width)]
        case ToolEnded():
            rows = tool_rows(item, width)
        case _:
            assert_never(item)
    return (*rows, *(() if isinstance(item, PrintMarkdown) and goes_on(item.text) else (_BLANK,)))


def _prose_rows(text: str, width: int) -> list[Row]:
    from shell.view.markdown import laid_out  # noqa: PLC0415  (the first screen comes first)

    lines = laid_out(text, width, colour=False) if text else []
    return [(("plain", line),) for line in lines]
