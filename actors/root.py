"""The root supervisor: starts its children in order and stops them in reverse."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors.runtime.actor import Actor
from messages.address import APPROVALS, CONSOLE, PERMISSIONS, PRIMARY
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.approvals import PresenterChanged
from messages.permissions import RegisterAgent
from messages.rules import Profile

Make = Callable[[], Actor[Any]]


@dataclass(frozen=True, slots=True)
class Factories:
    """How to make each child of the root."""

    journal: Make
    permissions: Make
    approvals: Make
    console: Make
    primary: Make
    profile: Profile
    """The primary's."""


class Root(Actor[ChildEnded]):
    """The top of the tree.

    Without its journal, engine, broker or primary the session cannot go on; without its console it
    can, and nobody can answer.
    """

    def __init__(self, factories: Factories) -> None:
        """Know whom to start."""
        self._factories = factories

    def on_start(self) -> None:
        """Start the children; each finds those before it."""
        self.start(self._factories.journal, "journal")
        self.start(self._factories.permissions, "permissions")
        self.start(self._factories.approvals, "approvals")
        self.start(self._factories.console, "console")
        self.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=self._factories.profile))
        self.start(self._factories.primary, "primary")

    def on_receive(self, message: ChildEnded) -> None:
        """Go on without a console, end without anyone else."""
        if message.child == CONSOLE:
            gone = PresenterChanged(can_answer=False, reason="the terminal is gone")
            self.tell(APPROVALS, gone)
        else:
            self.finish(f"{message.child} {how(message)}")


def how(end: ChildEnded) -> str:
    """Say how a child ended, in one line."""
    match end:
        case ChildCompleted():
            return "ended by itself"
        case ChildCancelled():
            return "was stopped"
        case ChildFailed():
            return f"failed ({end.cause}): {end.detail}"
