"""One actor's life, from its first step to its one end; the cells of `cell` run it.

Everything here happens in the cell's own context (its turns on the event loop, or its thread),
but for `post`, `fence` and what says so.
"""

import logging

from actors.runtime.actor import Actor, JobFailure, JobId, check_inbox
from actors.runtime.event_loop import describe_error
from actors.runtime.lifecycle import Lifecycle, LifecycleStage
from actors.runtime.mailbox import (
    ChildCellEnded,
    ChildStopTimeout,
    JobEnded,
    MailboxItem,
    RestartDelayElapsed,
    StopCell,
    StopDeadlinePassed,
)
from actors.runtime.supervision import CrashHistory
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildEnded, ChildFailed, FailureCause
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")

DEFAULT_STOP_TIMEOUT_S = 5.0
"""For winding down after a crash or `finish`, where nobody named a deadline."""


class MailboxProcessor(Lifecycle):
    """Takes parcel by parcel; ends exactly once."""

    _crashes: CrashHistory | None = None
    """Made at the first crash that is survived."""

    def start_incarnation(self) -> bool:
        """Take the first step of an incarnation: make the behaviour and start it."""
        self._stage = LifecycleStage.RUNNING
        try:
            behaviour = self._make()
            Actor.bind(behaviour, self)
            self._behaviour = behaviour
            behaviour.on_start()
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self.fail("start", error)
        self._finish_if_asked()
        return self._stage is LifecycleStage.RUNNING

    def handle_item(self, item: MailboxItem) -> None:
        """Carry out one parcel; never raises."""
        if self.is_closed:
            self._world.dead_letter([item])
            return
        match item:
            case Envelope():
                if self._passing is None and self._crashes is None:
                    self._receive(item)
                else:
                    self._screen(item)
            case StopCell():
                self._ordered_to_stop(item)
            case StopDeadlinePassed():
                self._deadline_passed()
            case RestartDelayElapsed():
                self._begin_again()
            case JobEnded(work, outcome):
                self._work_ended(work, outcome)
            case ChildCellEnded(child, end):
                self._child_gone(child, end)
            case ChildStopTimeout(child):
                self._child_overdue(child)

    def fail(self, cause: FailureCause, error: BaseException) -> None:
        """Restart because of what was raised; end when it never started, or the budget is spent."""
        log.error("%s failed (%s)", self.address, cause, exc_info=error)
        if self.incarnation > 1:
            cause = "crash"
        may_restart = cause == "crash" and self._may_restart()
        failed = ChildFailed(child=self.address, cause=cause, detail=describe_error(error))
        deadline_s = self._world.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
        self._wind_down(None if may_restart else failed, deadline_s)

    def _screen(self, letter: Envelope) -> None:
        """Take mail that is held, or that may be what it crashed over before."""
        message = letter.message
        if self._passing is not None and type(message) not in self._passing:
            self._held.append(letter)
        elif self._crashes is not None and self._crashes.is_poison(message):
            self._world.quarantine(letter)
        else:
            self._receive(letter)
            if self._crashes is not None and self._stage is LifecycleStage.RUNNING:
                self._crashes.forget(message)

    def _receive(self, letter: Envelope) -> None:
        if self._stage is not LifecycleStage.RUNNING or self._behaviour is None:
            self._world.dead_letter([letter])
            return
        self.sender = letter.sender
        try:
            self._behaviour.on_receive(letter.message)
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self.fail("crash", error)
            self._crashed_over(letter)
        if self._end is not None:
            self._finish_if_asked()

    def _crashed_over(self, letter: Envelope) -> None:
        """Tell whoever sent what was in hand that nobody knows what came of it."""
        lives_on = self._end is None
        if lives_on and letter.sender != self.address:  # its own mail dies with the incarnation
            self._crashes = self._crashes or CrashHistory()
            self._crashes.record(letter.message)
        self._world.report_undelivered(letter, "crashed" if lives_on else "ended")

    def _tell_own(self, message: Message, sender: Address) -> None:
        self._receive(Envelope(self.address, sender, message))

    def _ordered_to_stop(self, order: StopCell) -> None:
        if self._passing is not None and not order.high_priority:
            self._held.append(order)  # what it drains is held, too
        else:
            self._wind_down(ChildCancelled(child=self.address), order.deadline_s)

    def _work_ended(self, work: JobId, outcome: Message | JobFailure) -> None:
        failed = self._works.pop_failure_handler(work)
        if self._stage is LifecycleStage.RUNNING and failed is not None:
            try:
                message = failed(outcome) if isinstance(outcome, JobFailure) else outcome
                check_inbox(message, self.inbox_types, self.address)
            except BaseException as error:  # noqa: BLE001  (`failed` is the feature's)
                self.fail("crash", error)
            else:
                self._tell_own(message, self.address)
        self._leave_if_done()

    def _child_gone(self, child: Address, end: ChildEnded) -> None:
        """Deliver the first end of a child; a given-up one may end late, which nobody hears."""
        if not self._children.remove(child):
            return
        if self._stage is LifecycleStage.RUNNING:
            self._tell_own(end, child)
        elif self.address == ROOT:
            self._stop_children()
        self._leave_if_done()

    def _child_overdue(self, child: Address) -> None:
        """Give up on a child; one that has just ended is no longer there, its end is on its way."""
        if child in self._children and self._world.abandon(child):
            end = ChildFailed(child=child, cause="unresponsive", detail="did not stop in time")
            self._child_gone(child, end)

    def _finish_if_asked(self) -> None:
        if self._end is not None and self._stage is LifecycleStage.RUNNING:
            self._wind_down(self._end, self._world.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S)
