"""What is prepared for one prompt before its turn is recorded, and what the model knows so far."""

from dataclasses import dataclass

from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.with_changes import with_changes
from actors.prompt_context.attachments import PlannedAttachment
from actors.prompt_context.environment_text import (
    Environment,
    EnvironmentScope,
    KnownEnvironment,
)
from messages.permissions import PermissionDecision
from messages.turns import Attachment


@dataclass(frozen=True, slots=True)
class PendingAttachment:
    """One attachment on its way to its content."""

    planned: PlannedAttachment | None = None
    decision_id: str = ""
    """Its permission evaluation; empty: none."""
    decision: PermissionDecision | None = None
    result: Attachment | None = None
    """What is attached, or why nothing is."""


@dataclass(frozen=True)
class PendingContext:
    """The environment and the attachments of the prompt that starts the turn."""

    prompt: QueuedPrompt
    environment: Environment | None = None
    listing: PendingAttachment | None = None
    attachments: tuple[PendingAttachment, ...] = ()

    @property
    def all_pending(self) -> tuple[PendingAttachment, ...]:
        """The listing, if there is one, and the attachments."""
        return (*((self.listing,) if self.listing else ()), *self.attachments)

    @property
    def awaited_ids(self) -> tuple[str, ...]:
        """Ids of the evaluations without a decision."""
        return tuple(
            item.decision_id
            for item in self.all_pending
            if item.decision_id and item.decision is None
        )

    def with_all_pending(self, items: tuple[PendingAttachment, ...]) -> "PendingContext":
        """Return the context with each item replaced; the order is that of `all_pending`."""
        listing, attachments = (items[0], items[1:]) if self.listing else (None, items)
        return with_changes(self, listing=listing, attachments=attachments)


@dataclass(frozen=True)
class ContextState:
    """What the agent sends with its prompts."""

    first_scope: EnvironmentScope = "none"
    """What the first prompt of a run describes; later ones describe changes if it was `all`."""
    is_read: bool = False
    """Prompts have an environment and attachments; without, they are sent as they are."""
    known: KnownEnvironment | None = None
    """What the model was told last in this run; None: nothing."""

    pending: PendingContext | None = None
    """What is being prepared for the prompt of the turn; None: nothing."""

    @property
    def awaited_ids(self) -> frozenset[str]:
        """Ids of the permission evaluations that the prompt waits for."""
        return frozenset(self.pending.awaited_ids) if self.pending else frozenset()

    @property
    def next_scope(self) -> EnvironmentScope:
        """What the next prompt describes."""
        if self.known is None:
            return self.first_scope
        return "changes" if self.first_scope == "all" else "none"
