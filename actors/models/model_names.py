"""Model ids, their aliases, and what to assume about a model until its server says otherwise."""

import re

from messages.model_limits import ModelLimitsFound

DEFAULT_MODEL = "claude-sonnet-5-5"
MODEL_ALIASES = {
    "fable": "claude-fable-5-2",
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}
"""The newest model of each family in November 2026."""
SCRIPTED_MODEL_NAME = "scripted"

_FAMILIES = ("fable", "mythos", "opus", "sonnet", "haiku")
_CURRENT_PREFIXES = tuple(f"claude-{family}-5" for family in _FAMILIES)
_CURRENT_LIMITS_TOKENS = (1_000_000, 128_000)
_THINKING_LIMITS_TOKENS = (200_000, 64_000)
_OTHER_LIMITS_TOKENS = (200_000, 32_000)
"""Conservative values for models that we do not know."""
_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
_FIRST_ADAPTIVE_VERSION = (4, 6)
"""Older versions reject adaptive thinking."""


def resolve_model(name: str) -> str:
    """Return the model id for an alias; return any other name unchanged."""
    return MODEL_ALIASES.get(name.lower(), name)


def get_default_limits(model: str) -> ModelLimitsFound:
    """Return the limits to assume for a model until its server reports them."""
    context, output = _OTHER_LIMITS_TOKENS
    if model.startswith(_CURRENT_PREFIXES):
        context, output = _CURRENT_LIMITS_TOKENS
    elif has_adaptive_thinking(model):
        context, output = _THINKING_LIMITS_TOKENS
    return ModelLimitsFound(model=model, max_context_tokens=context, max_output_tokens=output)


def has_adaptive_thinking(model: str) -> bool:
    """Return whether a model is known to decide itself how much to think."""
    return is_claude_version(model, _FIRST_ADAPTIVE_VERSION)


def is_claude_version(model: str, first_version: tuple[int, int]) -> bool:
    """Return whether a name is a Claude model of this version or newer, also at a gateway."""
    version = _VERSION.search(model)
    return version is not None and (int(version[1]), int(version[2] or 0)) >= first_version
