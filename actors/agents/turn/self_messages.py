"""Messages that an agent sends only to itself: results of its jobs and timers."""

from typing import Literal

from pydantic import Field

from actors.prompt_context.attachments import PlannedAttachment
from actors.prompt_context.environment_text import Environment
from messages.address import Address
from messages.base import Message
from messages.content import ContentBlock, Usage
from messages.failure_reasons import MAX_DURATION_S, ModelFailureReason
from messages.snapshots import SnapshotMoment
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import Attachment, RequestInfo


class ModelReplied(Message):
    """One complete reply arrived, including its `message_stop`."""

    type: Literal["model_replied"] = "model_replied"
    request: RequestInfo
    """The agent's request; a reply to an earlier, cancelled request is ignored."""
    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str
    compaction_block: str = ""
    """As JSON, exactly as received; empty: none."""

    @property
    def request_number(self) -> int:
        """Number of the request."""
        return self.request.number


class ModelFailed(Message):
    """The request ended without a complete reply; no part of the reply may act."""

    type: Literal["model_failed"] = "model_failed"
    request: RequestInfo
    reason: ModelFailureReason
    detail: str
    """For the user: what happened, where, and what to do."""
    partial_text: str = ""
    """Text that arrived before the failure."""
    usage: Usage = Usage()
    """What the server had reported by then."""
    retry: bool = False
    """The same request may succeed if it is sent again."""
    retry_after_s: float = Field(default=0, ge=0, le=MAX_DURATION_S)
    """Delay that the server asks for; 0: none."""

    @property
    def request_number(self) -> int:
        """Number of the request."""
        return self.request.number


class RetryDelayElapsed(Message):
    """The delay before a retry is over or was cancelled."""

    type: Literal["retry_delay_elapsed"] = "retry_delay_elapsed"
    request_number: int
    """The failed request."""


class TurnTimerStopped(Message):
    """The timer of a turn's time limit ran out or was paused."""

    type: Literal["turn_timer_stopped"] = "turn_timer_stopped"
    turn: int
    remaining_s: float = Field(ge=0, le=MAX_DURATION_S)
    """0: the time is up."""


class ToolPlanned(Message):
    """The call is valid and its targets are resolved."""

    type: Literal["tool_planned"] = "tool_planned"
    call_id: str
    plan: CallPlan


class ToolSucceeded(Message):
    """The tool ran to its end."""

    type: Literal["tool_succeeded"] = "tool_succeeded"
    call_id: str
    output: ToolOutput


class ToolFailed(Message):
    """The tool did not run, or did not finish."""

    type: Literal["tool_failed"] = "tool_failed"
    call_id: str
    reason: Literal["rejected", "target_changed", "cancelled", "crashed"]
    """rejected: the tool says why · target_changed: its target changed after it was planned ·
    cancelled: by the agent · crashed: a bug in Greenroom."""
    detail: str
    """What happened; if it was cancelled, its output until then."""


class ContextPrepared(Message):
    """The environment is read, and the files that the prompt mentions are planned."""

    type: Literal["context_prepared"] = "context_prepared"
    turn: int
    environment: Environment | None = None
    """None: not read."""
    listing: PlannedAttachment | None = None
    """The top-level listing for the environment."""
    attachments: tuple[PlannedAttachment | Attachment, ...] = ()
    """In the order of the mentions; those that cannot be attached already say why."""


class AttachmentsRead(Message):
    """The files that the permission engine allowed are read."""

    type: Literal["attachments_read"] = "attachments_read"
    turn: int
    attachments: tuple[Attachment, ...]
    """One for each planned attachment that is read, in order."""


class PlanFileChecked(Message):
    """Whether a plan file exists is known, so the agent can be switched."""

    type: Literal["plan_file_checked"] = "plan_file_checked"
    agent: str
    """As in `SwitchAgent`."""
    plan_exists: bool


class ReviewPrepared(Message):
    """The changes that a review is about were found, or there are none."""

    type: Literal["review_prepared"] = "review_prepared"
    id: str
    """As in `StartReview`."""
    prompt: str = ""
    failure: Literal["nothing_to_review", "invalid_target", "failed"] | None = None
    """Why there is no prompt."""
    detail: str = ""


class SnapshotAttempted(Message):
    """A snapshot was taken, or could not be."""

    type: Literal["snapshot_attempted"] = "snapshot_attempted"
    turn: int
    moment: SnapshotMoment
    commit: str = ""
    """Empty: there is none."""
    problem: str = ""
    """Why there is none, for the user; empty: that was reported before."""


class TaskCancelTimeout(Message):
    """A child did not end its cancelled task in time."""

    type: Literal["task_cancel_timeout"] = "task_cancel_timeout"
    child: Address
    task_number: int
