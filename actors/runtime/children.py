"""The children of one cell, and how they are stopped."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from actors.runtime.event_loop import EventLoop, ResettableTimer
from actors.runtime.mailbox import ChildStopTimeout, MailboxItem, StopCell
from messages.address import Address

CHILD_DEADLINE_SHARE = 0.9
"""A child gets this share of its parent's time, so that the deepest deadline passes first."""


class ChildCell(Protocol):
    """A cell, as its parent sees it."""

    address: Address
    drains_before_stop: bool

    def post(self, item: MailboxItem) -> bool:
        """Add an item to the child's mailbox; False: it has ended."""
        ...


class Children:
    """The children of a cell, in the order they were started; used in its own context only."""

    def __init__(
        self, event_loop: EventLoop, on_overdue: Callable[[ChildStopTimeout], object]
    ) -> None:
        """Start with no children; `on_overdue` posts to the parent's mailbox."""
        self._event_loop = event_loop
        self._on_overdue = on_overdue
        self._cells: dict[Address, ChildCell] = {}
        self._stop_timers: dict[Address, tuple[float, ResettableTimer]] = {}

    def __len__(self) -> int:
        """Return how many children have not ended."""
        return len(self._cells)

    def __iter__(self) -> Iterator[Address]:
        """Iterate over the addresses in start order; removing one meanwhile is safe."""
        return iter(tuple(self._cells))

    def __contains__(self, child: Address) -> bool:
        """Return whether a child's end has not arrived yet."""
        return child in self._cells

    def add(self, child: ChildCell) -> None:
        """Add a child that was just started."""
        self._cells[child.address] = child

    def remove(self, child: Address) -> bool:
        """Remove an ended child; False: it is not in the table."""
        _, timer = self._stop_timers.pop(child, (0.0, None))
        if timer is not None:
            timer.cancel()
        return self._cells.pop(child, None) is not None

    def stop(self, child: Address, deadline_s: float) -> None:
        """Stop one child; report `ChildStopTimeout` if it is still there at `deadline_s`."""
        if child not in self._cells:
            return
        self._post_stop(self._cells[child], deadline_s)
        earlier_s, timer = self._stop_timers.get(child, (float("inf"), None))
        if deadline_s < earlier_s:  # a second stop may only shorten the time
            timer = timer or ResettableTimer(
                self._event_loop, partial(self._on_overdue, ChildStopTimeout(child))
            )
            timer.set(deadline_s)
            self._stop_timers[child] = deadline_s, timer

    def stop_newest(self, deadline_s: float) -> None:
        """Stop the child that was started last, if there is one."""
        newest = next(reversed(self._cells), None)
        if newest is not None:
            self.stop(newest, deadline_s)

    def stop_all(self, deadline_s: float) -> None:
        """Stop all children, newest first; the caller watches their common deadline."""
        for child in reversed(self._cells.values()):
            self._post_stop(child, deadline_s)

    def _post_stop(self, child: ChildCell, deadline_s: float) -> None:
        child_deadline_s = self.get_child_deadline_s(deadline_s)
        child.post(StopCell(child_deadline_s, high_priority=not child.drains_before_stop))

    def get_child_deadline_s(self, deadline_s: float) -> float:
        """Return a child's deadline, which leaves part of the time to the parent."""
        now_s = self._event_loop.now_s()
        return now_s + CHILD_DEADLINE_SHARE * (deadline_s - now_s)
