"""JSON as it must be before it may act: one object, every key once, only real numbers."""

import json
import math
from typing import cast

from pydantic import JsonValue
from pydantic_core import from_json


def parse_strict_object(text: str | bytes) -> dict[str, JsonValue]:
    """Read exactly one JSON object.

    Raises:
        ValueError: the text is cut off, says a key twice, has NaN or an infinite number, is nested
            too deeply, holds half a character, or is something else than an object.
    """
    # Two readers, because each is blind to something: the first refuses half characters and
    # endless nesting, the second sees keys that come twice.
    from_json(text, allow_inf_nan=False)
    value: object = json.loads(
        text, object_pairs_hook=_each_once, parse_float=_finite, parse_constant=_no_constant
    )
    if not isinstance(value, dict):
        message = "not a JSON object"
        raise ValueError(message)  # noqa: TRY004  (wrong text, not a wrong use of this function)
    return cast("dict[str, JsonValue]", value)


def _each_once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        message = f"the key {twice[:100]!r} comes twice"
        raise ValueError(message)
    return fields


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        message = f"{digits[:20]} is too large a number"
        raise ValueError(message)
    return number


def _no_constant(name: str) -> float:
    message = f"{name} is not JSON"
    raise ValueError(message)
