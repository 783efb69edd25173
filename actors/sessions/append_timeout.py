"""The timeout that a journal client sends to its own actor; imports nothing of the runtime."""

from typing import Literal

from messages.base import Message


class AppendTimeout(Message):
    """The actor has waited for the journal for a while."""

    type: Literal["append_timeout"] = "append_timeout"
    id: int
    """The oldest unanswered append; 0: all were answered."""
