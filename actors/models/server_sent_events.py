"""`text/event-stream`: encoding of events, and an incremental parser."""

from collections.abc import Mapping

from pydantic import JsonValue
from pydantic_core import to_json

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""Far above any real event; a larger one would only fill the memory."""


def encode_event(event: Mapping[str, JsonValue]) -> bytes:
    """Encode one event as the Messages API sends it, named after its `type`."""
    return b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), to_json(event))


class SseParser:
    """Extracts the data of each event from a stream that arrives in arbitrary chunks.

    Lines end with LF or CRLF. Comments and fields other than `data` are skipped, because every
    event of the Messages API has its type in its data.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._unfinished_line: list[bytes] = []
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._unfinished_bytes = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add a chunk; return the data of each event that it completes.

        Raises:
            ValueError: an event is larger than the limit.
        """
        events: list[bytes] = []
        *lines, last_part = chunk.split(b"\n")
        if lines:
            self._unfinished_line.append(lines[0])
            lines[0] = b"".join(self._unfinished_line)
            self._unfinished_line.clear()
            self._unfinished_bytes = 0
        for line in lines:
            self._add_line(line, events)
        self._unfinished_line.append(last_part)
        self._unfinished_bytes += len(last_part)
        if self._unfinished_bytes + self._data_bytes > self._max_event_bytes:
            message = f"an event of more than {self._max_event_bytes} bytes"
            raise ValueError(message)
        return events

    def _add_line(self, line: bytes, events: list[bytes]) -> None:
        if line.startswith(b"data:"):
            start = 6 if line.startswith(b"data: ") else 5
            self._data.append(line[start:-1] if line.endswith(b"\r") else line[start:])
            self._data_bytes += len(line)
        elif line in {b"", b"\r"} and self._data:
            events.append(b"\n".join(self._data))
            self._data.clear()
            self._data_bytes = 0
