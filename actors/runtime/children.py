"""The living children of one cell, and how they are told to stop."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from actors.runtime.event_loop import EventLoop, ResettableTimer
from actors.runtime.mailbox import ChildStopTimeout, MailboxItem, StopCell
from messages.address import Address

CHILD_DEADLINE_SHARE = 0.9
"""A child's part of its parent's time, so that the deepest deadline passes first."""


class ChildCell(Protocol):
    """A cell, as its parent sees it."""

    address: Address
    drains_before_stop: bool

    def post(self, item: MailboxItem) -> bool:
        """Put a parcel into the child's inbox."""
        ...


class Children:
    """Children in the order of their start; used in the parent's context only."""

    def __init__(
        self, event_loop: EventLoop, on_overdue: Callable[[ChildStopTimeout], object]
    ) -> None:
        """Begin without any."""
        self._event_loop = event_loop
        self._report = on_overdue
        self._living: dict[Address, ChildCell] = {}
        self._alarms: dict[Address, tuple[float, ResettableTimer]] = {}

    def __len__(self) -> int:
        """How many live."""
        return len(self._living)

    def __iter__(self) -> Iterator[Address]:
        """Walk over the addresses, first started first."""
        return iter(tuple(self._living))

    def __contains__(self, child: Address) -> bool:
        """Whether a child has not ended yet, as its parent knows."""
        return child in self._living

    def add(self, child: ChildCell) -> None:
        """Own a child that was just started."""
        self._living[child.address] = child

    def remove(self, child: Address) -> bool:
        """Strike an ended child off; False: it was not, or no longer, in the table."""
        _, alarm = self._alarms.pop(child, (0.0, None))
        if alarm is not None:
            alarm.cancel()
        return self._living.pop(child, None) is not None

    def stop(self, child: Address, deadline_s: float) -> None:
        """Tell one child to stop; `ChildStopTimeout` is reported if it lives at `by_s`."""
        if child not in self._living:
            return
        self._order(self._living[child], deadline_s)
        earlier_s, alarm = self._alarms.get(child, (float("inf"), None))
        if deadline_s < earlier_s:
            alarm = alarm or ResettableTimer(
                self._event_loop, partial(self._report, ChildStopTimeout(child))
            )
            alarm.set(deadline_s)
            self._alarms[child] = deadline_s, alarm

    def stop_newest(self, deadline_s: float) -> None:
        """Tell the one started last, if there is one."""
        for child in reversed(self._living):
            self.stop(child, deadline_s)
            return

    def stop_all(self, deadline_s: float) -> None:
        """Tell all, last started first; whoever calls watches the one deadline."""
        for child in reversed(self._living.values()):
            self._order(child, deadline_s)

    def _order(self, child: ChildCell, by_s: float) -> None:
        child.post(
            StopCell(self.get_child_deadline_s(by_s), high_priority=not child.drains_before_stop)
        )

    def get_child_deadline_s(self, deadline_s: float) -> float:
        """Leave a part of the time to ourselves."""
        now_s = self._event_loop.now_s()
        return now_s + CHILD_DEADLINE_SHARE * (deadline_s - now_s)
