"""What the screen knows of subagents: one row each, until its task has ended. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from messages.address import Address
from messages.content import ToolUseBlock
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import (
    Delta,
    ModelRetrying,
    ReplyCompleted,
    ReplyProgress,
    SessionConfigured,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolInputDelta,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UpwardEvent,
)
from shell.console.screen_events import SubagentEvent
from shell.view import number_format, subagent_activity
from shell.view.subagent_activity import ActivityEvent, Recent

_LEAST_TOLD_CHARS = 100
"""A first reply of less is not estimated: it was told of as it began, and has grown since."""
MAX_STREAMED_CHARS = 12_000
"""Of a reply that is not whole yet, so much of its end is kept."""
MAX_TREE_ACTIVITY_CHARS = 4_000_000
"""What is kept of all of them; then those that have ended keep nothing, and the others less."""
SubagentPhase = Literal["starting", "queued", "thinking", "writing", "working", "idle", "ended"]


@dataclass(frozen=True, slots=True)
class Subagent:
    """One agent below the one that the person talks with."""

    address: Address
    agent: str
    description: str
    started_s: float
    phase: SubagentPhase = "starting"
    phase_detail: str = ""
    """The call it is at, or why it is not."""
    running_tools: Mapping[str, str] = field(default_factory=dict[str, str])
    """Titles of its running calls."""
    output_tokens: int = 0
    """Of its whole replies, as the API counts them."""
    reply_chars: int = 0
    """Of the reply that it is at, as it last told."""
    call_id: str = ""
    """The call that it works for."""
    task_number: int = 1
    """How often it was begun."""
    activity: Recent = field(default_factory=Recent)
    """What it was asked, said and did, the last of it."""
    streamed_text: str = ""
    """Text of the reply that it is at, as far as it has come; of whom the person looks at."""
    one_shot: bool = True
    """It ends with its task."""
    ended_s: float | None = None

    @property
    def is_awaiting_prompt(self) -> bool:
        """It has done its task, and stays for what the person says to it."""
        return self.phase == "idle" and not self.one_shot

    @property
    def token_text(self) -> str:
        """Say how much it wrote; empty: that is not known yet."""
        known = self.output_tokens or self.reply_chars >= _LEAST_TOLD_CHARS
        return number_format.format_tokens(self.output_tokens, self.reply_chars) if known else ""


@dataclass(frozen=True)
class SubagentList:
    """All subagents of this run, in the order of their start.

    Without slots: what a frame asks for many times is found out once.
    """

    subagents: Mapping[Address, Subagent] = field(default_factory=dict[Address, Subagent])
    activity_chars: int = 0
    """What all that is kept of them takes."""

    @cached_property
    def running_in_tree_order(self) -> tuple[Subagent, ...]:
        """List those that have not ended, each below the one that started it."""
        return tuple(
            sorted(self.running, key=lambda row: [_key(name) for name in row.address.segments])
        )

    def find_by_name(self, name: str) -> Subagent | None:
        """Find one by its name, which nobody else has, or by a path that ends so."""
        wanted = tuple(name.strip("/").split("/"))
        rows = self.subagents.values()
        return next((row for row in rows if row.address.segments[-len(wanted) :] == wanted), None)

    @cached_property
    def running(self) -> tuple[Subagent, ...]:
        """Those that have not ended."""
        return tuple(row for row in self.subagents.values() if row.phase != "ended")

    def with_subagent(self, row: Subagent) -> "SubagentList":
        """Replace one, or add it."""
        earlier = self.subagents.get(row.address)
        chars = (
            self.activity_chars + row.activity.chars - (earlier.activity.chars if earlier else 0)
        )
        below = SubagentList({**self.subagents, row.address: row}, chars)
        return below if chars <= MAX_TREE_ACTIVITY_CHARS else below._cut_down()

    def _cut_down(self) -> "SubagentList":
        """Keep half of what may be, so that this is seldom done."""
        share = MAX_TREE_ACTIVITY_CHARS // 2 // max(len(self.running), 1)
        rows = {
            address: replace(
                row,
                activity=subagent_activity.trim(row.activity, 0 if row.phase == "ended" else share),
            )
            for address, row in self.subagents.items()
        }
        return SubagentList(rows, sum(row.activity.chars for row in rows.values()))


def apply_subagent_event(
    below: SubagentList, subagent_event: SubagentEvent, now_s: float
) -> SubagentList:
    """Take in an event of a subagent, or of any agent about those below it."""
    event = subagent_event.event
    match event:
        case SubagentStarted():
            return below.with_subagent(_begun(below.subagents.get(event.child), event, now_s))
        case SubagentEnded():
            return _ended(below, event, now_s)
        case _:
            row_found = below.subagents.get(subagent_event.source)
            return below.with_subagent(_heard_of(row_found, event)) if row_found else below


def _ended(below: SubagentList, event: SubagentEnded, now_s: float) -> SubagentList:
    """Let one rest that stays for more; else it is gone, with all below it."""
    row = below.subagents.get(event.child)
    if row is None:
        return below
    if not row.one_shot and event.status != "failed":
        return below.with_subagent(
            replace(row, phase="idle", phase_detail=event.detail, running_tools={})
        )
    gone = (each for each in below.running if each.address.is_under(event.child))
    for each in gone:
        at = event.detail if each is row else ""
        below = below.with_subagent(
            replace(each, phase="ended", phase_detail=at, running_tools={}, ended_s=now_s)
        )
    return below


def format_elapsed(row: Subagent, now_s: float) -> str:
    """Say how long it has been at it."""
    return number_format.format_duration((row.ended_s or now_s) - row.started_s)


def _begun(earlier: Subagent | None, event: SubagentStarted, now_s: float) -> Subagent:
    row = Subagent(
        event.child,
        event.agent_type,
        event.description,
        now_s,
        call_id=event.call_id,
        task_number=event.task_number,
        one_shot=event.one_shot,
    )
    return (
        row
        if earlier is None
        else replace(row, output_tokens=earlier.output_tokens, activity=earlier.activity)
    )


def _key(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition("-")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def _heard_of(row: Subagent, event: UpwardEvent | Delta | SessionConfigured) -> Subagent:
    """Take in an event of its own."""
    match event:
        case TextDelta():
            return replace(
                row, streamed_text=(row.streamed_text + event.text)[-MAX_STREAMED_CHARS:]
            )
        case ThinkingDelta() | ToolInputDelta():
            return row
        case SessionConfigured():  # what has come of its reply follows anew, and whole
            return replace(row, streamed_text="")
        case _:
            return _over(_kept(_moved(row, event), event), event)


def _kept(row: Subagent, event: UpwardEvent) -> Subagent:
    return (
        replace(row, activity=subagent_activity.with_event(row.activity, event))
        if isinstance(event, ActivityEvent)
        else row
    )


def _over(row: Subagent, event: UpwardEvent) -> Subagent:
    """Leave the reply that it was at, if this ends it."""
    ends = ReplyCompleted | ModelRetrying | TurnCompleted | TurnInterrupted | TurnFailed
    return replace(row, streamed_text="", reply_chars=0) if isinstance(event, ends) else row


def _moved(row: Subagent, event: UpwardEvent) -> Subagent:  # noqa: PLR0911  (a case an event)
    match event:
        case SubagentQueued():
            return replace(
                row, phase="queued", phase_detail=f"for one of {event.slot_limit} places"
            )
        case TurnStarted():
            return replace(row, phase="thinking", phase_detail="")
        case ModelRetrying():
            return replace(row, phase="thinking", phase_detail=event.detail)
        case ReplyProgress() if row.phase != "ended":
            at_it: SubagentPhase = "writing" if event.has_text else "thinking"
            return replace(row, phase=at_it, phase_detail="", reply_chars=event.char_count)
        case ReplyCompleted():
            acts = any(isinstance(block, ToolUseBlock) for block in event.content)
            tokens = row.output_tokens + event.usage.output_tokens
            return replace(
                row, phase="working" if acts else "thinking", phase_detail="", output_tokens=tokens
            )
        case ToolStarted():
            return _at(row, {**row.running_tools, event.call_id: event.title})
        case ToolEnded():
            left = {key: title for key, title in row.running_tools.items() if key != event.call_id}
            return _at(row, left)
        case TurnCompleted() | TurnInterrupted() | TurnFailed() if row.phase != "ended":
            return replace(row, phase="idle", phase_detail="", running_tools={})
        case _:
            return row


def _at(row: Subagent, tools: dict[str, str]) -> Subagent:
    if not tools:
        return replace(row, phase="thinking", phase_detail="", running_tools=tools)
    return replace(
        row, phase="working", phase_detail=next(reversed(tools.values())), running_tools=tools
    )
