"""An actor that records what it receives, for tests."""

import queue
from functools import partial
from typing import TypeVar

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import Address
from messages.base import Message

PROBE_TIMEOUT_S = 5.0
"""Longest time to wait for a message."""

T = TypeVar("T", bound=Message)


class ProbeMarker(Message):
    """A probe's message to itself; everything sent before it has been recorded."""

    number: int


class Probe(Actor[Message]):
    """Records messages in order, also the ends of its children."""

    def __init__(self, started: "queue.SimpleQueue[Probe]") -> None:
        """Pass itself to the test through `started` when it starts."""
        self._started = started
        self._received: queue.SimpleQueue[tuple[Address, Message]] = queue.SimpleQueue()
        self._marker_count = 0

    def on_start(self) -> None:
        """Report the start to the test."""
        self._started.put(self)

    def on_receive(self, message: Message) -> None:
        """Record a message."""
        self._received.put((self.sender, message))

    # Called from the test's thread.

    def next(self) -> Message:
        """Return the next message."""
        return self.next_from()[1]

    def next_from(self) -> tuple[Address, Message]:
        """Return the next message with its sender."""
        try:
            return self._received.get(timeout=PROBE_TIMEOUT_S)
        except queue.Empty:
            text = f"{self.address} received no other message"
            raise AssertionError(text) from None

    def expect(self, *messages: Message) -> None:
        """Check that exactly these messages come next, in this order."""
        received = [self.next() for _ in messages]
        assert received == list(messages)

    def expect_in_any_order(self, *messages: Message) -> None:
        """Check that exactly these messages come next, in any order."""
        received = [self.next() for _ in messages]
        assert sorted(map(repr, received)) == sorted(map(repr, messages))

    def expect_kind(self, kind: type[T]) -> T:
        """Check the type of the next message and return it."""
        message = self.next()
        assert isinstance(message, kind), message
        return message

    def expect_nothing_more(self) -> None:
        """Check that no other message was sent to the probe so far."""
        self._marker_count += 1
        marker = ProbeMarker(number=self._marker_count)
        self.tell(self.address, marker)
        self.expect(marker)


def start_probe(system: ActorSystem, name: str = "") -> Probe:
    """Start a probe as a child of the root."""
    started: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    system.start(partial(Probe, started), name)
    return started.get(timeout=PROBE_TIMEOUT_S)
