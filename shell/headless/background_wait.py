"""What a headless run waits for after its turn: background tasks and their notifications."""

from messages.address import Address
from messages.subagents import NotificationDelivered, SubagentEnded, SubagentStarted

BackgroundEvent = SubagentStarted | SubagentEnded | NotificationDelivered


class BackgroundWait:
    """The primary agent's background tasks that its model has not been told the end of.

    A run must not end between the end of a task and the turn that reports it.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._running: dict[Address, int] = {}
        self._unreported: set[tuple[Address, int]] = set()

    def update(self, event: BackgroundEvent) -> None:
        """Apply an event of the primary agent."""
        match event:
            case SubagentStarted():
                if event.is_background:
                    self._running[event.child] = event.task_number
            case SubagentEnded():
                self._running.pop(event.child, None)
                if event.notification:
                    self._unreported.add((event.child, event.task_number))
            case NotificationDelivered():
                self._unreported.discard((event.child, event.task_number))

    @property
    def is_over(self) -> bool:
        """Whether the next end of a turn ends the run."""
        return not self._running and not self._unreported

    @property
    def running_names(self) -> tuple[str, ...]:
        """The names of the agents that are still running."""
        return tuple(child.name for child in self._running)
