"""`text/event-stream`, there and back: events as bytes, cut out of whatever the socket brings."""

from collections.abc import Mapping

from pydantic import JsonValue
from pydantic_core import to_json

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""No event of the Messages API comes near this; more would only fill the memory."""


def encode_event(event: Mapping[str, JsonValue]) -> bytes:
    """Write one event as the Messages API sends it, named after its own `type`."""
    return b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), to_json(event))


class SseParser:
    """Cuts a stream into the data of its events, wherever the reads of the socket fall.

    Lines end by LF or CRLF; comments and all fields but `data` are passed over, because every
    event of the Messages API names its type in its data.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit_bytes = max_event_bytes
        self._unfinished_line: list[bytes] = []
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._unfinished_bytes = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take what was read; return the data of each event that it completes.

        Raises:
            ValueError: an event is larger than the limit.
        """
        events: list[bytes] = []
        *lines, rest = chunk.split(b"\n")
        if lines:
            self._unfinished_line.append(lines[0])
            lines[0] = b"".join(self._unfinished_line)
            self._unfinished_line.clear()
            self._unfinished_bytes = 0
        for line in lines:
            self._take(line, events)
        self._unfinished_line.append(rest)
        self._unfinished_bytes += len(rest)
        if self._unfinished_bytes + self._data_bytes > self._limit_bytes:
            message = f"an event of more than {self._limit_bytes} bytes"
            raise ValueError(message)
        return events

    def _take(self, line: bytes, events: list[bytes]) -> None:
        if line.startswith(b"data:"):
            start = 6 if line.startswith(b"data: ") else 5
            self._data.append(line[start:-1] if line.endswith(b"\r") else line[start:])
            self._data_bytes += len(line)
        elif line in {b"", b"\r"} and self._data:
            events.append(b"\n".join(self._data))
            self._data.clear()
            self._data_bytes = 0
