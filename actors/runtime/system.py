"""`ActorSystem`: how threads that run no actors start, tell, ask and stop them."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future

from actors.runtime.actor import Actor, ActorFactory, get_behavior_class
from actors.runtime.children import CHILD_DEADLINE_SHARE
from actors.runtime.event_loop import EventLoopThread
from actors.runtime.mailbox import StopCell
from actors.runtime.registry import ActorRegistry, MessageReceiver
from actors.runtime.reply_slot import ReplySlot
from actors.runtime.supervision import NO_RESTART, Restart
from actors.runtime.watchdog import StallCallback, StallLimits, Watchdog
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded, ChildFailed
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")

EXIT_TIMEOUT_S = 5.0
"""Deadline for stopping all actors."""
MAX_NAME_CHARS = 40
"""Longest stem of a generated name; a number follows it."""


class EmptyRoot(Actor[Message]):
    """A root with no behavior, for tests and small programs."""

    def on_receive(self, message: Message) -> None:
        """Log the end of a child."""
        log.debug("%s: %s", self.sender, message)


class ActorSystem:
    """All actors of one process: one event loop, one tree and one registry."""

    def __init__(
        self,
        root: ActorFactory = EmptyRoot,
        address: Address = ROOT,
        outside: MessageReceiver | None = None,
    ) -> None:
        """Start the event loop and the root actor, which runs on that loop.

        A system that is a part of a larger one has its root at that root's `address` there, and
        `outside` receives the messages to all other addresses.

        Raises:
            TypeError: `root` does not make an actor, or makes one that runs on its own thread.
        """
        if get_behavior_class(root).dispatcher != "loop":
            problem = "the root must be a loop actor"
            raise TypeError(problem)
        self._root_end: Future[ChildEnded] = Future()
        self._has_ended = False
        self._watchdog: Watchdog | None = None
        self.event_loop = EventLoopThread()
        self._registry = ActorRegistry(self._on_root_ended, self.event_loop, outside=outside)
        self._name_counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._abandoned_before_stop: int | None = None
        self.event_loop.start()
        self._root = self._registry.start_cell(root, address, None)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of all actors, in start order."""
        return self._registry.addresses

    @property
    def dead_letter_count(self) -> int:
        """The number of messages so far that no actor handled."""
        return self._registry.dead_letter_count

    @property
    def abandoned_count(self) -> int:
        """The number of actors and jobs so far that did not end in time; they are fenced."""
        return self._registry.abandoned_count

    def start(self, make: ActorFactory, name: str = "", restart: Restart = NO_RESTART) -> Address:
        """Start a child of the root; without a name, it is named after its class.

        Raises:
            ValueError: a child of the root has that name.
            RuntimeError: the system has ended, or the caller is on the event loop's thread.
        """
        self._require_other_thread()
        started: Future[Address] = Future()

        def start_child() -> None:
            try:
                child = self._root.start_child(make, name or self._generate_name(make), restart)
                started.set_result(child)
            except BaseException as error:  # noqa: BLE001  (it is raised in the caller)
                started.set_exception(error)

        if self._root.is_closed or not self.event_loop.call_soon(start_child):
            problem = "the actor system has ended"
            raise RuntimeError(problem)
        return started.result(EXIT_TIMEOUT_S)

    def tell(self, to: Address, message: Message) -> None:
        """Send a message from any thread; the sender is the root.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        self._registry.send(to, message, ROOT)

    def deliver(self, envelope: Envelope) -> None:
        """Deliver a message from outside this system.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        self._registry.send(envelope.to, envelope.message, envelope.sender)

    def notify_watchers(self, peer: Address, incarnation: int) -> None:
        """Report the restart of an actor outside this system to the actors that watch it."""
        self._registry.notify_watchers(peer, incarnation)

    def ask(self, to: Address, message: Message, timeout_s: float) -> Message:
        """Send a message and wait for the reply, which goes to a one-shot address.

        Raises:
            TimeoutError: no reply arrived in time.
            UnexpectedMessageError: the receiver's inbox has no such message.
            RuntimeError: the caller is on the event loop's thread.
        """
        self._require_other_thread()
        slot = ReplySlot()
        address = ROOT.child(self._number_name("ask"))
        self._registry.reply_slots[address] = slot
        try:
            self._registry.send(to, message, address)
            return slot.reply.result(timeout_s)
        finally:
            del self._registry.reply_slots[address]

    def stop_child(self, child: Address, timeout_s: float = EXIT_TIMEOUT_S) -> None:
        """Begin to stop a child of the root, from any thread."""
        self.event_loop.run_on_loop(lambda: self._root.stop_child(child, timeout_s))

    def start_watchdog(
        self, on_stall: StallCallback, on_fatal_stall: StallCallback, limits: StallLimits
    ) -> None:
        """Start a watchdog for the event loop, which runs until `stop`; call this only once."""
        self._watchdog = Watchdog(self.event_loop, on_stall, on_fatal_stall, limits)
        self._watchdog.start()

    def stop(self, timeout_s: float = EXIT_TIMEOUT_S) -> bool:
        """Stop all actors, then the event loop.

        Returns:
            Whether all ended in time, so that none was abandoned since the first call.

        Raises:
            RuntimeError: the caller is on the event loop's thread.
        """
        self._require_other_thread()
        if self._watchdog is not None:
            self._watchdog.stop()
        if self._abandoned_before_stop is None:
            self._abandoned_before_stop = self.abandoned_count
        deadline_s = self.event_loop.now_s() + CHILD_DEADLINE_SHARE * timeout_s
        self._root.post(StopCell(deadline_s, high_priority=not self._root.drains_before_stop))
        if not self.wait(timeout_s):  # the event loop itself is blocked
            self._registry.abandon(ROOT)
            self._on_root_ended(
                ChildFailed(child=ROOT, cause="unresponsive", detail="blocked the event loop")
            )
        self.event_loop.stop()
        log.debug(
            "stopped: %d dead letters, %d abandoned", self.dead_letter_count, self.abandoned_count
        )
        return self.abandoned_count == self._abandoned_before_stop

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the root has ended; False: it has not ended in time.

        Raises:
            RuntimeError: the caller is on the event loop's thread.
        """
        self._require_other_thread()
        try:
            self._root_end.result(timeout_s)
        except TimeoutError:
            return False
        return True

    def add_end_callback(self, callback: Callable[[ChildEnded], None]) -> None:
        """Call `callback` on the runtime's thread when the root ends, or immediately if it has."""

        def call(root_end: Future[ChildEnded]) -> None:
            try:
                callback(root_end.result())
            except BaseException:  # the other callbacks must run, too
                log.exception("an end callback failed")

        self._root_end.add_done_callback(call)

    def set_restart_callback(self, callback: Callable[[Address], None]) -> None:
        """Call `callback` after each restart of an actor, on its thread; set only once."""

        def call(peer: Address) -> None:
            try:
                callback(peer)
            except BaseException:  # the restart continues
                log.exception("a restart callback failed")

        self._registry.on_restart = call

    def _on_root_ended(self, end: ChildEnded) -> None:
        """Record the root's end; only the first report has an effect."""
        with self._lock:
            is_first, self._has_ended = not self._has_ended, True
        if is_first:
            self._root_end.set_result(end)

    def _generate_name(self, make: ActorFactory) -> str:
        stem = re.sub("[^a-z0-9]", "", get_behavior_class(make).__name__.lower())
        return self._number_name(stem[:MAX_NAME_CHARS] or "actor")

    def _number_name(self, stem: str) -> str:
        with self._lock:
            self._name_counts[stem] += 1
            return f"{stem}-{self._name_counts[stem]}"

    def _require_other_thread(self) -> None:
        if self.event_loop.is_current_thread():
            problem = "the event loop cannot wait for itself"
            raise RuntimeError(problem)
