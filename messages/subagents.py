"""Agents under agents: what is recorded of them, how they are limited, stopped and watched."""

from typing import Literal

from pydantic import Field

from messages.address import Address
from messages.base import Message
from messages.policy import PermissionMode

SubagentStatus = Literal["completed", "cancelled", "limited", "failed"]
"""completed: it has answered · cancelled: it was stopped · limited: a limit of its own or of those
above ended it · failed: the provider or a fault did."""


class SubagentStarted(Message):
    """Recorded, and on disk before it starts: an agent hands a task to another below it."""

    type: Literal["subagent_started"] = "subagent_started"
    child: Address
    parent: Address
    agent_type: str
    """Its type: the name of its definition."""
    depth: int
    """Below the primary, which is 0."""
    task_number: int = Field(ge=1)
    """How often it was begun: 1, and one more each time that it goes on with a further task."""
    turn: int
    call_id: str
    """The parent's `task` call."""
    description: str
    model: str = ""
    """The parent's, which it asks unless its definition names another."""
    one_shot: bool = True
    """It ends with its turn; else it takes further ones."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in: that of its parent when this task began."""


class SubagentEnded(Message):
    """Recorded: what became of a task; exactly one for each `SubagentStarted`."""

    type: Literal["subagent_ended"] = "subagent_ended"
    child: Address
    task_number: int
    turn: int
    """The parent's."""
    status: SubagentStatus
    detail: str = ""
    """Why, unless it completed."""


class SubagentQueued(Message):
    """All places are taken; it goes on by itself when one is free."""

    type: Literal["subagent_queued"] = "subagent_queued"
    agent: Address
    slot_limit: int
    """So many may work at once."""


class AssignTask(Message):
    """Begin a further turn with this prompt, under a number of your own."""

    notify_undelivered = True
    type: Literal["assign_task"] = "assign_task"
    task_number: int = 0
    """As in `SubagentStarted`; what is sent again is taken once. 0: a person said it."""
    prompt: str


class CancelTask(Message):
    """End what you are at; what has not begun never does."""

    high_priority = True
    type: Literal["cancel_task"] = "cancel_task"


class PromptRejected(Message):
    """The agent takes no further prompts."""

    type: Literal["prompt_rejected"] = "prompt_rejected"
    agent: Address
    reason: Literal["one_shot"]
    """one_shot: it ends with the turn that it was started for."""


class AncestorBudgetExhausted(Message):
    """An agent above has used all it may: send no further request and start nobody."""

    type: Literal["ancestor_budget_exhausted"] = "ancestor_budget_exhausted"
    detail: str


class RequestSpawn(Message):
    """May one more subagent be started? Answered by `SpawnAdmitted` or `SpawnRejected`."""

    notify_undelivered = True
    type: Literal["request_spawn"] = "request_spawn"
    call_id: str
    agent_type: str
    """Its type."""
    task_id: str
    """Names an earlier one that goes on; empty: a new one is to be named."""


class SpawnAdmitted(Message):
    """It counts as started."""

    type: Literal["spawn_admitted"] = "spawn_admitted"
    call_id: str
    name: str


class SpawnRejected(Message):
    """The budget of subagents is spent, or they are started too fast."""

    type: Literal["spawn_rejected"] = "spawn_rejected"
    call_id: str
    detail: str
    """For the model: what is the case, and what to do instead."""


class AcquireSlot(Message):
    """Let me work; answered by `SlotAcquired`, perhaps after `SlotPending`."""

    notify_undelivered = True
    type: Literal["acquire_slot"] = "acquire_slot"


class SlotPending(Message):
    """Every place is taken; `SlotAcquired` comes when it is your turn."""

    type: Literal["slot_pending"] = "slot_pending"
    slot_limit: int


class SlotAcquired(Message):
    """Work; until the place is left, nobody else has it."""

    type: Literal["slot_acquired"] = "slot_acquired"


class ReleaseSlots(Message):
    """Places are free again, and whoever waited for one does so no more."""

    type: Literal["release_slots"] = "release_slots"
    under: Address
    self_only: bool = False
    """Only this agent's own; else also those of all below it."""


class SubscribeToAgent(Message):
    """Tell me what you stream, from now on."""

    type: Literal["subscribe_to_agent"] = "subscribe_to_agent"


class UnsubscribeFromAgent(Message):
    """Tell me no more what you stream."""

    type: Literal["unsubscribe_from_agent"] = "unsubscribe_from_agent"
