"""`Cell`: a pykka actor that runs a behavior. README.md says what is pykka's and what is ours."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args

import pykka

from actors.runtime.actor import (
    Actor,
    ActorContext,
    ActorFactory,
    JobFailure,
    JobId,
    check_inbox,
    get_behavior_class,
    get_inbox_types,
)
from actors.runtime.children import Children
from actors.runtime.event_loop import describe_error
from actors.runtime.jobs import Jobs
from actors.runtime.lifecycle import Lifecycle, LifecycleStage
from actors.runtime.mailbox import (
    ChildCellEnded,
    ChildStopTimeout,
    JobEnded,
    Mailbox,
    MailboxItem,
    RestartDelayElapsed,
    StopCell,
    StopDeadlinePassed,
)
from actors.runtime.runtime_port import CellHandle, RuntimePort
from actors.runtime.supervision import CrashHistory, Restart
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import (
    ChildCancelled,
    ChildCompleted,
    ChildEnded,
    ChildFailed,
    FailureCause,
)
from messages.envelope import Envelope
from messages.supervision import PeerRestarted

log = logging.getLogger("greenroom.runtime")

DEFAULT_STOP_TIMEOUT_S = 5.0
"""Deadline for stopping after a crash or `finish`, where no caller set one."""
CHILD_END_TYPES = frozenset(get_args(ChildEnded))


class Cell(ActorContext, pykka.Actor):
    """Runs a behavior, one mailbox item at a time; ends exactly once.

    It owns a mailbox, a lifecycle, jobs and children. It is also the context that the behavior
    sees. Unless a method says otherwise, it runs in the cell's own context: its callbacks on the
    event loop, or its thread.
    """

    _crashes: CrashHistory | None = None
    """Created at the first crash that leads to a restart."""

    def __init__(  # noqa: PLR0913  (what the registry starts a cell with, and the mailbox)
        self,
        runtime: RuntimePort,
        address: Address,
        make: ActorFactory,
        parent: CellHandle | None,
        restart: Restart,
        *,
        mailbox: Mailbox,
    ) -> None:
        """Create the parts; a subclass has created the pykka actor.

        The behavior is made later, in the cell's own context.
        """
        behavior_class = get_behavior_class(make)
        self.address = address
        self.sender = address
        self.receiver = address
        self.incarnation = 1
        self.inbox_types = get_inbox_types(behavior_class)
        self.drains_before_stop = behavior_class.drains_before_stop
        self.relays_subtree = behavior_class.relays_subtree
        self.watched_peers: dict[Address, None] = {}
        """Peers whose restarts it subscribed to."""
        self.is_closed = False
        """True: it has ended or was abandoned; it handles and sends nothing more."""
        self._runtime = runtime
        self._make = make
        self._parent = parent
        self._behavior: Actor[Any] | None = None
        """Set from its start until its `on_stop`."""
        post: Callable[[MailboxItem], bool] = self.post
        self._mailbox = mailbox
        self._lifecycle = Lifecycle(runtime.event_loop, restart, post)
        self._children = Children(runtime.event_loop, post)
        self._jobs = Jobs(runtime.event_loop, address, post)

    def launch(self) -> None:
        """Start as `pykka.Actor.start` does, but without the global registry."""
        self._start_actor_loop()

    def post(self, item: MailboxItem) -> bool:
        """Add an item to the mailbox, from any thread; False: the cell has ended."""
        try:
            self.actor_ref.tell(item)
        except pykka.ActorDeadError:
            return False
        return True

    def get_default_deadline_s(self) -> float:
        """Return the deadline of a stop that begins now, where no caller set one."""
        return self._runtime.event_loop.now_s() + DEFAULT_STOP_TIMEOUT_S

    def on_late_items(self, items: list[MailboxItem]) -> None:
        """Count messages that arrived after the end."""
        self._runtime.dead_letter(items)

    # Called by the behavior, in the cell's own context.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, unless this cell is closed."""
        if not self.is_closed:
            self._runtime.send(to, message, sender)

    def start_child(self, make: ActorFactory, name: str, restart: Restart) -> Address:
        """Start a child.

        Raises:
            ValueError: the end of an earlier child of that name has not arrived yet.
            TypeError: `make` makes no actor, or this inbox lacks one of the three end messages.
        """
        address = self.address.child(name)
        if address in self._children:
            problem = f"{address} is already in use"
            raise ValueError(problem)
        if self.inbox_types is not None and not self.inbox_types >= CHILD_END_TYPES:
            problem = f"{self.address} starts a child, so its inbox must include all of ChildEnded"
            raise TypeError(problem)
        if not self.is_closed:
            self._children.add(self._runtime.start_cell(make, address, self, restart))
        if self.is_closed:  # abandoned, perhaps just now: its children must not outlive it
            self._runtime.abandon(address)
        return address

    def stop_child(self, child: Address, timeout_s: float) -> None:
        """Begin to stop a child; after `timeout_s` it is abandoned."""
        self._children.stop(child, self._runtime.event_loop.now_s() + timeout_s)

    def start_job(
        self, job: Callable[[], Awaitable[Message]], on_failure: Callable[[JobFailure], Message]
    ) -> JobId:
        """Start a job on the event loop, unless this cell is closed."""
        return 0 if self.is_closed else self._jobs.start(job, on_failure)

    def schedule(self, delay_s: float, message: Message) -> None:
        """Start a timer, unless this cell is closed."""
        if not self.is_closed:
            self._jobs.schedule(delay_s, message)

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job."""
        self._jobs.cancel(job_id)

    def message_sink(self) -> Callable[[Message], None]:
        """Return a function that posts messages to this incarnation, from any thread."""
        return partial(self._post_to_incarnation, self.incarnation)

    def watch(self, peer: Address) -> None:
        """Subscribe to a peer's restarts.

        Raises:
            TypeError: this inbox has no `PeerRestarted`.
        """
        if self.inbox_types is not None and PeerRestarted not in self.inbox_types:
            problem = f"{self.address} watches {peer}, so its inbox must include PeerRestarted"
            raise TypeError(problem)
        if not self.is_closed:
            self.watched_peers[peer] = None
            self._runtime.watch(peer, self.address)

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        """Hold back messages of all other types."""
        self._mailbox.unstashed_types = except_types

    def unstash(self) -> None:
        """Put the stashed items back in front of the mailbox, and stop holding messages back."""
        self._mailbox.unstash()

    def finish(self, result: str) -> None:
        """Stop normally after the current message."""
        end = ChildCompleted(child=self.address, result=result)
        self._lifecycle.end = self._lifecycle.end or end

    def finish_failed(self, cause: FailureCause, detail: str) -> None:
        """Stop as failed after the current message, without a restart."""
        failed = ChildFailed(child=self.address, cause=cause, detail=detail)
        self._lifecycle.end = self._lifecycle.end or failed

    # Called by jobs, from any thread.

    def _post_to_incarnation(self, incarnation: int, message: Message) -> None:
        check_inbox(message, self.inbox_types, self.address)
        if incarnation == self.incarnation:
            self.post(Envelope(self.address, self.address, message))

    # Handling of one mailbox item after the other, from the start to the end.

    def start_incarnation(self) -> bool:
        """Make and start the behavior; False: the incarnation is already over."""
        self._lifecycle.stage = LifecycleStage.RUNNING
        try:
            behavior = self._make()
            Actor.bind(behavior, self)
            self._behavior = behavior
            behavior.on_start()
        except BaseException as error:  # noqa: BLE001  (no exception of a feature may leave its cell)
            self.fail("start", error)
        self._stop_if_finished()
        return self._lifecycle.stage is LifecycleStage.RUNNING

    def handle_item(self, item: MailboxItem) -> None:
        """Handle one item; never raises. The watchdog reads the local `item` from the stack."""
        if self.is_closed:
            self._runtime.dead_letter([item])
            return
        match item:
            case Envelope():
                if self._mailbox.unstashed_types is None and self._crashes is None:
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
        # It has started before, so its budget decides about this failure, too.
        if self.incarnation > 1:
            cause = "crash"
        may_restart = cause == "crash" and self._lifecycle.spend_restart()
        failed = ChildFailed(child=self.address, cause=cause, detail=describe_error(error))
        self._begin_stopping(None if may_restart else failed, self.get_default_deadline_s())

    def _receive_or_hold_back(self, envelope: Envelope) -> None:
        """Handle a message unless it must be stashed or has crashed this actor too often."""
        message = envelope.message
        unstashed_types = self._mailbox.unstashed_types
        if unstashed_types is not None and type(message) not in unstashed_types:
            self._mailbox.stashed.append(envelope)
        elif self._crashes is not None and self._crashes.is_poison(message):
            self._runtime.quarantine(envelope)
        else:
            self._receive(envelope)
            if self._crashes is not None and self._lifecycle.stage is LifecycleStage.RUNNING:
                self._crashes.forget(message)

    def _receive(self, envelope: Envelope) -> None:
        behavior = self._behavior
        if behavior is None:  # it is set only while it runs
            self._runtime.dead_letter([envelope])
            return
        self.sender = envelope.sender
        self.receiver = envelope.to
        try:
            behavior.on_receive(envelope.message)
        except BaseException as error:  # noqa: BLE001  (no exception of a feature may leave its cell)
            self.fail("crash", error)
            self._record_crash(envelope)
        if self._lifecycle.end is not None:
            self._stop_if_finished()

    def _record_crash(self, envelope: Envelope) -> None:
        """Record the message that caused a crash, and report to its sender that it was lost."""
        will_restart = self._lifecycle.end is None  # `fail` has just decided it
        if will_restart and envelope.sender != self.address:  # its own messages are dropped anyway
            self._crashes = self._crashes or CrashHistory()
            self._crashes.record(envelope.message)
        self._runtime.report_undelivered(envelope, "crashed" if will_restart else "ended")

    def _receive_from_runtime(self, message: Message, sender: Address) -> None:
        self._receive(Envelope(self.address, sender, message))

    def _on_stop_cell(self, request: StopCell) -> None:
        if self._mailbox.unstashed_types is not None and not request.high_priority:
            self._mailbox.stashed.append(request)  # it stays behind the messages to drain
        else:
            self._begin_stopping(ChildCancelled(child=self.address), request.deadline_s)

    def _on_job_ended(self, job_id: JobId, outcome: Message | JobFailure) -> None:
        on_failure = self._jobs.pop_failure_handler(job_id)
        if self._lifecycle.stage is LifecycleStage.RUNNING and on_failure is not None:
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
        if self._lifecycle.stage is LifecycleStage.RUNNING:
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
        lifecycle = self._lifecycle
        if lifecycle.end is not None and lifecycle.stage is LifecycleStage.RUNNING:
            self._begin_stopping(lifecycle.end, self.get_default_deadline_s())

    # Stopping and restarting: finish, stop and crash share one path to an end or a restart.

    def fence(self) -> None:
        """Block all later effects, from any thread: the parent has abandoned this cell."""
        self.is_closed = True
        self._close_mailbox()
        self._jobs.cancel_all()

    def clean_up_abandoned(self) -> None:
        """Clean up an abandoned behavior once its handler returns after all."""
        if self._lifecycle.stage is LifecycleStage.RUNNING:
            self._lifecycle.stage = LifecycleStage.ENDED
            self._call_on_stop()

    def _begin_stopping(self, end: ChildEnded | None, deadline_s: float) -> None:
        """Clean up, cancel jobs and stop children; then end, or restart if `end` is None."""
        if self.is_closed:
            return
        lifecycle = self._lifecycle
        if lifecycle.begin_stopping(end):
            if end is None:
                self.stash(frozenset())  # every message waits for the next incarnation
            self._call_on_stop()
            self._jobs.cancel_all()
        lifecycle.end = lifecycle.end or end  # a stop during a restart wins
        if lifecycle.set_earlier_deadline(deadline_s):
            self._stop_children()
        self._end_incarnation_if_done()
        if lifecycle.stage is LifecycleStage.STOPPING:
            lifecycle.start_stop_timer()

    def _call_on_stop(self) -> None:
        """Call the behavior for the last time."""
        behavior, self._behavior = self._behavior, None
        if behavior is None:
            return
        try:
            behavior.on_stop()
        except BaseException:  # an error in cleanup must not skip the rest of the stop
            log.exception("%s failed in on_stop", self.address)

    def _stop_children(self) -> None:
        """Stop all children at once; the root stops its own one by one, sharing the time left."""
        deadline_s = self._lifecycle.deadline_s
        # In reverse start order: the journal starts first and must outlive all that write to it.
        if self.address == ROOT:
            self._children.stop_newest(self._children.get_child_deadline_s(deadline_s))
        else:
            self._children.stop_all(deadline_s)

    def _end_incarnation_if_done(self) -> None:
        is_stopping = self._lifecycle.stage is LifecycleStage.STOPPING
        if is_stopping and not self._jobs and not self._children:
            self._end_incarnation()

    def _on_stop_deadline_passed(self) -> None:
        """Abandon the children and jobs that are left."""
        if self._lifecycle.stage is not LifecycleStage.STOPPING:
            return
        for child in self._children:
            self._children.remove(child)
            self._runtime.abandon(child)
        if self._jobs:
            log.error("%s: %d jobs did not end in time", self.address, len(self._jobs))
            self._runtime.count_abandoned(self._jobs.abandon())
        self._end_incarnation()

    def _end_incarnation(self) -> None:
        if not self._lifecycle.end_incarnation():
            self._terminate(self._lifecycle.end or ChildCancelled(child=self.address))

    def _terminate(self, end: ChildEnded) -> None:
        """End for good, and report it after registry and counters are up to date.

        The parent gets exactly one end. A cell that unregisters itself reports its own end. An
        abandoned cell does not, because the parent already knows.
        """
        self._lifecycle.stage = LifecycleStage.ENDED
        self.is_closed = True
        self._close_mailbox()
        was_registered = self._runtime.unregister(self)
        if self._parent is None:
            self._runtime.on_root_ended(end)
        elif was_registered:
            self._parent.post(ChildCellEnded(self.address, end))

    def _close_mailbox(self) -> None:
        """Empty the mailbox for good; from now on pykka's `ActorRef.tell` raises."""
        self.actor_stopped.set()
        self._runtime.dead_letter(self._mailbox.take_all())

    def _on_restart_delay_elapsed(self) -> None:
        """Start a new behavior, notify the watchers, then deliver the stashed messages."""
        if self._lifecycle.stage is not LifecycleStage.WAITING_TO_RESTART:
            return
        self.incarnation += 1
        self._drop_messages_to_self()
        self._mailbox.unstashed_types = None
        if self.start_incarnation():
            self._runtime.notify_watchers(self.address, self.incarnation)
            if self._mailbox.unstashed_types is None:
                self.unstash()

    def _drop_messages_to_self(self) -> None:
        """Drop messages from the previous incarnation to itself; the new one has lost its state."""
        items = self._mailbox.take_all()
        self._mailbox.stashed = [item for item in items if not self._is_from_self(item)]
        self._runtime.dead_letter(item for item in items if self._is_from_self(item))

    def _is_from_self(self, item: MailboxItem) -> bool:
        return isinstance(item, Envelope) and item.sender == self.address
