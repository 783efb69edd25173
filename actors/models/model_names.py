"""Model ids, their aliases, and token limits for servers that do not report any."""

from messages.model_limits import ModelLimitsFound

DEFAULT_MODEL = "claude-sonnet-5-5"
MODEL_ALIASES = {
    "fable": "claude-fable-5-2",
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}
"""The newest model of each family in November 2026."""

_FAMILIES = ("fable", "mythos", "opus", "sonnet", "haiku")
_CURRENT_PREFIXES = tuple(f"claude-{family}-5" for family in _FAMILIES)
_CURRENT_LIMITS_TOKENS = (1_000_000, 128_000)
_OTHER_LIMITS_TOKENS = (200_000, 32_000)
"""Conservative values for models that we do not know."""


def resolve_model(name: str) -> str:
    """Return the model id for an alias; return any other name unchanged."""
    return MODEL_ALIASES.get(name.lower(), name)


def get_default_limits(model: str) -> ModelLimitsFound:
    """Return the limits to assume for a model until its server reports them."""
    context, output = (
        _CURRENT_LIMITS_TOKENS if model.startswith(_CURRENT_PREFIXES) else _OTHER_LIMITS_TOKENS
    )
    return ModelLimitsFound(model=model, max_context_tokens=context, max_output_tokens=output)
