"""Frames of a link between two processes: pure encoding, numbering, acknowledgment and resend.

A frame is a header and a body. Numbered frames count from 1 without gaps in each direction, and
the other side acknowledges them, so that a carrier that loses or repeats data delivers each once.
"""

import struct
import zlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from pydantic import ValidationError

from messages.base import Value

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Longest body; a longer one ends the link."""
MAX_UNACKNOWLEDGED_BYTES = 2 * MAX_BODY_BYTES
"""What may wait for the other side; more ends the link, because that side has stopped reading."""
ACKNOWLEDGE_AFTER = 64
"""Frames that are received before they are acknowledged without waiting for the next beat."""
_MAGIC = b"GR"
_HEADER = struct.Struct(">2sBIQQI")


class LinkError(Exception):
    """The link cannot continue: nothing of this run is accepted any more."""


class FrameKind(IntEnum):
    """What the body of a frame is."""

    HELLO = 1
    """First in each direction: `Hello`."""
    BEAT = 2
    """Not numbered, no body: the sender is alive, and acknowledges."""
    SPEC = 3
    """To a host: the agent that it runs."""
    ENVELOPE = 4
    """A message between two actors."""
    END = 5
    """From a host, its last frame: how its agent ended."""
    STOP = 6
    """To a host: stop the agent."""
    MODEL_CALL = 7
    """From a host: a model request."""
    MODEL_EVENT = 8
    """To a host: what arrives for a model request."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame."""

    kind: FrameKind
    seq: int
    """Counts the sender's frames from 1; 0: not numbered."""
    ack: int
    """The last frame that the sender has received."""
    body: bytes = b""


class Hello(Value):
    """What both sides must agree on. They differ after an update while the program runs."""

    version: int
    """Of the link itself."""
    schema_hash: str
    """Fingerprint of all message types."""


def encode_frame(frame: Frame) -> bytes:
    """Encode a frame.

    Raises:
        LinkError: its body is too long.
    """
    if len(frame.body) > MAX_BODY_BYTES:
        problem = f"a message of {len(frame.body):,} bytes is too long"
        raise LinkError(problem)
    checksum = zlib.crc32(frame.body, _sum_header(frame))
    header = _HEADER.pack(_MAGIC, frame.kind, len(frame.body), frame.seq, frame.ack, checksum)
    return header + frame.body


def _sum_header(frame: Frame) -> int:
    return zlib.crc32(struct.pack(">BQQ", frame.kind, frame.seq, frame.ack))


class FrameDecoder:
    """Cuts a stream of bytes into frames, wherever the carrier cut it."""

    def __init__(self) -> None:
        """Start at the beginning of a frame."""
        self._buffer = bytearray()

    @property
    def is_torn(self) -> bool:
        """Whether the stream ends inside a frame here."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """Add bytes; return the frames that they complete.

        Raises:
            LinkError: these bytes are not a frame, or its body is too long.
        """
        self._buffer += data
        frames: list[Frame] = []
        while (frame := self._take()) is not None:
            frames.append(frame)
        return frames

    def _take(self) -> Frame | None:
        size = _HEADER.size
        if len(self._buffer) < size:
            _require(_MAGIC.startswith(self._buffer[: len(_MAGIC)]), "not a frame")
            return None
        magic, kind, length, seq, ack, checksum = _HEADER.unpack_from(self._buffer)
        _require(magic == _MAGIC and kind in set(FrameKind), "not a frame")
        _require(length <= MAX_BODY_BYTES, f"a message of {length:,} bytes is too long")
        if len(self._buffer) < size + length:
            return None
        frame = Frame(FrameKind(kind), seq, ack, bytes(self._buffer[size : size + length]))
        del self._buffer[: size + length]
        _require(zlib.crc32(frame.body, _sum_header(frame)) == checksum, "a damaged frame")
        return frame


class LinkNumbers:
    """Numbers the frames of one side, keeps them until acknowledged, and checks the other side's.

    It outlives a carrier: over a new one, both sides send their unacknowledged frames again.
    """

    def __init__(self) -> None:
        """Start a run: nothing is sent or received yet."""
        self._sent = 0
        self._received = 0
        self._unacknowledged: deque[Frame] = deque()
        self._unacknowledged_bytes = 0
        self._acknowledged_received = 0

    @property
    def must_acknowledge(self) -> bool:
        """Whether so many frames were received that a beat should acknowledge them now."""
        return self._received - self._acknowledged_received >= ACKNOWLEDGE_AFTER

    def number(self, kind: FrameKind, body: bytes) -> Frame:
        """Return the next frame to send.

        Raises:
            LinkError: too much waits to be acknowledged.
        """
        self._sent += 1
        frame = Frame(kind, self._sent, self._acknowledge(), body)
        self._unacknowledged.append(frame)
        self._unacknowledged_bytes += len(body)
        _require(self._unacknowledged_bytes <= MAX_UNACKNOWLEDGED_BYTES, "nothing is read")
        return frame

    def beat(self) -> Frame:
        """Return a frame that only acknowledges."""
        return Frame(FrameKind.BEAT, 0, self._acknowledge())

    def accept(self, frame: Frame) -> bool:
        """Take in a received frame; False: a beat or a duplicate, to be ignored.

        Raises:
            LinkError: a frame is missing before it, or it acknowledges what was never sent.
        """
        _require(frame.ack <= self._sent, "it acknowledges a message that was not sent")
        while self._unacknowledged and self._unacknowledged[0].seq <= frame.ack:
            self._unacknowledged_bytes -= len(self._unacknowledged.popleft().body)
        if frame.seq <= self._received:
            _require((frame.seq == 0) == (frame.kind is FrameKind.BEAT), "a frame has no number")
            return False
        _require(frame.kind is not FrameKind.BEAT, "a beat has a number")
        _require(frame.seq == self._received + 1, "a message is missing")
        self._received = frame.seq
        return True

    def list_to_resend(self) -> Iterable[Frame]:
        """Return the frames to send again over a new carrier."""
        return tuple(self._unacknowledged)

    def _acknowledge(self) -> int:
        self._acknowledged_received = self._received
        return self._received


def check_hello(body: bytes, own: Hello) -> None:
    """Check the other side's hello.

    Raises:
        LinkError: it has another version, or other message types.
    """
    try:
        hello = Hello.model_validate_json(body)
    except ValidationError:
        problem = "its first message is not a hello"
        raise LinkError(problem) from None
    _require(hello.version == own.version, f"it has version {hello.version}, not {own.version}")
    _require(hello.schema_hash == own.schema_hash, "it has other message types")


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise LinkError(problem)
