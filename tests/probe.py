"""An actor that only remembers, for tests to look into."""

import queue
from functools import partial
from typing import TypeVar

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import Address
from messages.base import Message

PROBE_TIMEOUT_S = 5.0
"""A message that is not here after this long does not come."""

T = TypeVar("T", bound=Message)


class ProbeMarker(Message):
    """What a probe tells itself: whatever was told it before has been remembered by then."""

    number: int


class Probe(Actor[Message]):
    """Remembers what it is told, in order; a root or parent probe hears its children's ends."""

    def __init__(self, started: "queue.SimpleQueue[Probe]") -> None:
        """Hand itself over to the test through `born`, once it lives."""
        self._born = started
        self._heard: queue.SimpleQueue[tuple[Address, Message]] = queue.SimpleQueue()
        self._bookmarks = 0

    def on_start(self) -> None:
        """Come to life."""
        self._born.put(self)

    def on_receive(self, message: Message) -> None:
        """Remember."""
        self._heard.put((self.sender, message))

    # From the test's thread.

    def next(self) -> Message:
        """Take the next message, whatever it is."""
        return self.next_from()[1]

    def next_from(self) -> tuple[Address, Message]:
        """Take the next message with its sender."""
        try:
            return self._heard.get(timeout=PROBE_TIMEOUT_S)
        except queue.Empty:
            note = f"{self.address} heard nothing more"
            raise AssertionError(note) from None

    def expect(self, *messages: Message) -> None:
        """Check that exactly these come next, in this order."""
        heard = [self.next() for _ in messages]
        assert heard == list(messages)

    def expect_in_any_order(self, *messages: Message) -> None:
        """Check that exactly these come next."""
        heard = [self.next() for _ in messages]
        assert sorted(map(repr, heard)) == sorted(map(repr, messages))

    def expect_kind(self, kind: type[T]) -> T:
        """Check the type of what comes next, and take it."""
        message = self.next()
        assert isinstance(message, kind), message
        return message

    def expect_nothing_more(self) -> None:
        """Check that nothing is left of what was told so far; what is still to be told may come."""
        self._bookmarks += 1
        bookmark = ProbeMarker(number=self._bookmarks)
        self.tell(self.address, bookmark)
        self.expect(bookmark)


def start_probe(system: ActorSystem, name: str = "") -> Probe:
    """Start a probe below the root."""
    born: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    system.start(partial(Probe, born), name)
    return born.get(timeout=PROBE_TIMEOUT_S)
