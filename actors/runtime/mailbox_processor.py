"""Handling of one mailbox item after the other, from an actor's start to its end.

Everything here runs in the cell's own context: its callbacks on the event loop, or its thread.
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
"""Deadline for stopping after a crash or `finish`, where no caller set one."""


class MailboxProcessor(Lifecycle):
    """Handles one mailbox item at a time; ends exactly once."""

    _crashes: CrashHistory | None = None
    """Created at the first crash that leads to a restart."""

    def start_incarnation(self) -> bool:
        """Make and start the behavior; False: the incarnation is already over."""
        self._stage = LifecycleStage.RUNNING
        try:
            behavior = self._make()
            Actor.bind(behavior, self)
            self._behavior = behavior
            behavior.on_start()
        except BaseException as error:  # noqa: BLE001  (no exception of a feature may leave its cell)
            self.fail("start", error)
        self._stop_if_finished()
        return self._stage is LifecycleStage.RUNNING

    def handle_item(self, item: MailboxItem) -> None:
        """Handle one item; never raises. The watchdog reads the local `item` from the stack."""
        if self.is_closed:
            self._runtime.dead_letter([item])
            return
        match item:
            case Envelope():
                if self._unstashed_types is None and self._crashes is None:
                    self._receive(item)
                else:
                    self._receive_or_hold_back(item)
            case StopCell():
                self._on_stop_cell(item)
            case StopDeadlinePassed():
                self._on_stop_deadline_passed()
            case RestartDelayElapsed():
                self._on_restart_delay_elapsed()
            case JobEnded(job_id, outcome):
                self._on_job_ended(job_id, outcome)
            case ChildCellEnded(child, end):
                self._on_child_ended(child, end)
            case ChildStopTimeout(child):
                self._on_child_stop_timeout(child)

    def fail(self, cause: FailureCause, error: BaseException) -> None:
        """Restart after an exception; end if the first start failed or the budget is spent."""
        log.error("%s failed (%s)", self.address, cause, exc_info=error)
        if self.incarnation > 1:
            cause = "crash"
        may_restart = cause == "crash" and self._spend_restart()
        failed = ChildFailed(child=self.address, cause=cause, detail=describe_error(error))
        deadline_s = self._runtime.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
        self._begin_stopping(None if may_restart else failed, deadline_s)

    def _receive_or_hold_back(self, envelope: Envelope) -> None:
        """Handle a message unless it must be stashed or has crashed this actor too often."""
        message = envelope.message
        if self._unstashed_types is not None and type(message) not in self._unstashed_types:
            self._stashed.append(envelope)
        elif self._crashes is not None and self._crashes.is_poison(message):
            self._runtime.quarantine(envelope)
        else:
            self._receive(envelope)
            if self._crashes is not None and self._stage is LifecycleStage.RUNNING:
                self._crashes.forget(message)

    def _receive(self, envelope: Envelope) -> None:
        if self._stage is not LifecycleStage.RUNNING or self._behavior is None:
            self._runtime.dead_letter([envelope])
            return
        self.sender = envelope.sender
        try:
            self._behavior.on_receive(envelope.message)
        except BaseException as error:  # noqa: BLE001  (no exception of a feature may leave its cell)
            self.fail("crash", error)
            self._record_crash(envelope)
        if self._end is not None:
            self._stop_if_finished()

    def _record_crash(self, envelope: Envelope) -> None:
        """Record the message that caused a crash, and report to its sender that it was lost."""
        will_restart = self._end is None
        if will_restart and envelope.sender != self.address:  # its own messages are dropped anyway
            self._crashes = self._crashes or CrashHistory()
            self._crashes.record(envelope.message)
        self._runtime.report_undelivered(envelope, "crashed" if will_restart else "ended")

    def _receive_from_runtime(self, message: Message, sender: Address) -> None:
        self._receive(Envelope(self.address, sender, message))

    def _on_stop_cell(self, request: StopCell) -> None:
        if self._unstashed_types is not None and not request.high_priority:
            self._stashed.append(request)  # it stays behind the messages to drain
        else:
            self._begin_stopping(ChildCancelled(child=self.address), request.deadline_s)

    def _on_job_ended(self, job_id: JobId, outcome: Message | JobFailure) -> None:
        on_failure = self._jobs.pop_failure_handler(job_id)
        if self._stage is LifecycleStage.RUNNING and on_failure is not None:
            try:
                message = on_failure(outcome) if isinstance(outcome, JobFailure) else outcome
                check_inbox(message, self.inbox_types, self.address)
            except BaseException as error:  # noqa: BLE001  (`on_failure` is the feature's code)
                self.fail("crash", error)
            else:
                self._receive_from_runtime(message, self.address)
        self._end_incarnation_if_done()

    def _on_child_ended(self, child: Address, end: ChildEnded) -> None:
        """Deliver a child's first end; a late end of an abandoned child is dropped."""
        if not self._children.remove(child):
            return
        if self._stage is LifecycleStage.RUNNING:
            self._receive_from_runtime(end, child)
        elif self.address == ROOT:
            self._stop_children()
        self._end_incarnation_if_done()

    def _on_child_stop_timeout(self, child: Address) -> None:
        """Abandon a child, unless it has just ended and its end is in the mailbox."""
        if child in self._children and self._runtime.abandon(child):
            end = ChildFailed(child=child, cause="unresponsive", detail="did not stop in time")
            self._on_child_ended(child, end)

    def _stop_if_finished(self) -> None:
        if self._end is not None and self._stage is LifecycleStage.RUNNING:
            deadline_s = self._runtime.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S
            self._begin_stopping(self._end, deadline_s)
