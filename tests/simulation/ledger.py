"""Where broken promises are written down; raised they would be contained by the actors."""

from collections.abc import Callable


class Ledger:
    """The violations of one world, in order."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.violations: list[str] = []
        self.closed = False
        """The power is gone, or all is over: what happens now does not count."""

    def require(self, holds: object, promise: str) -> None:
        """Write down that a promise was broken, if it was."""
        if not holds and not self.closed:
            self.violations.append(f"{self._now():.4f} {promise}")
