"""The edges at which threads that carry no actors start, tell, ask and stop them."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from actors.runtime.actor import Actor, Factory, behaviour_of
from actors.runtime.children import CHILD_SHARE
from actors.runtime.directory import ActorRegistry
from actors.runtime.event_loop import LoopThread
from actors.runtime.lanes import StopOrder
from actors.runtime.mailbox import Mailbox
from actors.runtime.supervision import NEVER, Restart
from actors.runtime.watchdog import StallCallback, StallLimits, Watchdog
from messages.address import ROOT, Address
from messages.agents import ChildEnded, ChildFailed
from messages.base import Message

log = logging.getLogger("greenroom.runtime")

EXIT_S = 5.0
"""Time for the ordered stop of everything."""
NAME_CHARS = 40
"""Longest stem of a made-up name; its number follows."""


class EmptyRoot(Actor[Message]):
    """A root that only holds what the edge starts; for tests and small programs."""

    def on_receive(self, message: Message) -> None:
        """Take note of children's ends."""
        log.debug("%s: %s", self.sender, message)


class ActorSystem:
    """All actors of one process: one event loop, one tree, one directory."""

    def __init__(self, root: Factory = EmptyRoot) -> None:
        """Start the event loop and the actor at `/`, which lives on that loop.

        Raises:
            TypeError: `root` makes no loop actor.
        """
        if behaviour_of(root).dispatcher != "loop":
            problem = "the root must be a loop actor"
            raise TypeError(problem)
        self._root_end: Future[ChildEnded] = Future()
        self._has_ended = False
        self._watchdog: Watchdog | None = None
        self.event_loop = LoopThread()
        self._directory = ActorRegistry(self._ended, self.event_loop)
        self._numbers: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._given_up_before_stop: int | None = None
        self.event_loop.start()
        self._root = self._directory.spawn(root, ROOT, None)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Everyone who lives, in the order of their start."""
        return self._directory.addresses

    @property
    def dead_letters(self) -> int:
        """How many messages nobody handled, so far."""
        return self._directory.dead_letters

    @property
    def given_up(self) -> int:
        """How many actors and jobs did not end in time, so far; what they still say is dropped."""
        return self._directory.given_up

    def start(
        self, make: Callable[[], Actor[Any]], name: str = "", restart: Restart = NEVER
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

        if self._root.over or not self.event_loop.soon(begin):
            problem = "the actor system has ended"
            raise RuntimeError(problem)
        return started.result(EXIT_S)

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
        self._directory.mailboxes[address] = mailbox
        try:
            self._directory.send(to, message, address)
            return mailbox.first.result(timeout_s)
        finally:
            del self._directory.mailboxes[address]

    def stop_child(self, child: Address, within_s: float = EXIT_S) -> None:
        """Begin to stop one child of the root."""
        self.event_loop.run(lambda: self._root.stop_child(child, within_s))

    def guard(self, named: StallCallback, fatal: StallCallback, patience: StallLimits) -> None:
        """Have a watchdog look after the event loop until the stop; called once."""
        self._watchdog = Watchdog(self.event_loop, named, fatal, patience)
        self._watchdog.start()

    def stop(self, within_s: float = EXIT_S) -> bool:
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
            self._given_up_before_stop = self.given_up
        deadline_s = self.event_loop.now() + CHILD_SHARE * within_s
        self._root.post(StopOrder(deadline_s, high_priority=not self._root.drains))
        if not self.wait(within_s):  # something holds the event loop itself
            self._directory.give_up(ROOT)
            self._ended(ChildFailed(child=ROOT, cause="unresponsive", detail="held the event loop"))
        self.event_loop.stop()
        log.debug("stopped: %d dead letters, %d given up", self.dead_letters, self.given_up)
        return self.given_up == self._given_up_before_stop

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

    def when_ended(self, callback: Callable[[ChildEnded], None]) -> None:
        """Call back once with the root's end, on the runtime's thread; at once if it has ended."""

        def call(root_end: Future[ChildEnded]) -> None:
            try:
                callback(root_end.result())
            except BaseException:  # the others must hear of the end, too
                log.exception("a callback of the end failed")

        self._root_end.add_done_callback(call)

    def when_restarted(self, callback: Callable[[Address], None]) -> None:
        """Call back at each restart of an actor, on its thread; set once."""

        def call(peer: Address) -> None:
            try:
                callback(peer)
            except BaseException:  # the restart goes on
                log.exception("a callback of a restart failed")

        self._directory.restarted = call

    def _ended(self, end: ChildEnded) -> None:
        """Hear of the root's end; the first word counts."""
        with self._lock:
            first, self._has_ended = not self._has_ended, True
        if first:
            self._root_end.set_result(end)

    def _name_for(self, make: Factory) -> str:
        stem = re.sub("[^a-z0-9]", "", behaviour_of(make).__name__.lower())
        return self._number(stem[:NAME_CHARS] or "actor")

    def _number(self, stem: str) -> str:
        with self._lock:
            self._numbers[stem] += 1
            return f"{stem}-{self._numbers[stem]}"

    def _must_be_outside(self) -> None:
        if self.event_loop.here():
            problem = "the event loop cannot wait for itself"
            raise RuntimeError(problem)
