"""Starting, limiting, stopping and watching subagents."""

from typing import Any, Literal, get_args

from pydantic import Field

from messages.address import Address
from messages.base import Message, Value
from messages.effort import Effort
from messages.policy import PermissionMode

SubagentStatus = Literal["completed", "cancelled", "limit_reached", "failed"]
"""completed: it finished · cancelled: it was stopped · limit_reached: its own limit or an
ancestor's ended it · failed: a provider error or a fault ended it."""
ProgramKind = Literal["review", "compact"]
"""Kinds of subagents that the program starts, not the model; their definitions have these names."""
PROGRAM_KINDS: tuple[ProgramKind, ...] = get_args(ProgramKind)


class SubAgentSource(Value):
    """What started a subagent: the program for a task of its own, or a `task` call."""

    kind: ProgramKind | Literal["other"]
    label: str = ""
    """other: name of the definition."""

    @property
    def name(self) -> str:
        """The value of the request header that names the kind."""
        return self.label or self.kind


def get_subagent_source(agent_type: str) -> SubAgentSource:
    """Return what started a subagent with this definition; the names of kinds are reserved."""
    for kind in PROGRAM_KINDS:
        if agent_type == kind:
            return SubAgentSource(kind=kind)
    return SubAgentSource(kind="other", label=agent_type)


def _get_source_of_type(fields: dict[str, Any]) -> SubAgentSource:
    return get_subagent_source(fields["agent_type"])


class SubagentStarted(Message):
    """Recorded, and on disk before the task starts: an agent gives a task to a subagent."""

    type: Literal["subagent_started"] = "subagent_started"
    child: Address
    parent: Address
    agent_type: str
    """Name of the subagent's definition."""
    depth: int
    """Levels below the primary agent, which is 0."""
    task_number: int = Field(ge=1)
    """Counts the subagent's tasks, from 1."""
    turn: int
    call_id: str
    """The parent's `task` call."""
    description: str
    model: str = ""
    """The parent's model, unless the definition names another."""
    effort: Effort | None = None
    """The parent's effort, unless the definition names another; None: the model's default."""
    one_shot: bool = True
    """The subagent ends with its turn; otherwise it takes more prompts."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that the subagent may use: its parent's mode when the task started."""
    is_background: bool = False
    """It runs beside the parent's turns: its call ends at once, and a notification reports its
    end."""
    bubbles: bool = False
    """In the background, its approval requests are shown to the user; others are rejected."""
    subagent_source: SubAgentSource = Field(default_factory=_get_source_of_type)


class SubagentEnded(Message):
    """Recorded: the end of a task; exactly one for each `SubagentStarted`."""

    type: Literal["subagent_ended"] = "subagent_ended"
    child: Address
    task_number: int
    turn: int
    """The parent's turn."""
    status: SubagentStatus
    detail: str = ""
    """The reason, unless the task completed."""
    notification: str = ""
    """Shown to the parent's model with its next request, for a background task; empty: the result
    of the `task` call reports the end."""


class SubagentBackgrounded(Message):
    """Recorded: the user moved a running task to the background; its call has ended."""

    type: Literal["subagent_backgrounded"] = "subagent_backgrounded"
    child: Address
    task_number: int


class SubagentsPaused(Message):
    """The session was resumed; these background tasks wait until they are continued."""

    type: Literal["subagents_paused"] = "subagents_paused"
    agents: tuple[Address, ...]


class NotificationDelivered(Message):
    """Recorded: the end of a background task becomes part of the parent's conversation.

    It is written before the request that contains it, so each notification is sent once.
    """

    type: Literal["notification_delivered"] = "notification_delivered"
    child: Address
    task_number: int
    text: str


class SubagentQueued(Message):
    """The agent waits for a slot; it continues when one is free."""

    type: Literal["subagent_queued"] = "subagent_queued"
    agent: Address
    slot_limit: int
    """Agents that may run at the same time."""


class AssignTask(Message):
    """Start another turn with this prompt; the receiver assigns the turn number."""

    notify_undelivered = True
    type: Literal["assign_task"] = "assign_task"
    task_number: int = 0
    """As in `SubagentStarted`; a task that is sent twice starts once. 0: a prompt from the user."""
    prompt: str
    tokens_left: int | None = None
    """Thousandths of weighted tokens left of the sender's budget; None: no limit of its own."""


class CancelTask(Message):
    """Cancel one task, or everything that the agent does."""

    high_priority = True
    type: Literal["cancel_task"] = "cancel_task"
    task_number: int = 0
    """As in `SubagentStarted`; 0: the current turn, everything queued and background tasks."""
    with_everything: bool = False
    """The user or the parent's model stops the agent: also cancel all that 0 cancels."""


class MoveToBackground(Message):
    """Continue the tasks that the current turn waits for in the background."""

    high_priority = True
    type: Literal["move_to_background"] = "move_to_background"


class CancelSubagent(Message):
    """Stop a child and its whole subtree; the parent repeats it if the child restarts meanwhile."""

    high_priority = True
    type: Literal["cancel_subagent"] = "cancel_subagent"
    child: Address
    wakes_parent: bool = True
    """The notification of a background task's end starts a turn if the parent is idle."""


class ContinueSubagent(Message):
    """Continue a child whose background task is paused since the session was resumed."""

    type: Literal["continue_subagent"] = "continue_subagent"
    child: Address


class TaskDropped(Message):
    """A task ended before its turn started; the end of any other is its turn's end."""

    type: Literal["task_dropped"] = "task_dropped"
    child: Address
    task_number: int
    detail: str = ""
    """Why it failed; empty: it was cancelled."""


class PromptRejected(Message):
    """The agent does not take more prompts."""

    type: Literal["prompt_rejected"] = "prompt_rejected"
    agent: Address
    reason: Literal["one_shot"]
    """one_shot: the agent ends with the turn it was started for."""


class PauseWork(Message):
    """An ancestor asks the user about a limit: start no request, call or subagent.

    Followed by `ResumeWork` or `AncestorBudgetExhausted`.
    """

    type: Literal["pause_work"] = "pause_work"


class ResumeWork(Message):
    """Continue: the user extended the limit, or the question has become pointless."""

    type: Literal["resume_work"] = "resume_work"
    tokens_left: int | None = None
    """As in `AssignTask`."""


class AncestorBudgetExhausted(Message):
    """An ancestor's budget is exhausted: send no more requests and start no subagents."""

    type: Literal["ancestor_budget_exhausted"] = "ancestor_budget_exhausted"
    detail: str


class RequestSpawn(Message):
    """Ask to start a subagent; answered by `SpawnAdmitted` or `SpawnRejected`."""

    notify_undelivered = True
    type: Literal["request_spawn"] = "request_spawn"
    call_id: str
    agent_type: str
    """Name of the subagent's definition."""
    task_id: str
    """Name of an existing subagent that continues; empty: allocate a name for a new one."""


class SpawnAdmitted(Message):
    """The spawn is admitted and counted."""

    type: Literal["spawn_admitted"] = "spawn_admitted"
    call_id: str
    name: str


class SpawnRejected(Message):
    """The spawn budget is exhausted, or subagents are started too fast."""

    type: Literal["spawn_rejected"] = "spawn_rejected"
    call_id: str
    detail: str
    """The reason; shown to the model unless the user can extend the limit."""
    limit: int | None = None
    """The budget that is used up, which the user can extend; None: started too fast."""


class ExtendSpawns(Message):
    """The user allows as many subagents again."""

    type: Literal["extend_spawns"] = "extend_spawns"
    limit: int
    """The limit that was reached; one that was extended since is not extended again."""


class AcquireSlot(Message):
    """Ask for a concurrency slot; answered by `SlotAcquired`, possibly after `SlotPending`."""

    notify_undelivered = True
    type: Literal["acquire_slot"] = "acquire_slot"


class SlotPending(Message):
    """All slots are taken; `SlotAcquired` follows."""

    type: Literal["slot_pending"] = "slot_pending"
    slot_limit: int
    """Agents that may run at the same time."""


class SlotAcquired(Message):
    """The sender holds a slot until it releases it."""

    type: Literal["slot_acquired"] = "slot_acquired"


class ReleaseSlots(Message):
    """Release the slots of an agent's subtree and cancel its pending requests for one."""

    type: Literal["release_slots"] = "release_slots"
    under: Address
    self_only: bool = False
    """Only this agent's slot, not those of its descendants."""


class SubscribeToAgent(Message):
    """Send the agent's deltas to the sender from now on."""

    type: Literal["subscribe_to_agent"] = "subscribe_to_agent"


class UnsubscribeFromAgent(Message):
    """Stop sending the agent's deltas to the sender."""

    type: Literal["unsubscribe_from_agent"] = "unsubscribe_from_agent"
