"""The one way out of an incarnation: finish, stop and crash all take it, to an end or a restart."""

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
from actors.runtime.runtime_port import RuntimePort
from actors.runtime.supervision import NO_RESTART, Restart, RestartBudget
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")


class LifecycleStage(Enum):
    """Where in its life a cell is."""

    NEW = auto()
    RUNNING = auto()
    STOPPING = auto()
    """To its end, or without one to the next incarnation."""
    WAITING_TO_RESTART = auto()
    """Between two incarnations."""
    ENDED = auto()


class Lifecycle(BaseCell):
    """A household that is left in order, and entered anew when its budget allows."""

    def __init__(
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: BaseCell | None,
        restart: Restart = NO_RESTART,
    ) -> None:
        """Prepare; nothing of the feature runs yet."""
        super().__init__(runtime, address, make)
        self._parent = parent
        self._budget = RestartBudget(restart) if restart.limit else None
        self._stage = LifecycleStage.NEW
        self._deadline_s = float("inf")
        self._alarm: ResettableTimer | None = None

    @abstractmethod
    def start_incarnation(self) -> bool:
        """Take the first step of an incarnation; False: it is over already."""

    def fence(self) -> None:
        """Take no further part, from any thread: the parent gave up waiting for the end."""
        self.is_closed = True
        self._bury_mail()
        self._works.cancel_all()

    def clean_up_abandoned(self) -> None:
        """Clean up what a given-up behaviour left when it comes back after all."""
        if self._stage is LifecycleStage.RUNNING:
            self._stage = LifecycleStage.ENDED
            self._clean_up()
            self._behaviour = None

    def _may_restart(self) -> bool:
        """Take a restart from the budget, if there is one."""
        return self._budget is not None and self._budget.spend(self._world.event_loop.now_s())

    def _wind_down(self, end: ChildEnded | None, deadline_s: float) -> None:
        """Clean up, cancel work, stop children; then end, or without `end` begin again."""
        if self.is_closed:
            return
        if self._stage is not LifecycleStage.STOPPING:
            self._stage = LifecycleStage.STOPPING
            self._end = end
            if end is None:
                self.stash(frozenset())
            self._clean_up()
            self._works.cancel_all()
        self._end = self._end or end  # a stop ends a restart
        if deadline_s < self._deadline_s:
            self._deadline_s = deadline_s
            self._stop_children()
        self._leave_if_done()
        if self._stage is LifecycleStage.STOPPING:
            self._alarm = self._alarm or ResettableTimer(self._world.event_loop, self._ring)
            self._alarm.set(self._deadline_s)

    def _ring(self) -> None:
        self.post(StopDeadlinePassed())

    def _clean_up(self) -> None:
        if self._behaviour is None:
            return
        try:
            self._behaviour.on_stop()
        except BaseException:  # a fault in clean-up must not skip the rest
            log.exception("%s failed while it cleaned up", self.address)

    def _stop_children(self) -> None:
        """Stop children together; the root's one by one, each with a share of the time left."""
        if self.address == ROOT:
            self._children.stop_newest(self._children.get_child_deadline_s(self._deadline_s))
        else:
            self._children.stop_all(self._deadline_s)

    def _leave_if_done(self) -> None:
        if self._stage is LifecycleStage.STOPPING and not self._works and not self._children:
            self._leave_incarnation()

    def _deadline_passed(self) -> None:
        """Give up on what is left."""
        if self._stage is not LifecycleStage.STOPPING:
            return
        for child in self._children:
            self._children.remove(child)
            self._world.abandon(child)
        if self._works:
            log.error("%s: %d jobs did not end in time", self.address, len(self._works))
            self._world.count_abandoned(self._works.abandon())
        self._leave_incarnation()

    def _leave_incarnation(self) -> None:
        self._behaviour = None
        if self._alarm is not None:
            self._alarm.cancel()
        if self._end is None and self._budget is not None:
            self._rest(self._budget.delay_s)
        else:
            self._finish_life(self._end or ChildCancelled(child=self.address))

    def _finish_life(self, end: ChildEnded) -> None:
        """End; whoever hears of it finds the directory and the counts settled.

        One end only: who is taken out of the directory by itself tells its parent, who was given up
        does not, for the parent gave up and knows.
        """
        self._stage = LifecycleStage.ENDED
        self.is_closed = True
        self._bury_mail()
        ended_by_itself = self._world.unregister(self)
        if self._parent is None:
            self._world.on_root_ended(end)
        elif ended_by_itself:
            self._parent.post(ChildCellEnded(self.address, end))

    def _bury_mail(self) -> None:
        held, self._held = self._held, []
        self._world.dead_letter([*held, *self.close_mailbox()])

    def _rest(self, rest_s: float) -> None:
        self._stage = LifecycleStage.WAITING_TO_RESTART
        self._deadline_s = float("inf")
        self._alarm = None
        now_s = self._world.event_loop.now_s()
        ResettableTimer(self._world.event_loop, lambda: self.post(RestartDelayElapsed())).set(
            now_s + rest_s
        )

    def _begin_again(self) -> None:
        """Replace the behaviour; watchers hear of it once it has started, then the mail comes."""
        if self._stage is not LifecycleStage.WAITING_TO_RESTART:
            return
        self.incarnation += 1
        self._drop_own_mail()
        self._passing = None
        if self.start_incarnation():
            self._world.notify_watchers(self.address, self.incarnation)
            if self._passing is None:
                self.unstash()

    def _drop_own_mail(self) -> None:
        """Forget what the last incarnation told itself; the new one does not know what it meant."""
        mail = [*self._held, *self.take_all()]
        self._held = [parcel for parcel in mail if not self._is_own(parcel)]
        self._world.dead_letter(parcel for parcel in mail if self._is_own(parcel))

    def _is_own(self, parcel: MailboxItem) -> bool:
        return isinstance(parcel, Envelope) and parcel.sender == self.address
