"""A local Messages API server that plays a script; only this machine can reach its port."""

import asyncio
import itertools
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeAlias, cast

from pydantic_core import from_json, to_json

from actors.models.scripted_model_input import RequestBody
from actors.models.scripted_reply import ReplyPlan, StreamEvent, generate_events
from actors.models.server_sent_events import encode_event

Script: TypeAlias = Callable[[RequestBody], ReplyPlan]
"""Chooses the reply from the request body; the conversation in it is its only state."""

DELTA_PAUSE_S = 0.015
"""Pause before each delta at pace 1."""
_MAX_REQUEST_BYTES = 256 * 1024 * 1024
_STREAM_HEADERS = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


class LoopbackServer:
    """Serves a script until it is closed."""

    def __init__(self, script: Script, pace: float) -> None:
        self._script = script
        self._pause_s = DELTA_PAUSE_S * pace
        self._reply_numbers = itertools.count(1)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """The server's URL; empty before `open`."""
        if self._server is None:
            return ""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def open(self) -> None:
        """Open a free port and start serving.

        Raises:
            OSError: no port could be opened.
        """
        self._server = await asyncio.start_server(self._on_connection, "127.0.0.1", 0)

    async def close(self) -> None:
        """Close the port and all connections."""
        if self._server is not None:
            self._server.close()
        connections = tuple(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A client that disconnects while streaming has cancelled its turn; not an error.
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while (request := await _read_request(reader)) is not None:
                    await self._respond(request, writer)
        finally:
            writer.close()

    async def _respond(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            body = cast("RequestBody", from_json(request))
            plan = self._script(body)
        except Exception as error:  # noqa: BLE001  (a bug in a script is shown, not hidden)
            writer.write(_encode_error(f"the script failed: {type(error).__name__}: {error}"))
            await writer.drain()
            return
        reply_id = _make_reply_id(body, next(self._reply_numbers))
        writer.write(_STREAM_HEADERS)
        await self._send_events(generate_events(plan, body, reply_id), writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _send_events(
        self, events: Iterable[StreamEvent], writer: asyncio.StreamWriter
    ) -> None:
        for event in events:
            if self._pause_s and event["type"] == "content_block_delta":
                await asyncio.sleep(self._pause_s)
            data = encode_event(event)
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await writer.drain()


async def start_loopback_server(script: Script, pace: float = 1.0) -> LoopbackServer:
    """Serve `script` on a free port of 127.0.0.1; pace 0 streams without pauses.

    Raises:
        OSError: no port could be opened.
    """
    server = LoopbackServer(script, pace)
    await server.open()
    return server


def _make_reply_id(body: RequestBody, number: int) -> str:
    """Return an id that is also new in a conversation resumed from another process."""
    messages = body.get("messages")
    return f"script_{len(messages) if isinstance(messages, list) else 0}_{number}"


async def _read_request(reader: asyncio.StreamReader) -> bytes | None:
    """Read one request's body; None: the client has disconnected or does not speak HTTP."""
    try:
        header_bytes = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    lines = header_bytes.decode("latin-1").lower().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _MAX_REQUEST_BYTES:
        return None
    return await reader.readexactly(int(length))


def _encode_error(message: str) -> bytes:
    body = to_json({"type": "error", "error": {"type": "api_error", "message": message}})
    return (
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%s" % (len(body), body)
    )
