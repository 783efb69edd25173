"""A script behind the Messages API, on a port of this machine that only it can reach."""

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias, cast

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from actors.models.scripted_reply import ReplyPlan, StreamEvent, generate_events
from actors.models.server_sent_events import encode_event

Script: TypeAlias = Callable[[Mapping[str, JsonValue]], ReplyPlan]
"""Decides a reply from the body of the request; the conversation in it is all its memory."""

DELTA_PAUSE_S = 0.015
"""Pause before each delta at pace 1."""
_REQUEST_LIMIT_BYTES = 256 * 1024 * 1024
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


class Loopback:
    """Serves a script until it is closed."""

    def __init__(self, script: Script, pace: float) -> None:
        self._script = script
        self._pause_s = DELTA_PAUSE_S * pace
        self._replies = itertools.count(1)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """Where it serves."""
        if self._server is None:
            return ""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def open(self) -> None:
        """Take a free port and begin to serve.

        Raises:
            OSError: this machine gives no port.
        """
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def close(self) -> None:
        """Give the port back and end all connections."""
        if self._server is not None:
            self._server.close()
        connections = tuple(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A client that leaves in mid-stream has cancelled its turn: no fault of anybody.
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while (request := await _read_request(reader)) is not None:
                    await self._answer(request, writer)
        finally:
            writer.close()

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            body = cast("Mapping[str, JsonValue]", from_json(request))
            plan = self._script(body)
        except Exception as error:  # noqa: BLE001  (a fault in a script is shown, not hidden)
            writer.write(_error(f"the script failed: {type(error).__name__}: {error}"))
            await writer.drain()
            return
        writer.write(_STREAM_HEAD)
        await self._play(generate_events(plan, body, _reply_id(body, next(self._replies))), writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _play(self, events: Iterable[StreamEvent], writer: asyncio.StreamWriter) -> None:
        for event in events:
            if self._pause_s and event["type"] == "content_block_delta":
                await asyncio.sleep(self._pause_s)
            data = encode_event(event)
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await writer.drain()


async def start_loopback_server(script: Script, pace: float = 1.0) -> Loopback:
    """Serve `script` on a free port of 127.0.0.1; `pace` 0 streams without pauses.

    Raises:
        OSError: this machine gives no port.
    """
    loopback = Loopback(script, pace)
    await loopback.open()
    return loopback


def _reply_id(body: Mapping[str, JsonValue], number: int) -> str:
    """Make an id that a resumed conversation, served by another process, does not have yet."""
    messages = body.get("messages")
    return f"script_{len(messages) if isinstance(messages, list) else 0}_{number}"


async def _read_request(reader: asyncio.StreamReader) -> bytes | None:
    """Read one request's body; None when the client is done or says something else than HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    lines = head.decode("latin-1").lower().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _REQUEST_LIMIT_BYTES:
        return None
    return await reader.readexactly(int(length))


def _error(message: str) -> bytes:
    body = to_json({"type": "error", "error": {"type": "api_error", "message": message}})
    return (
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%s" % (len(body), body)
    )
