"""What the model may ask a person, and the ledger of what it means to do."""

from typing import Literal

from pydantic import Field

from messages.base import Value


class Choice(Value):
    """One answer that is offered."""

    label: str
    description: str = ""


class UserQuestion(Value):
    """One thing to be told by a person, who may always answer in words of their own."""

    text: str
    header: str = ""
    """A word or two for a narrow place."""
    choices: tuple[Choice, ...] = ()
    allow_multiple: bool = False
    """More than one of the choices may be taken."""


TodoStatus = Literal["pending", "in_progress", "completed"]


class Todo(Value):
    """One thing to be done."""

    content: str = Field(min_length=1)
    status: TodoStatus
