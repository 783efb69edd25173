"""The two bases of everything that is said."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny


class Value(BaseModel):
    """A part of messages: frozen, compared by content, unknown fields refused.

    Validators are built on first use: a run says few of the things that can be said.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Message(Value):
    """Something one actor says to another; told apart by its `type` literal.

    The same JSON object stands in memory, on a link, in a journal line and in `stream-json`.
    """

    high_priority: ClassVar[bool] = False
    """True for what overtakes the mailbox; such a message names what it is about."""
    notify_undelivered: ClassVar[bool] = False
    """True for what its sender must hear of when nobody handled it: a request or a withdrawal."""


def _kinds(base: type[Message]) -> Iterator[type[Message]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def _understood(value: object) -> object:
    """Find the class that an object's `type` names."""
    if isinstance(value, Message):
        return value
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    for kind in _kinds(Message):
        named = kind.model_fields.get("type")
        if named is not None and named.default == fields.get("type"):
            return kind.model_validate(value)
    message = f"no message has the type {fields.get('type')!r}"
    raise ValueError(message)


AnyMessage = Annotated[SerializeAsAny[Message], BeforeValidator(_understood)]
"""A message within a message."""
