"""A link to another process over an asyncio stream: frames in, frames out, and signs of life."""

import asyncio
from collections.abc import Callable

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

BEAT_INTERVAL_S = 1.0
WARN_AFTER_BEATS = 3
"""Beats without any data until the other side is reported as slow."""
FAIL_AFTER_BEATS = 6
"""Beats without any data until the other side counts as hung."""
_CHUNK_BYTES = 256 * 1024


class UnresponsiveError(LinkError):
    """The other side has sent nothing for too long."""


class Link:
    """One end of a link. `send` works before it is connected; the frames are sent then."""

    def __init__(
        self,
        hello: Hello,
        on_frame: Callable[[FrameKind, bytes], None],
        on_silent: Callable[[], None] | None = None,
    ) -> None:
        """Pass the other side's numbered frames to `on_frame`, without its hello.

        With `on_silent`, the other side must show signs of life: it is called when there are none
        for some seconds, and the link fails when there are none for some more.
        """
        self._hello = hello
        self._on_frame = on_frame
        self._on_silent = on_silent
        self._numbers = LinkNumbers()
        self._decoder = FrameDecoder()
        self._has_hello = False
        self._silent_beats = 0
        self._problem: LinkError | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.send(FrameKind.HELLO, hello.model_dump_json().encode())

    def send(self, kind: FrameKind, body: bytes = b"") -> None:
        """Send a numbered frame; never blocks.

        Raises:
            LinkError: the body is too long, or too much waits to be acknowledged.
        """
        frame = self._numbers.number(kind, body)
        if self._writer is not None:
            self._write(frame)

    async def drain(self) -> None:
        """Wait while the carrier is full."""
        if self._writer is not None:
            await self._writer.drain()

    async def flush(self) -> None:
        """Wait until everything is handed to the carrier, for use before the end."""
        if self._writer is not None:
            self._writer.transport.set_write_buffer_limits(0)
            await self._writer.drain()

    async def run(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: bytes = b""
    ) -> None:
        """Receive over a carrier until the other side closes it.

        `received` was read from the carrier before.

        Raises:
            LinkError: the other side breaks the rules of the link, or does not answer.
            OSError: the carrier failed.
        """
        self._writer = writer
        if self._problem is not None:
            self.fail(self._problem)
        for frame in self._numbers.list_to_resend():
            self._write(frame)
        self._on_data(received)
        beats = asyncio.ensure_future(self._beat())
        try:
            await self._receive(reader)
        finally:
            beats.cancel()
        if self._problem is not None:
            raise self._problem

    def fail(self, problem: LinkError | None) -> None:
        """Close the carrier; `run` then raises the first problem, or returns without one."""
        self._problem = self._problem or problem
        if self._writer is not None:
            self._writer.transport.abort()

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(_CHUNK_BYTES):
            self._silent_beats = 0
            self._on_data(data)
        if self._decoder.is_torn and self._problem is None:
            problem = "its last message is incomplete"
            raise LinkError(problem)

    def _on_data(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            self._on_received(frame)

    def _on_received(self, frame: Frame) -> None:
        if not self._numbers.accept(frame):
            return
        if not self._has_hello:
            check_hello(frame.body if frame.kind is FrameKind.HELLO else b"", self._hello)
            self._has_hello = True
        else:
            self._on_frame(frame.kind, frame.body)
        if self._numbers.must_acknowledge:
            self._write(self._numbers.beat())

    async def _beat(self) -> None:
        """Acknowledge at least once per interval, and count the intervals without any data.

        Counted, not measured: while this process was stopped, the other side was not silent.
        """
        while True:
            await asyncio.sleep(BEAT_INTERVAL_S)
            self._write(self._numbers.beat())
            if self._on_silent is None:
                continue
            self._silent_beats += 1
            if self._silent_beats == WARN_AFTER_BEATS:
                self._on_silent()
            if self._silent_beats >= FAIL_AFTER_BEATS:
                silent_s = FAIL_AFTER_BEATS * BEAT_INTERVAL_S
                self.fail(UnresponsiveError(f"it has not answered for {silent_s:.0f} s"))
                return

    def _write(self, frame: Frame) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(encode_frame(frame))
