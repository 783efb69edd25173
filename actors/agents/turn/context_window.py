"""How much of a model's context window a conversation may fill. Pure."""

from messages.model_limits import ModelLimitsFound

CHARS_PER_TOKEN = 4
"""Estimate for text that no model has counted."""
RESERVED_TOKENS = 20_000
"""For tool results and prompts that come before the next count."""
_MAX_SHARE = 0.9
_MIN_SHARE = 0.5
"""A small window is not left empty for the longest reply."""


def get_usable_tokens(limits: ModelLimitsFound) -> int:
    """Return the size at which a conversation must be compacted before it is sent."""
    window = limits.max_context_tokens
    usable = min(_MAX_SHARE * window, window - limits.max_output_tokens - RESERVED_TOKENS)
    return int(max(usable, _MIN_SHARE * window))
