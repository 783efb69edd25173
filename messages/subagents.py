"""Agents under agents: what is recorded of them, how they are limited, stopped and watched."""

from typing import Literal

from pydantic import Field

from messages.address import Address
from messages.base import Message
from messages.rules import PermissionMode

SubagentStatus = Literal["completed", "cancelled", "limited", "failed"]
"""completed: it has answered · cancelled: it was stopped · limited: a limit of its own or of those
above ended it · failed: the provider or a fault did."""


class SubagentStarted(Message):
    """Recorded, and on disk before it starts: an agent hands a task to another below it."""

    type: Literal["subagent_started"] = "subagent_started"
    child: Address
    parent: Address
    agent: str
    """Its type: the name of its definition."""
    depth: int
    """Below the primary, which is 0."""
    start: int = Field(ge=1)
    """How often it was begun: 1, and one more each time that it goes on with a further task."""
    turn: int
    call_id: str
    """The parent's `task` call."""
    description: str
    model: str = ""
    """The parent's, which it asks unless its definition names another."""
    one_shot: bool = True
    """It ends with its turn; else it takes further ones."""
    ceiling: PermissionMode = "yolo"
    """The loosest mode that it works in: that of its parent when this task began."""


class SubagentEnded(Message):
    """Recorded: what became of a task; exactly one for each `SubagentStarted`."""

    type: Literal["subagent_ended"] = "subagent_ended"
    child: Address
    start: int
    turn: int
    """The parent's."""
    status: SubagentStatus
    detail: str = ""
    """Why, unless it completed."""


class SubagentQueued(Message):
    """All places are taken; it goes on by itself when one is free."""

    type: Literal["subagent_queued"] = "subagent_queued"
    agent: Address
    places: int
    """So many may work at once."""


class Errand(Message):
    """Begin a further turn with this prompt, under a number of your own."""

    bounces = True
    type: Literal["errand"] = "errand"
    start: int = 0
    """As in `SubagentStarted`; what is sent again is taken once. 0: a person said it."""
    prompt: str


class CancelErrand(Message):
    """End what you are at; what has not begun never does."""

    urgent = True
    type: Literal["cancel_errand"] = "cancel_errand"


class PromptRefused(Message):
    """The agent takes no further prompts."""

    type: Literal["prompt_refused"] = "prompt_refused"
    agent: Address
    reason: Literal["one_shot"]
    """one_shot: it ends with the turn that it was started for."""


class ErrandOverdue(Message):
    """A parent's note to itself: a child was told to end its errand, and has had its time."""

    type: Literal["errand_overdue"] = "errand_overdue"
    child: Address
    start: int


class BudgetSpent(Message):
    """An agent above has used all it may: send no further request and start nobody."""

    type: Literal["budget_spent"] = "budget_spent"
    detail: str


class MaySpawn(Message):
    """May one more subagent be started? Answered by `SpawnAllowed` or `SpawnRefused`."""

    bounces = True
    type: Literal["may_spawn"] = "may_spawn"
    call_id: str
    agent: str
    """Its type."""
    task_id: str
    """Names an earlier one that goes on; empty: a new one is to be named."""


class SpawnAllowed(Message):
    """It counts as started."""

    type: Literal["spawn_allowed"] = "spawn_allowed"
    call_id: str
    name: str


class SpawnRefused(Message):
    """The budget of subagents is spent, or they are started too fast."""

    type: Literal["spawn_refused"] = "spawn_refused"
    call_id: str
    detail: str
    """For the model: what is the case, and what to do instead."""


class TakePlace(Message):
    """Let me work; answered by `PlaceGiven`, perhaps after `PlacesFull`."""

    bounces = True
    type: Literal["take_place"] = "take_place"


class PlacesFull(Message):
    """Every place is taken; `PlaceGiven` comes when it is your turn."""

    type: Literal["places_full"] = "places_full"
    places: int


class PlaceGiven(Message):
    """Work; until the place is left, nobody else has it."""

    type: Literal["place_given"] = "place_given"


class LeavePlaces(Message):
    """Places are free again, and whoever waited for one does so no more."""

    type: Literal["leave_places"] = "leave_places"
    under: Address
    alone: bool = False
    """Only this agent's own; else also those of all below it."""


class WatchAgent(Message):
    """Tell me what you stream, from now on."""

    type: Literal["watch_agent"] = "watch_agent"


class UnwatchAgent(Message):
    """Tell me no more what you stream."""

    type: Literal["unwatch_agent"] = "unwatch_agent"
