"""The edges at which threads that carry no actors start, tell, ask and stop them."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from actors.runtime.actor import Actor, ActorFactory, get_behavior_class
from actors.runtime.children import CHILD_DEADLINE_SHARE
from actors.runtime.event_loop import EventLoopThread
from actors.runtime.mailbox import StopCell
from actors.runtime.registry import ActorRegistry
from actors.runtime.reply_slot import Mailbox
from actors.runtime.supervision import NO_RESTART, Restart
from actors.runtime.watchdog import StallCallback, StallLimits, Watchdog
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildEnded, ChildFailed

log = logging.getLogger("greenroom.runtime")

EXIT_TIMEOUT_S = 5.0
"""Time for the ordered stop of everything."""
MAX_NAME_CHARS = 40
"""Longest stem of a made-up name; its number follows."""


class EmptyRoot(Actor[Message]):
    """A root that only holds what the edge starts; for tests and small programs."""

    def on_receive(self, message: Message) -> None:
        """Take note of children's ends."""
        log.debug("%s: %s", self.sender, message)


class ActorSystem:
    """All actors of one process: one event loop, one tree, one directory."""

    def __init__(self, root: ActorFactory = EmptyRoot) -> None:
        """Start the event loop and the actor at `/`, which lives on that loop.

        Raises:
            TypeError: `root` makes no loop actor.
        """
        if get_behavior_class(root).dispatcher != "loop":
            problem = "the root must be a loop actor"
            raise TypeError(problem)
        self._root_end: Future[ChildEnded] = Future()
        self._has_ended = False
        self._watchdog: Watchdog | None = None
        self.event_loop = EventLoopThread()
        self._directory = ActorRegistry(self._ended, self.event_loop)
        self._numbers: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._given_up_before_stop: int | None = None
        self.event_loop.start()
        self._root = self._directory.start_cell(root, ROOT, None)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Everyone who lives, in the order of their start."""
        return self._directory.addresses

    @property
    def dead_letter_count(self) -> int:
        """How many messages nobody handled, so far."""
        return self._directory.dead_letter_count

    @property
    def abandoned_count(self) -> int:
        """How many actors and jobs did not end in time, so far; what they still say is dropped."""
        return self._directory.abandoned_count

    def start(
        self, make: Callable[[], Actor[Any]], name: str = "", restart: Restart = NO_RESTART
    ) -> Address:
        """Start an actor below the root; without a name it gets one made from its class.

        Raises:
            ValueError: a living child of the root has the name.
            RuntimeError: the system has ended, or the caller is the runtime's own thread.
        """
        self._must_be_outside()
        started: Future[Address] = Future()

        def begin() -> None:
            try:
                child = self._root.start_child(make, name or self._name_for(make), restart)
                started.set_result(child)
            except BaseException as error:  # noqa: BLE001  (it belongs to the caller)
                started.set_exception(error)

        if self._root.is_closed or not self.event_loop.call_soon(begin):
            problem = "the actor system has ended"
            raise RuntimeError(problem)
        return started.result(EXIT_TIMEOUT_S)

    def tell(self, to: Address, message: Message) -> None:
        """Send from any thread; the sender is the root.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message.
        """
        self._directory.send(to, message, ROOT)

    def ask(self, to: Address, message: Message, timeout_s: float) -> Message:
        """Send and wait for what comes back to a one-shot address.

        Raises:
            TimeoutError: nothing came back in time.
            UnexpectedMessageError: the receiver's inbox has no such message.
            RuntimeError: the caller is the runtime's own thread.
        """
        self._must_be_outside()
        mailbox = Mailbox()
        address = ROOT.child(self._number("ask"))
        self._directory.reply_slots[address] = mailbox
        try:
            self._directory.send(to, message, address)
            return mailbox.reply.result(timeout_s)
        finally:
            del self._directory.reply_slots[address]

    def stop_child(self, child: Address, timeout_s: float = EXIT_TIMEOUT_S) -> None:
        """Begin to stop one child of the root."""
        self.event_loop.run_on_loop(lambda: self._root.stop_child(child, timeout_s))

    def start_watchdog(
        self, on_stall: StallCallback, on_fatal_stall: StallCallback, limits: StallLimits
    ) -> None:
        """Have a watchdog look after the event loop until the stop; called once."""
        self._watchdog = Watchdog(self.event_loop, on_stall, on_fatal_stall, limits)
        self._watchdog.start()

    def stop(self, timeout_s: float = EXIT_TIMEOUT_S) -> bool:
        """Stop everything in order; once stopped, nothing more happens.

        Returns:
            Whether all ended in time: nothing had to be given up since the first call.

        Raises:
            RuntimeError: the caller is the runtime's own thread.
        """
        self._must_be_outside()
        if self._watchdog is not None:
            self._watchdog.stop()
        if self._given_up_before_stop is None:
            self._given_up_before_stop = self.abandoned_count
        deadline_s = self.event_loop.now_s() + CHILD_DEADLINE_SHARE * timeout_s
        self._root.post(StopCell(deadline_s, high_priority=not self._root.drains_before_stop))
        if not self.wait(timeout_s):  # something holds the event loop itself
            self._directory.abandon(ROOT)
            self._ended(ChildFailed(child=ROOT, cause="unresponsive", detail="held the event loop"))
        self.event_loop.stop()
        log.debug(
            "stopped: %d dead letters, %d given up", self.dead_letter_count, self.abandoned_count
        )
        return self.abandoned_count == self._given_up_before_stop

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the root has ended; False: it has not.

        Raises:
            RuntimeError: the caller is the runtime's own thread.
        """
        self._must_be_outside()
        try:
            self._root_end.result(timeout_s)
        except TimeoutError:
            return False
        return True

    def add_end_callback(self, callback: Callable[[ChildEnded], None]) -> None:
        """Call back once with the root's end, on the runtime's thread; at once if it has ended."""

        def call(root_end: Future[ChildEnded]) -> None:
            try:
                callback(root_end.result())
            except BaseException:  # the others must hear of the end, too
                log.exception("a callback of the end failed")

        self._root_end.add_done_callback(call)

    def set_restart_callback(self, callback: Callable[[Address], None]) -> None:
        """Call back at each restart of an actor, on its thread; set once."""

        def call(peer: Address) -> None:
            try:
                callback(peer)
            except BaseException:  # the restart goes on
                log.exception("a callback of a restart failed")

        self._directory.on_restart = call

    def _ended(self, end: ChildEnded) -> None:
        """Hear of the root's end; the first word counts."""
        with self._lock:
            first, self._has_ended = not self._has_ended, True
        if first:
            self._root_end.set_result(end)

    def _name_for(self, make: ActorFactory) -> str:
        stem = re.sub("[^a-z0-9]", "", get_behavior_class(make).__name__.lower())
        return self._number(stem[:MAX_NAME_CHARS] or "actor")

    def _number(self, stem: str) -> str:
        with self._lock:
            self._numbers[stem] += 1
            return f"{stem}-{self._numbers[stem]}"

    def _must_be_outside(self) -> None:
        if self.event_loop.is_current_thread():
            problem = "the event loop cannot wait for itself"
            raise RuntimeError(problem)
