"""How an actor's life ends, told to its parent exactly once."""

from typing import Literal

from messages.address import Address
from messages.base import Message

FailureCause = Literal[
    "start", "crash", "budget", "provider", "exit", "signal", "unresponsive", "protocol"
]


class ChildCompleted(Message):
    """The child came to its own orderly end."""

    type: Literal["child_completed"] = "child_completed"
    child: Address
    result: str = ""


class ChildCancelled(Message):
    """The child was stopped by its parent and has wound down."""

    type: Literal["child_cancelled"] = "child_cancelled"
    child: Address


class ChildFailed(Message):
    """The child ended by a fault; its siblings were not touched."""

    type: Literal["child_failed"] = "child_failed"
    child: Address
    cause: FailureCause
    detail: str = ""
    """Type and text of what was raised; never an object's `repr`."""


ChildEnded = ChildCompleted | ChildCancelled | ChildFailed
