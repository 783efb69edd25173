"""The end of a child actor, reported to its parent exactly once per incarnation."""

from typing import Literal

from messages.address import Address
from messages.base import Message

FailureCause = Literal["start", "crash", "unresponsive", "signal", "exit", "protocol"]
"""start: it could not be started · crash: it raised · unresponsive: it did not stop in time, or its
process no longer answers · signal, exit: its process ended · protocol: its process sent what it may
not send, or what cannot be read."""


class ChildCompleted(Message):
    """The child finished on its own."""

    type: Literal["child_completed"] = "child_completed"
    child: Address
    result: str = ""


class ChildCancelled(Message):
    """The child was stopped by its parent and has ended."""

    type: Literal["child_cancelled"] = "child_cancelled"
    child: Address


class ChildFailed(Message):
    """The child ended because of a fault; its siblings are not affected."""

    type: Literal["child_failed"] = "child_failed"
    child: Address
    cause: FailureCause
    detail: str = ""
    """Type and message of the exception; never an object's `repr`."""


ChildEnded = ChildCompleted | ChildCancelled | ChildFailed
