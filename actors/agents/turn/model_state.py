"""The model that an agent uses, and what is known about it."""

from dataclasses import dataclass

from actors.models.model_names import get_default_limits
from messages.effort import Effort
from messages.model_limits import ModelLimitsFound

MIN_LOOKUP_TOKENS = 8_000
"""Less than half of the smallest context window of a current model."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """Model and effort of the next request, and the model's limits."""

    name: str = ""
    found_limits: ModelLimitsFound | None = None
    """Limits that the server reported; None: unknown."""
    is_fixed: bool = False
    """The user chose it, so it stays when the primary agent is switched."""
    effort: Effort | None = None
    """None: the model's default."""
    effort_is_fixed: bool = False
    """As `is_fixed`, for the effort."""
    limits_requested_for: str = ""
    """The model whose limits were looked up."""

    @property
    def limits(self) -> ModelLimitsFound:
        """The model's limits: the server's if known, else our defaults."""
        found = self.found_limits
        return found if found and found.model == self.name else get_default_limits(self.name)

    def must_look_up_limits(self, context_tokens: int) -> bool:
        """Return whether the limits may start to matter: once a conversation has begun.

        A short one fits any model, and not every server reports limits.
        """
        return context_tokens >= MIN_LOOKUP_TOKENS and self.limits_requested_for != self.name
