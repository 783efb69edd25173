"""Base classes of messages and of the values in them."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny


class Value(BaseModel):
    """A part of a message: frozen, compared by content; extra fields are rejected.

    Validators are built on first use, because a run uses only some of the message types.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Message(Value):
    """A message from one actor to another, discriminated by its `type` literal.

    The JSON form is the same on a link, in a journal line and in `stream-json`.
    """

    high_priority: ClassVar[bool] = False
    """Deliver ahead of the normal mailbox lane; such a message names what it refers to."""
    notify_undelivered: ClassVar[bool] = False
    """Send `Undelivered` to the sender if no actor handles the message."""


def _all_subclasses(base: type[Message]) -> Iterator[type[Message]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from _all_subclasses(subclass)


def _parse_any_message(value: object) -> object:
    """Validate an object as the message class that its `type` names."""
    if isinstance(value, Message):
        return value
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    for subclass in _all_subclasses(Message):
        type_field = subclass.model_fields.get("type")
        if type_field is not None and type_field.default == fields.get("type"):
            return subclass.model_validate(value)
    message = f"unknown message type: {fields.get('type')!r}"
    raise ValueError(message)


AnyMessage = Annotated[SerializeAsAny[Message], BeforeValidator(_parse_any_message)]
"""A field that holds any message."""
