"""What happened in a run, in order: every message as it is handled, and what the world did."""

import hashlib
from collections.abc import Callable, Iterator

from messages.address import Address
from messages.base import Message
from messages.serialization import encode


class Trace:
    """Kept as it comes and written out only when somebody asks."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._entries: list[tuple[float, str, Message | None]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add_note(self, text: str) -> None:
        """Keep what the world did."""
        self._entries.append((self._now(), text, None))

    def add_message(self, to: Address, sender: Address, message: Message) -> None:
        """Keep a message that is about to be handled."""
        self._entries.append((self._now(), f"{to} <- {sender}", message))

    def lines(self) -> Iterator[str]:
        """Write it out, one line an entry, the same bytes every time."""
        for when_s, text, message in self._entries:
            said = f" {encode(message).decode()}" if message is not None else ""
            yield f"{when_s:10.4f} {text}{said}"

    def digest(self) -> str:
        """Sum it up."""
        digest = hashlib.sha256()
        for line in self.lines():
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()
