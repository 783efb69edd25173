"""Strict JSON for tool calls: one object, no duplicate keys, finite numbers only."""

import json
import math
from typing import cast

from pydantic import JsonValue
from pydantic_core import from_json


def parse_strict_object(text: str | bytes) -> dict[str, JsonValue]:
    """Parse exactly one JSON object.

    Raises:
        ValueError: the text is not an object or is incomplete, repeats a key, has NaN or an
            infinite number, is nested too deeply, or contains half a surrogate pair.
    """
    # Two parsers, because each misses something: the first rejects lone surrogates and deep
    # nesting, the second detects duplicate keys.
    from_json(text, allow_inf_nan=False)
    value: object = json.loads(
        text,
        object_pairs_hook=_reject_duplicate_keys,
        parse_float=_parse_finite,
        parse_constant=_reject_constant,
    )
    if not isinstance(value, dict):
        message = "not a JSON object"
        raise ValueError(message)  # noqa: TRY004  (invalid text, not misuse of this function)
    return cast("dict[str, JsonValue]", value)


def _reject_duplicate_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for key in keys if keys.count(key) > 1)
        message = f"duplicate key {duplicate[:100]!r}"
        raise ValueError(message)
    return fields


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        message = f"the number {digits[:20]} is too large"
        raise ValueError(message)
    return number


def _reject_constant(name: str) -> float:
    message = f"{name} is not valid JSON"
    raise ValueError(message)
