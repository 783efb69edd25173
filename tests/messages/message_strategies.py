"""Hypothesis strategies for every message, derived from its fields."""

from collections.abc import Iterator
from typing import Annotated, cast

from hypothesis import strategies as st
from pydantic import JsonValue
from pydantic.fields import FieldInfo

from messages.address import Address
from messages.base import Message, Value
from messages.serialization import MESSAGE_MODULES, JournalLine, message_types_in
from messages.supervision import Undelivered

MESSAGE_TYPES: tuple[type[Message], ...] = tuple(
    kind for module in MESSAGE_MODULES for kind in message_types_in(module)
)
TIMESTAMPS_S = st.integers(0, 4_000_000_000_000).map(lambda ms: ms / 1000)
"""Times of the wall clock in milliseconds, the precision of a journal line."""


def text() -> st.SearchStrategy[str]:
    """Generate text, often with characters that need escaping in a journal line."""
    return st.text(max_size=20) | st.sampled_from(['","crc":"', "\n", "\x00", "\u2028", "é\\"])


def json_values() -> st.SearchStrategy[JsonValue]:
    leaves = st.none() | st.booleans() | st.integers() | finite_floats() | text()
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text(), inner, max_size=3),
        max_leaves=6,
    )


def finite_floats() -> st.SearchStrategy[float]:
    return st.floats(allow_nan=False, allow_infinity=False)


def addresses() -> st.SearchStrategy[Address]:
    names = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
    return st.lists(names, max_size=4).map(lambda parts: Address("/" + "/".join(parts)))


def journal_lines(message_type: type[Message]) -> st.SearchStrategy[JournalLine]:
    return st.builds(
        JournalLine, st.integers(1, 10**9), TIMESTAMPS_S, addresses(), st.from_type(message_type)
    )


def _iterate_subclasses(base: type[Value]) -> Iterator[type[Value]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _iterate_subclasses(kind)


def _build_field_strategy(info: FieldInfo) -> st.SearchStrategy[object]:
    json_objects = st.dictionaries(text(), json_values(), max_size=3)
    if info.annotation == dict[str, JsonValue]:
        return json_objects
    if info.annotation == tuple[dict[str, JsonValue], ...]:
        return st.lists(json_objects, max_size=2).map(tuple)
    annotation = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return st.from_type(cast("type[object]", annotation))


def _build_strategy(kind: type[Value]) -> st.SearchStrategy[Value]:
    return st.builds(
        kind, **{name: _build_field_strategy(info) for name, info in kind.model_fields.items()}
    )


def _register() -> None:
    """Register a strategy for every type; Hypothesis caches each one when it first resolves it."""
    st.register_type_strategy(str, text())
    st.register_type_strategy(Address, addresses())
    for kind in _iterate_subclasses(Value):
        st.register_type_strategy(kind, _build_strategy)
    deliverable = [kind for kind in MESSAGE_TYPES if kind is not Undelivered]
    st.register_type_strategy(Message, st.sampled_from(deliverable).flatmap(st.from_type))


_register()
