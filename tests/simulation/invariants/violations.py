"""The list of violated invariants: an actor would contain an exception, so none is raised."""

from collections.abc import Callable


class Violations:
    """The violations of one simulation, in order."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.entries: list[str] = []
        self.is_closed = False
        """Nothing is recorded anymore, as the power is off."""

    def require(self, condition: object, message: str) -> None:
        """Record a violation unless the condition holds."""
        if not condition:
            self.report(message)

    def report(self, message: str) -> None:
        """Record a violation."""
        if not self.is_closed:
            self.entries.append(f"{self._now():.4f} {message}")
