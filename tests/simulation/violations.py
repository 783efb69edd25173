"""Where broken promises are written down; raised they would be contained by the actors."""

from collections.abc import Callable


class Violations:
    """The violations of one world, in order."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.entries: list[str] = []
        self.is_closed = False
        """The power is gone, or all is over: what happens now does not count."""

    def require(self, condition: object, message: str) -> None:
        """Write down that a promise was broken, if it was."""
        if not condition and not self.is_closed:
            self.entries.append(f"{self._now():.4f} {message}")
