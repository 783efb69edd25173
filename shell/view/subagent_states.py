"""The subagents of a session as the screen knows them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from messages.address import Address
from messages.content import ToolUseBlock
from messages.subagents import (
    SubagentBackgrounded,
    SubagentEnded,
    SubagentQueued,
    SubagentsPaused,
    SubagentStarted,
    SubagentStatus,
)
from messages.turns import (
    AgentEvent,
    CommandOutput,
    ModelRetrying,
    ReplyActivity,
    ReplyCompleted,
    ReplyProgress,
    RequestPaused,
    RequestResumed,
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
from shell.console.screen_event_queue import SubagentEvent
from shell.view import number_format, subagent_activity
from shell.view.call_text import describe_started
from shell.view.subagent_activity import ActivityEvent, RecentActivity
from shell.view.waiting_model_request import PendingRequest, make_pending_request

_MIN_ESTIMATED_CHARS = 100
"""A shorter first reply is not estimated: its size was reported at its start and is outdated."""
MAX_STREAMED_CHARS = 12_000
"""Limit for an unfinished reply; its start is dropped."""
MAX_TREE_ACTIVITY_CHARS = 4_000_000
"""Limit for all agents; over it, ended agents lose their activity and running ones a part."""
MAX_LISTED_ENDED = 50
"""Ended agents that the task view lists."""
SubagentPhase = Literal[
    "starting", "queued", "waiting", "thinking", "writing", "working", "idle", "paused", "ended"
]


@dataclass(frozen=True, slots=True)
class Subagent:
    """One subagent, at any depth below the primary agent."""

    address: Address
    agent: str
    description: str
    started_s: float
    phase: SubagentPhase = "starting"
    phase_detail: str = ""
    """The running call, or the reason for waiting."""
    pending_request: PendingRequest | None = None
    """Why its request was not sent yet; only in the phase `waiting`."""
    running_tools: Mapping[str, str] = field(default_factory=dict[str, str])
    """Titles of the running calls by call id."""
    output_tokens: int = 0
    """Output tokens of completed replies, as counted by the API."""
    reply_chars: int = 0
    """Size of the current reply, as last reported."""
    call_id: str = ""
    """The `task` call that it works for."""
    task_number: int = 1
    """The number of its current task."""
    activity: RecentActivity = field(default_factory=RecentActivity)
    streamed_text: str = ""
    """Text of the current reply so far; only of the agent whose page is open."""
    one_shot: bool = True
    """The agent ends with its task."""
    is_background: bool = False
    """It works beside the turns of the agent that started it."""
    ended_s: float | None = None
    outcome: SubagentStatus | None = None
    """How its last task ended; None: it has not ended."""
    progress_s: float = 0.0
    """When it last did anything."""

    @property
    def is_awaiting_prompt(self) -> bool:
        """Whether it has finished its task and accepts more prompts."""
        return self.phase == "idle" and not self.one_shot

    @property
    def token_text(self) -> str:
        """The number of output tokens; empty: not known yet."""
        known = self.output_tokens or self.reply_chars >= _MIN_ESTIMATED_CHARS
        return number_format.format_tokens(self.output_tokens, self.reply_chars) if known else ""


@dataclass(frozen=True)
class SubagentList:
    """All subagents of this run, in the order in which they started.

    The class has no slots, because it caches what each frame asks for many times.
    """

    subagents: Mapping[Address, Subagent] = field(default_factory=dict[Address, Subagent])
    activity_chars: int = 0
    """Estimated size of the activity of all agents."""

    @cached_property
    def listed(self) -> tuple[Subagent, ...]:
        """The agents of the task view: those that run, then the last ones that ended."""
        ended = [subagent for subagent in self.subagents.values() if subagent.phase == "ended"]
        ended.sort(key=lambda subagent: subagent.ended_s or 0.0, reverse=True)
        return (*self.running_in_tree_order, *ended[:MAX_LISTED_ENDED])

    @cached_property
    def running_in_tree_order(self) -> tuple[Subagent, ...]:
        """The agents that have not ended, each after its parent."""
        return tuple(
            sorted(
                self.running,
                key=lambda subagent: [_get_sort_key(name) for name in subagent.address.segments],
            )
        )

    def find_by_name(self, name: str) -> Subagent | None:
        """Return the agent with this unique name, or with this end of its address."""
        segments = tuple(name.strip("/").split("/"))
        return next(
            (
                subagent
                for subagent in self.subagents.values()
                if subagent.address.segments[-len(segments) :] == segments
            ),
            None,
        )

    @cached_property
    def running(self) -> tuple[Subagent, ...]:
        """The agents that have not ended."""
        return tuple(subagent for subagent in self.subagents.values() if subagent.phase != "ended")

    def with_subagent(self, subagent: Subagent) -> "SubagentList":
        """Add or replace an agent."""
        earlier = self.subagents.get(subagent.address)
        chars = self.activity_chars + subagent.activity.chars
        chars -= earlier.activity.chars if earlier else 0
        updated = SubagentList({**self.subagents, subagent.address: subagent}, chars)
        return updated if chars <= MAX_TREE_ACTIVITY_CHARS else updated._trim()

    def _trim(self) -> "SubagentList":
        """Keep half of the limit, so that trimming is rare."""
        share = MAX_TREE_ACTIVITY_CHARS // 2 // max(len(self.running), 1)
        subagents = {
            address: replace(
                subagent,
                activity=subagent_activity.trim(
                    subagent.activity, 0 if subagent.phase == "ended" else share
                ),
            )
            for address, subagent in self.subagents.items()
        }
        chars = sum(subagent.activity.chars for subagent in subagents.values())
        return SubagentList(subagents, chars)


def apply_subagent_event(
    subagents: SubagentList, subagent_event: SubagentEvent, now_s: float
) -> SubagentList:
    """Apply an event of a subagent, or of any agent about its subagents."""
    event = subagent_event.event
    match event:
        case SubagentStarted():
            earlier = subagents.subagents.get(event.child)
            return subagents.with_subagent(_create_subagent(earlier, event, now_s))
        case SubagentBackgrounded() if event.child in subagents.subagents:
            moved = subagents.subagents[event.child]
            return subagents.with_subagent(replace(moved, is_background=True))
        case SubagentsPaused():
            return _on_subagents_paused(subagents, event)
        case SubagentEnded():
            return _on_subagent_ended(subagents, event, now_s)
        case _:
            subagent = subagents.subagents.get(subagent_event.source)
            if subagent is None:
                return subagents
            subagent = replace(_apply_event(subagent, event, now_s), progress_s=now_s)
            return subagents.with_subagent(subagent)


def _on_subagents_paused(subagents: SubagentList, event: SubagentsPaused) -> SubagentList:
    for address in event.agents:
        subagent = subagents.subagents.get(address)
        if subagent is not None:
            changes = replace(subagent, phase="paused", phase_detail="", is_background=True)
            subagents = subagents.with_subagent(replace(changes, ended_s=None, outcome=None))
    return subagents


def _on_subagent_ended(subagents: SubagentList, event: SubagentEnded, now_s: float) -> SubagentList:
    """Make an interactive agent idle; else mark the agent and its whole subtree as ended."""
    ended = subagents.subagents.get(event.child)
    if ended is None:
        return subagents
    if not ended.one_shot and event.status != "failed":
        return subagents.with_subagent(
            replace(
                ended,
                phase="idle",
                phase_detail=event.detail,
                running_tools={},
                is_background=False,
            )
        )
    subtree = (agent for agent in subagents.running if agent.address.is_under(event.child))
    for subagent in subtree:
        detail = event.detail if subagent is ended else ""
        subagents = subagents.with_subagent(
            replace(
                subagent,
                phase="ended",
                phase_detail=detail,
                running_tools={},
                ended_s=now_s,
                outcome=event.status,
            )
        )
    return subagents


def format_elapsed(subagent: Subagent, now_s: float) -> str:
    """Return how long the agent has worked on its task."""
    return number_format.format_duration((subagent.ended_s or now_s) - subagent.started_s)


def _create_subagent(earlier: Subagent | None, event: SubagentStarted, now_s: float) -> Subagent:
    subagent = Subagent(
        event.child,
        event.agent_type,
        event.description,
        now_s,
        call_id=event.call_id,
        task_number=event.task_number,
        one_shot=event.one_shot,
        is_background=event.is_background,
        progress_s=now_s,
    )
    if earlier is None:
        return subagent
    return replace(subagent, output_tokens=earlier.output_tokens, activity=earlier.activity)


def _get_sort_key(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition("-")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def _apply_event(subagent: Subagent, event: AgentEvent, now_s: float) -> Subagent:
    """Apply an event that the agent itself published."""
    match event:
        case TextDelta():
            text = (subagent.streamed_text + event.text)[-MAX_STREAMED_CHARS:]
            return replace(subagent, streamed_text=text)
        case ThinkingDelta() | ToolInputDelta() | ReplyActivity() | CommandOutput():
            return subagent
        case SessionConfigured():  # the current reply follows again from its start
            return replace(subagent, streamed_text="")
        case _:
            return _end_reply(_record_activity(_update_phase(subagent, event, now_s), event), event)


def _record_activity(subagent: Subagent, event: UpwardEvent) -> Subagent:
    if not isinstance(event, ActivityEvent):
        return subagent
    return replace(subagent, activity=subagent_activity.with_event(subagent.activity, event))


def _end_reply(subagent: Subagent, event: UpwardEvent) -> Subagent:
    """Clear the current reply if the event ends it."""
    ends_reply = ReplyCompleted | ModelRetrying | TurnCompleted | TurnInterrupted | TurnFailed
    if not isinstance(event, ends_reply):
        return subagent
    return replace(subagent, streamed_text="", reply_chars=0)


def _update_phase(subagent: Subagent, event: UpwardEvent, now_s: float) -> Subagent:  # noqa: PLR0911  (one case per event)
    match event:
        case SubagentQueued():
            detail = f"waits for one of {event.slot_limit} slots"
            return replace(subagent, phase="queued", phase_detail=detail)
        case TurnStarted() | RequestResumed():
            return _wait_for_model(subagent)
        case ModelRetrying() | RequestPaused():
            pending = make_pending_request(event, now_s)
            return replace(_wait_for_model(subagent), pending_request=pending)
        case ReplyProgress() if subagent.phase != "ended":
            phase: SubagentPhase = "writing" if event.has_text else "thinking"
            return replace(subagent, phase=phase, phase_detail="", reply_chars=event.char_count)
        case ReplyCompleted():
            has_calls = any(isinstance(block, ToolUseBlock) for block in event.content)
            return replace(
                subagent,
                phase="working" if has_calls else "thinking",
                phase_detail="",
                output_tokens=subagent.output_tokens + event.usage.output_tokens,
            )
        case ToolStarted():
            return _with_running_tools(
                subagent, {**subagent.running_tools, event.call_id: describe_started(event)}
            )
        case ToolEnded():
            running = subagent.running_tools.items()
            return _with_running_tools(
                subagent, {key: title for key, title in running if key != event.call_id}
            )
        case TurnCompleted() | TurnInterrupted() | TurnFailed() if subagent.phase != "ended":
            return replace(subagent, phase="idle", phase_detail="", running_tools={})
        case _:
            return subagent


def _with_running_tools(subagent: Subagent, tools: dict[str, str]) -> Subagent:
    if not tools:
        return _wait_for_model(replace(subagent, running_tools=tools))
    latest = next(reversed(tools.values()))
    detail = latest[0].lower() + latest[1:]
    return replace(subagent, phase="working", phase_detail=detail, running_tools=tools)


def _wait_for_model(subagent: Subagent) -> Subagent:
    """Return an agent whose next request is being sent."""
    return replace(
        subagent, phase="waiting", phase_detail="waits for the model", pending_request=None
    )
