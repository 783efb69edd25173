"""Stopping and restarting: finish, stop and crash share one path to an end or a restart."""

import logging
from abc import abstractmethod
from enum import Enum, auto

from actors.runtime.actor import ActorFactory
from actors.runtime.base_cell import BaseCell
from actors.runtime.event_loop import ResettableTimer
from actors.runtime.mailbox import (
    ChildCellEnded,
    MailboxItem,
    RestartDelayElapsed,
    StopDeadlinePassed,
)
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart, RestartBudget
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")


class LifecycleStage(Enum):
    """The stage of a cell."""

    NEW = auto()
    RUNNING = auto()
    STOPPING = auto()
    """Before the end, or before a restart if no end is set."""
    WAITING_TO_RESTART = auto()
    """Between two incarnations."""
    ENDED = auto()


class Lifecycle(BaseCell):
    """Stops a cell in order, and restarts it while its budget allows."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Create the cell. The behavior is made later, in the cell's own context."""
        super().__init__(runtime, address, make)
        self._parent = parent
        self._budget = RestartBudget(restart) if restart.limit else None
        self._stage = LifecycleStage.NEW
        self._deadline_s = float("inf")
        self._stop_timer: ResettableTimer | None = None

    @abstractmethod
    def start_incarnation(self) -> bool:
        """Make and start the behavior; False: the incarnation is already over."""

    def fence(self) -> None:
        """Block all later effects, from any thread: the parent has abandoned this cell."""
        self.is_closed = True
        self._dead_letter_mailbox()
        self._jobs.cancel_all()

    def clean_up_abandoned(self) -> None:
        """Clean up an abandoned behavior once its handler returns after all."""
        if self._stage is LifecycleStage.RUNNING:
            self._stage = LifecycleStage.ENDED
            self._call_on_stop()
            self._behavior = None

    def _spend_restart(self) -> bool:
        """Take one restart from the budget; False: there is none left."""
        return self._budget is not None and self._budget.spend(self._runtime.event_loop.now_s())

    def _begin_stopping(self, end: ChildEnded | None, deadline_s: float) -> None:
        """Clean up, cancel jobs and stop children; then end, or restart if `end` is None."""
        if self.is_closed:
            return
        if self._stage is not LifecycleStage.STOPPING:
            self._stage = LifecycleStage.STOPPING
            self._end = end
            if end is None:
                self.stash(frozenset())
            self._call_on_stop()
            self._jobs.cancel_all()
        self._end = self._end or end  # a stop during a restart wins
        if deadline_s < self._deadline_s:
            self._deadline_s = deadline_s
            self._stop_children()
        self._end_incarnation_if_done()
        if self._stage is LifecycleStage.STOPPING:
            self._stop_timer = self._stop_timer or ResettableTimer(
                self._runtime.event_loop, self._post_deadline_passed
            )
            self._stop_timer.set(self._deadline_s)

    def _post_deadline_passed(self) -> None:
        self.post(StopDeadlinePassed())

    def _call_on_stop(self) -> None:
        if self._behavior is None:
            return
        try:
            self._behavior.on_stop()
        except BaseException:  # an error in cleanup must not skip the rest of the stop
            log.exception("%s failed in on_stop", self.address)

    def _stop_children(self) -> None:
        """Stop all children at once; the root stops its own one by one, sharing the time left."""
        if self.address == ROOT:
            self._children.stop_newest(self._children.get_child_deadline_s(self._deadline_s))
        else:
            self._children.stop_all(self._deadline_s)

    def _end_incarnation_if_done(self) -> None:
        if self._stage is LifecycleStage.STOPPING and not self._jobs and not self._children:
            self._end_incarnation()

    def _on_stop_deadline_passed(self) -> None:
        """Abandon the children and jobs that are left."""
        if self._stage is not LifecycleStage.STOPPING:
            return
        for child in self._children:
            self._children.remove(child)
            self._runtime.abandon(child)
        if self._jobs:
            log.error("%s: %d jobs did not end in time", self.address, len(self._jobs))
            self._runtime.count_abandoned(self._jobs.abandon())
        self._end_incarnation()

    def _end_incarnation(self) -> None:
        self._behavior = None
        if self._stop_timer is not None:
            self._stop_timer.cancel()
        if self._end is None and self._budget is not None:
            self._schedule_restart(self._budget.delay_s)
        else:
            self._terminate(self._end or ChildCancelled(child=self.address))

    def _terminate(self, end: ChildEnded) -> None:
        """End for good, and report it after registry and counters are up to date.

        The parent gets exactly one end. A cell that unregisters itself reports its own end. An
        abandoned cell does not, because the parent already knows.
        """
        self._stage = LifecycleStage.ENDED
        self.is_closed = True
        self._dead_letter_mailbox()
        was_registered = self._runtime.unregister(self)
        if self._parent is None:
            self._runtime.on_root_ended(end)
        elif was_registered:
            self._parent.post(ChildCellEnded(self.address, end))

    def _dead_letter_mailbox(self) -> None:
        stashed, self._stashed = self._stashed, []
        self._runtime.dead_letter([*stashed, *self.close_mailbox()])

    def _schedule_restart(self, delay_s: float) -> None:
        self._stage = LifecycleStage.WAITING_TO_RESTART
        self._deadline_s = float("inf")
        self._stop_timer = None
        event_loop = self._runtime.event_loop
        timer = ResettableTimer(event_loop, lambda: self.post(RestartDelayElapsed()))
        timer.set(event_loop.now_s() + delay_s)

    def _on_restart_delay_elapsed(self) -> None:
        """Start a new behavior, notify the watchers, then deliver the stashed messages."""
        if self._stage is not LifecycleStage.WAITING_TO_RESTART:
            return
        self.incarnation += 1
        self._drop_messages_to_self()
        self._unstashed_types = None
        if self.start_incarnation():
            self._runtime.notify_watchers(self.address, self.incarnation)
            if self._unstashed_types is None:
                self.unstash()

    def _drop_messages_to_self(self) -> None:
        """Drop messages from the previous incarnation to itself; the new one has lost its state."""
        items = [*self._stashed, *self.take_all()]
        self._stashed = [item for item in items if not self._is_from_self(item)]
        self._runtime.dead_letter(item for item in items if self._is_from_self(item))

    def _is_from_self(self, item: MailboxItem) -> bool:
        return isinstance(item, Envelope) and item.sender == self.address
