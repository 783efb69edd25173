"""The trace of a simulation: each message when it is handled, and injected faults."""

import hashlib
from collections.abc import Callable, Iterator

from messages.address import Address
from messages.base import Message
from messages.serialization import encode


class Trace:
    """Entries in order; they are formatted only when they are read."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._entries: list[tuple[float, str, Message | None]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add_note(self, text: str) -> None:
        """Record something other than a message."""
        self._entries.append((self._now(), text, None))

    def add_message(self, to: Address, sender: Address, message: Message) -> None:
        """Record a message that is about to be handled."""
        self._entries.append((self._now(), f"{to} <- {sender}", message))

    def lines(self) -> Iterator[str]:
        """Format one line per entry; the same seed gives the same bytes."""
        for time_s, text, message in self._entries:
            json = f" {encode(message).decode()}" if message is not None else ""
            yield f"{time_s:10.4f} {text}{json}"

    def digest(self) -> str:
        """Return a digest of all lines."""
        digest = hashlib.sha256()
        for line in self.lines():
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()
