"""The owner of the screen state, as the parts of the screen see it."""

from typing import Protocol

from shell.view.screen_state import ScreenState, ScreenUpdate


class StateOwner(Protocol):
    """Provides the current state and applies updates to it."""

    @property
    def state(self) -> ScreenState:
        """What is known about the session."""
        ...

    @property
    def now_s(self) -> float:
        """The event loop's time."""
        ...

    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""
        ...
