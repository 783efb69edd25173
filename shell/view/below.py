"""What the screen knows of subagents: one row each, until its task has ended. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from messages.address import Address
from messages.content import ToolUseBlock, text_of
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import (
    AgentReport,
    Delta,
    MessageDelta,
    ModelRetrying,
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from shell.inbox import OfSubagent
from shell.view import figures

MOST_TOLD = 400
"""Lines that are kept of each."""
MOST_STREAMED_CHARS = 20_000
"""Of a reply that is not whole yet, so much of its end is kept."""
Doing = Literal["starting", "queued", "thinking", "working", "waiting", "idle", "ended"]
"""What it is at; waiting: for those below it."""


@dataclass(frozen=True, slots=True)
class Subagent:
    """One agent below the one that the person talks with."""

    address: Address
    agent: str
    description: str
    began_s: float
    doing: Doing = "starting"
    at: str = ""
    """The call it is at, or why it is not."""
    tools: Mapping[str, str] = field(default_factory=dict[str, str])
    """Titles of its running calls."""
    tokens: int = 0
    """That it wrote."""
    call_id: str = ""
    """The call that it works for."""
    lives: int = 1
    """How often it was begun."""
    told: tuple[str, ...] = ()
    """What it said and did, the last of it."""
    streamed: str = ""
    """The reply that it is at, as far as it has come; of whom the person looks at."""
    one_shot: bool = True
    """It ends with its task."""
    ended_s: float | None = None

    @property
    def waits_for_more(self) -> bool:
        """It has done its task, and stays for what the person says to it."""
        return self.doing == "idle" and not self.one_shot


@dataclass(frozen=True)
class Below:
    """All subagents of this run, in the order of their start.

    Without slots: what a frame asks for many times is found out once.
    """

    rows: Mapping[Address, Subagent] = field(default_factory=dict[Address, Subagent])

    @cached_property
    def in_order(self) -> tuple[Subagent, ...]:
        """List those that have not ended, each below the one that started it."""
        return tuple(
            sorted(self.running, key=lambda row: [_key(name) for name in row.address.names])
        )

    def called(self, name: str) -> Subagent | None:
        """Find one by its name, which nobody else has, or by a path that ends so."""
        wanted = tuple(name.strip("/").split("/"))
        rows = self.rows.values()
        return next((row for row in rows if row.address.names[-len(wanted) :] == wanted), None)

    @cached_property
    def running(self) -> tuple[Subagent, ...]:
        """Those that have not ended."""
        return tuple(row for row in self.rows.values() if row.doing != "ended")

    def with_row(self, row: Subagent) -> "Below":
        """Replace one, or add it."""
        return Below({**self.rows, row.address: row})


def heard(below: Below, said: OfSubagent, now_s: float) -> Below:
    """Take in an event of a subagent, or of any agent about those below it."""
    event = said.event
    match event:
        case SubagentStarted():
            return below.with_row(_begun(below.rows.get(event.child), event, now_s))
        case SubagentEnded():
            return _ended(below, event, now_s)
        case _:
            row_found = below.rows.get(said.source)
            return below.with_row(_taken(row_found, event)) if row_found else below


def _ended(below: Below, event: SubagentEnded, now_s: float) -> Below:
    """Let one rest that stays for more; else it is gone, with all below it."""
    row = below.rows.get(event.child)
    if row is None:
        return below
    if not row.one_shot and event.status != "failed":
        return below.with_row(replace(row, doing="idle", at=event.detail, tools={}))
    gone = (each for each in below.running if each.address.is_under(event.child))
    for each in gone:
        at = event.detail if each is row else ""
        below = below.with_row(replace(each, doing="ended", at=at, tools={}, ended_s=now_s))
    return below


def clock(row: Subagent, now_s: float) -> str:
    """Say how long it has been at it."""
    return figures.clock((row.ended_s or now_s) - row.began_s)


def _begun(earlier: Subagent | None, event: SubagentStarted, now_s: float) -> Subagent:
    row = Subagent(
        event.child,
        event.agent,
        event.description,
        now_s,
        call_id=event.call_id,
        lives=event.start,
        one_shot=event.one_shot,
    )
    return row if earlier is None else replace(row, tokens=earlier.tokens, told=earlier.told)


def _key(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition("-")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def _told(row: Subagent, event: AgentReport) -> Subagent:
    lines: tuple[str, ...]
    match event:
        case TurnStarted():
            lines = (f"▸ {event.prompt}",)
        case ReplyCompleted():
            lines = tuple(line for line in text_of(event.content).splitlines() if line.strip())
        case ToolEnded():
            lines = (f"● {event.title} ({event.status})",)
        case TurnFailed():
            lines = (f"failed: {event.detail}",)
        case _:
            return row
    return replace(row, told=(*row.told, *lines)[-MOST_TOLD:])


def _taken(row: Subagent, event: AgentReport | Delta) -> Subagent:
    if isinstance(event, Delta):
        said = event.text if isinstance(event, MessageDelta) else ""
        return replace(row, streamed=(row.streamed + said)[-MOST_STREAMED_CHARS:])
    row = _told(_moved(row, event), event)
    over = ReplyCompleted | ModelRetrying | TurnCompleted | TurnInterrupted | TurnFailed
    return replace(row, streamed="") if isinstance(event, over) else row


def _moved(row: Subagent, event: AgentReport) -> Subagent:  # noqa: PLR0911  (a case an event)
    match event:
        case SubagentQueued():
            return replace(row, doing="queued", at=f"for one of {event.places} places")
        case TurnStarted():
            return replace(row, doing="thinking", at="")
        case ModelRetrying():
            return replace(row, doing="thinking", at=event.detail)
        case ReplyCompleted():
            acts = any(isinstance(block, ToolUseBlock) for block in event.content)
            tokens = row.tokens + event.usage.output_tokens
            return replace(row, doing="working" if acts else "thinking", at="", tokens=tokens)
        case ToolStarted():
            return _at(row, {**row.tools, event.call_id: event.title})
        case ToolEnded():
            left = {key: title for key, title in row.tools.items() if key != event.call_id}
            return _at(row, left)
        case TurnCompleted() | TurnInterrupted() | TurnFailed() if row.doing != "ended":
            return replace(row, doing="idle", at="", tools={})
        case _:
            return row


def _at(row: Subagent, tools: dict[str, str]) -> Subagent:
    if not tools:
        return replace(row, doing="thinking", at="", tools=tools)
    return replace(row, doing="working", at=next(reversed(tools.values())), tools=tools)
