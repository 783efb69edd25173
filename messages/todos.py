"""The todo list of an agent."""

from typing import Literal

from pydantic import Field

from messages.base import Value

TodoStatus = Literal["pending", "in_progress", "completed"]


class Todo(Value):
    """One item of the todo list."""

    content: str = Field(min_length=1)
    status: TodoStatus
