"""Which models there are, what people call them, and what they take where no server says."""

from messages.model_events import ModelLimitsFound

DEFAULT_MODEL = "claude-sonnet-5-5"
MODEL_ALIASES = {
    "fable": "claude-fable-5-2",
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}
"""The newest of each line in November 2026."""

_LINES = ("fable", "mythos", "opus", "sonnet", "haiku")
_CURRENT = tuple(f"claude-{line}-5" for line in _LINES)
_CURRENT_TOKENS = (1_000_000, 128_000)
_OTHER_TOKENS = (200_000, 32_000)
"""Modest, for names that we do not know."""


def resolve_model(name: str) -> str:
    """Turn an alias into a model's id; any other name is taken as it is."""
    return MODEL_ALIASES.get(name.lower(), name)


def get_default_limits(model: str) -> ModelLimitsFound:
    """Say what a model takes, where its server does not."""
    context, output = _CURRENT_TOKENS if model.startswith(_CURRENT) else _OTHER_TOKENS
    return ModelLimitsFound(model=model, max_context_tokens=context, max_output_tokens=output)
