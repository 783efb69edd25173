"""The stage of a cell, the deadline of its stop, and its restarts."""

from collections.abc import Callable
from enum import Enum, auto

from actors.runtime.event_loop import EventLoop, ResettableTimer
from actors.runtime.mailbox import RestartDelayElapsed, StopDeadlinePassed
from actors.runtime.supervision import Restart, RestartBudget
from messages.child_lifecycle import ChildEnded


class LifecycleStage(Enum):
    """The stage of a cell."""

    NEW = auto()
    RUNNING = auto()
    STOPPING = auto()
    """Before the end, or before a restart if no end is set."""
    WAITING_TO_RESTART = auto()
    """Between two incarnations."""
    ENDED = auto()


class Lifecycle:
    """What happens to one cell next; the cell carries it out, in its own context."""

    __slots__ = (
        "_budget",
        "_event_loop",
        "_post_signal",
        "_stop_timer",
        "deadline_s",
        "end",
        "stage",
    )

    def __init__(
        self,
        event_loop: EventLoop,
        restart: Restart,
        post_signal: Callable[[StopDeadlinePassed | RestartDelayElapsed], object],
    ) -> None:
        """Start as a new cell; `post_signal` posts to the cell's mailbox."""
        self.stage = LifecycleStage.NEW
        self.end: ChildEnded | None = None
        """How the cell ends; None: it has not been decided, or a restart follows."""
        self._event_loop = event_loop
        self._post_signal = post_signal
        self._budget = RestartBudget(restart) if restart.limit else None
        self.deadline_s = float("inf")
        """When the current stop must be over; infinite if nothing is stopping."""
        self._stop_timer: ResettableTimer | None = None

    def spend_restart(self) -> bool:
        """Take one restart from the budget; False: there is none left."""
        return self._budget is not None and self._budget.spend(self._event_loop.now_s())

    def begin_stopping(self, end: ChildEnded | None) -> bool:
        """Enter the stopping stage, before a restart if `end` is None; False: already in it."""
        if self.stage is LifecycleStage.STOPPING:
            return False
        self.stage = LifecycleStage.STOPPING
        self.end = end
        return True

    def set_earlier_deadline(self, deadline_s: float) -> bool:
        """Set the deadline of the stop; False: the current one is not later."""
        if deadline_s >= self.deadline_s:
            return False
        self.deadline_s = deadline_s
        return True

    def start_stop_timer(self) -> None:
        """Post `StopDeadlinePassed` at the deadline."""
        self._stop_timer = self._stop_timer or ResettableTimer(
            self._event_loop, lambda: self._post_signal(StopDeadlinePassed())
        )
        self._stop_timer.set(self.deadline_s)

    def end_incarnation(self) -> bool:
        """Leave the stopping stage; True: a restart follows, announced by `RestartDelayElapsed`."""
        if self._stop_timer is not None:
            self._stop_timer.cancel()
        if self.end is not None or self._budget is None:
            return False
        self.stage = LifecycleStage.WAITING_TO_RESTART
        self.deadline_s = float("inf")
        self._stop_timer = None
        timer = ResettableTimer(self._event_loop, lambda: self._post_signal(RestartDelayElapsed()))
        timer.set(self._event_loop.now_s() + self._budget.delay_s)
        return True
