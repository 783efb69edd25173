"""Settings of a request that a model, server or gateway may reject, and what is sent then.

A rejection names the field, for example `output_config: Extra inputs are not permitted` or
`adaptive thinking is not supported on this model`. The setting is then left out.
"""

import re
from typing import Literal

from actors.models.model_names import has_adaptive_thinking
from messages.effort import Effort

OptionalSetting = Literal["effort", "thinking", "cache time"]
"""As the user reads them."""

REPLY_TOKENS = 32_000
"""Longest reply of a model that does not think."""
THINKING_REPLY_TOKENS = 64_000
"""With thinking, which counts as part of the reply."""
HIGHEST_EFFORT_REPLY_TOKENS = 128_000
"""With the levels that think without restraint: the most that any model can send."""
_HIGHEST_LEVELS: tuple[Effort, ...] = ("xhigh", "max")
_PATTERNS: dict[OptionalSetting, re.Pattern[str]] = {
    "cache time": re.compile(r"\bttl\b"),
    "effort": re.compile(r"\b(effort|output_config)\b"),
    # Not an error about the thinking of an earlier reply, which has a path.
    "thinking": re.compile(r"\A(?!.*\bmessages\.\d).*\bthinking\b", re.DOTALL),
}


def wants_thinking(model: str, effort: Effort | None) -> bool:
    """Return whether to ask for thinking: of models that have it, and where effort is chosen.

    Nothing is known about other names, such as those of a gateway; but the user who chooses an
    effort expects that it has an effect, and the server rejects it if it cannot have one.
    """
    return effort is not None or has_adaptive_thinking(model)


def choose_max_tokens(model: str, effort: Effort | None) -> int:
    """Return the longest reply to request; the model's own limit may be lower."""
    if effort in _HIGHEST_LEVELS:
        return HIGHEST_EFFORT_REPLY_TOKENS
    return THINKING_REPLY_TOKENS if wants_thinking(model, effort) else REPLY_TOKENS


def find_rejected_setting(message: str, sent: set[OptionalSetting]) -> OptionalSetting | None:
    """Return which of the settings that were sent an error message names; None: none."""
    matches = (name for name, pattern in _PATTERNS.items() if pattern.search(message))
    return next((name for name in matches if name in sent), None)
