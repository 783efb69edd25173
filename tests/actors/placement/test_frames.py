"""Frames on a carrier that cuts, damages, loses, repeats or delays them."""

from random import Random

import pytest

from actors.placement import frames
from actors.placement.frames import (
    Frame,
    FrameDecoder,
    FrameKind,
    Hello,
    LinkError,
    LinkNumbers,
    check_hello,
    encode_frame,
)

pytestmark = pytest.mark.quick

FRAMES = (
    Frame(FrameKind.HELLO, 1, 0, b"{}"),
    Frame(FrameKind.ENVELOPE, 2, 1, "prompt \u2028 é".encode()),
    Frame(FrameKind.BEAT, 0, 1),
    Frame(FrameKind.END, 3, 7, bytes(range(256))),
)
STREAM = b"".join(map(encode_frame, FRAMES))


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_frames_cut_at_any_byte_arrive_whole(cut: int) -> None:
    decoder = FrameDecoder()
    received = [*decoder.feed(STREAM[:cut]), *decoder.feed(STREAM[cut:])]
    assert tuple(received) == FRAMES
    assert not decoder.is_torn


def test_frames_that_arrive_byte_by_byte_are_whole() -> None:
    decoder = FrameDecoder()
    received = [frame for byte in STREAM for frame in decoder.feed(bytes((byte,)))]
    assert tuple(received) == FRAMES


@pytest.mark.parametrize("length", range(1, len(encode_frame(FRAMES[1]))))
def test_a_frame_that_ends_early_is_torn(length: int) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(encode_frame(FRAMES[1])[:length]) == []
    assert decoder.is_torn


@pytest.mark.parametrize("position", range(len(encode_frame(FRAMES[1]))))
def test_a_damaged_byte_is_never_accepted(position: int) -> None:
    damaged = bytearray(encode_frame(FRAMES[1]))
    damaged[position] ^= 0x11
    decoder = FrameDecoder()
    try:
        received = decoder.feed(bytes(damaged))
    except LinkError:
        return
    assert received == []  # the length grew, so the frame is never complete
    assert decoder.is_torn


@pytest.mark.parametrize("garbage", [b"\0", b"G\0", b"hello\n", b"\xff" * 64, b'{"type":'])
def test_garbage_is_refused_as_soon_as_it_arrives(garbage: bytes) -> None:
    with pytest.raises(LinkError, match="not a frame"):
        FrameDecoder().feed(garbage)


def test_an_oversize_frame_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = encode_frame(Frame(FrameKind.ENVELOPE, 1, 0, b"x" * 100))
    monkeypatch.setattr(frames, "MAX_BODY_BYTES", 99)
    with pytest.raises(LinkError, match="100 bytes is too long"):
        FrameDecoder().feed(frame[:40])
    with pytest.raises(LinkError, match="too long"):
        encode_frame(Frame(FrameKind.ENVELOPE, 1, 0, b"x" * 100))


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (Frame(FrameKind.ENVELOPE, 2, 0), "a message is missing"),
        (Frame(FrameKind.ENVELOPE, 1, 1), "acknowledges a message that was not sent"),
        (Frame(FrameKind.ENVELOPE, 0, 0), "has no number"),
        (Frame(FrameKind.BEAT, 1, 0), "has a number"),
    ],
)
def test_a_frame_with_wrong_numbers_is_refused(frame: Frame, problem: str) -> None:
    with pytest.raises(LinkError, match=problem):
        LinkNumbers().accept(frame)


def test_a_frame_that_arrives_twice_counts_once() -> None:
    numbers, frame = LinkNumbers(), Frame(FrameKind.ENVELOPE, 1, 0)
    assert [numbers.accept(frame), numbers.accept(frame)] == [True, False]


def test_only_acknowledged_frames_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_UNACKNOWLEDGED_BYTES", 100)
    numbers = LinkNumbers()
    sent = [numbers.number(FrameKind.ENVELOPE, b"x" * 40) for _ in range(2)]
    assert numbers.list_to_resend() == tuple(sent)
    numbers.accept(Frame(FrameKind.BEAT, 0, 1))
    assert numbers.list_to_resend() == tuple(sent[1:])
    numbers.number(FrameKind.ENVELOPE, b"x" * 40)
    with pytest.raises(LinkError, match="nothing is read"):
        numbers.number(FrameKind.ENVELOPE, b"x" * 40)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"version":2,"schema_hash":"a"}', "it has version 2, not 1"),
        (b'{"version":1,"schema_hash":"b"}', "other message types"),
        (b'{"version":1}', "not a hello"),
        (b"", "not a hello"),
    ],
)
def test_a_hello_of_another_version_is_refused(body: bytes, problem: str) -> None:
    own = Hello(version=1, schema_hash="a")
    check_hello(own.model_dump_json().encode(), own)
    with pytest.raises(LinkError, match=problem):
        check_hello(body, own)


class LossyCarrier:
    """Both ends of a link over carriers that lose, repeat and delay data, and break."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  (must be repeatable)
        self.ends = (LinkNumbers(), LinkNumbers())
        self.received: tuple[list[bytes], list[bytes]] = ([], [])
        self._in_transit: tuple[list[Frame], list[Frame]] = ([], [])
        """To each end, in order."""

    def send(self, sender: int, body: bytes) -> None:
        frame = self.ends[sender].number(FrameKind.ENVELOPE, body)
        self._in_transit[1 - sender].append(frame)

    def deliver(self, receiver: int, number: int) -> None:
        """Deliver some frames, the last of them perhaps twice."""
        queue = self._in_transit[receiver]
        for frame in queue[:number]:
            if self.ends[receiver].accept(frame):
                self.received[receiver].append(frame.body)
        del queue[: max(number - self.random.randint(0, 1), 0)]

    def break_and_reconnect(self) -> None:
        """Lose everything in transit; both sides send again what is not acknowledged."""
        for receiver, queue in enumerate(self._in_transit):
            queue[:] = self.ends[1 - receiver].list_to_resend()

    def step(self) -> None:
        match self.random.randint(0, 9):
            case 0:
                self.break_and_reconnect()
            case 1:
                sender = self.random.randint(0, 1)
                self._in_transit[1 - sender].append(self.ends[sender].beat())
            case choice:
                self.deliver(choice % 2, self.random.randint(0, 20))


@pytest.mark.parametrize("seed", range(10))
def test_each_message_arrives_once_and_in_order_over_a_lossy_carrier(seed: int) -> None:
    carrier = LossyCarrier(seed)
    sent = [b"%d" % number for number in range(500)]
    for body in sent:
        carrier.send(0, body)
        carrier.send(1, body)
        carrier.step()
    carrier.break_and_reconnect()
    for receiver in (0, 1):
        carrier.deliver(receiver, 1_000)
    assert carrier.received == (sent, sent)
