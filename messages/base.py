"""The two bases of everything that is said."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A part of messages: frozen, compared by content, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Value):
    """Something one actor says to another; told apart by its `type` literal.

    The same JSON object stands in memory, on a link, in a journal line and in `stream-json`.
    """

    urgent: ClassVar[bool] = False
    """True for what overtakes the mailbox; such a message names what it is about."""
