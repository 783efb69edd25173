"""A model server for tests that sends scripted responses, valid or not, and records requests.

It uses plain sockets and threads, which can fail in every way and also serve another process.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal, Self, cast

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from actors.models.scripted_reply import ReplyPlan, ScriptedCall, StreamEvent, generate_events
from actors.models.server_sent_events import encode_event

ResponseEnding = Literal["complete", "close", "reset", "silence"]
"""How a response ends: `complete` as HTTP requires, `close` and `reset` (RST) before the end of
the body, `silence` not before the client disconnects."""

_CHUNK_BYTES = 4096


@dataclass(frozen=True)
class ScriptedResponse:
    """One response of the server."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream"}
    )
    ending: ResponseEnding = "complete"
    chunk_bytes: int = _CHUNK_BYTES
    """Size of the chunks in which the body is sent."""


@dataclass(frozen=True)
class RecordedRequest:
    """One request that the server received."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw_body: bytes

    @property
    def body(self) -> dict[str, JsonValue]:
        return cast("dict[str, JsonValue]", from_json(self.raw_body or b"{}"))


def respond_text(
    text: str = "", *calls: ScriptedCall, thinking: str = "", stop_reason: str = ""
) -> ScriptedResponse:
    """Respond with thinking, text and tool calls in small deltas."""
    plan = ReplyPlan(text=text, calls=calls, thinking=thinking, stop_reason=stop_reason)
    return respond_events(generate_events(plan, {"model": "scripted"}, "toolu"))


def respond_tool_call(name: str, **arguments: JsonValue) -> ScriptedResponse:
    """Respond with one tool call."""
    return respond_text("", ScriptedCall(name, arguments))


def respond_raw_tool_call(
    name: str, *pieces: str, stop_reason: str = "tool_use"
) -> ScriptedResponse:
    """Respond with a tool call whose input deltas are exactly these pieces, valid JSON or not."""
    call: StreamEvent = {"type": "tool_use", "id": "toolu_raw", "name": name, "input": {}}
    events: list[StreamEvent] = [
        next(generate_events(ReplyPlan(), {"model": "scripted"}, "toolu")),
        {"type": "content_block_start", "index": 0, "content_block": call},
    ]
    for piece in pieces:
        delta: StreamEvent = {"type": "input_json_delta", "partial_json": piece}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    end: StreamEvent = {"stop_reason": stop_reason}
    events.append({"type": "content_block_stop", "index": 0})
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return respond_events(events)


def respond_events(events: Iterable[StreamEvent]) -> ScriptedResponse:
    """Respond with these events, valid or not."""
    return ScriptedResponse(b"".join(encode_event(event) for event in events))


def respond_stream_error(
    error_type: str, message: str, after: ScriptedResponse | None = None
) -> ScriptedResponse:
    """Respond with an `error` event, after the content of another response."""
    before = after.body[: after.body.rindex(b"event: content_block_stop")] if after else b""
    error: StreamEvent = {"type": "error", "error": {"type": error_type, "message": message}}
    return ScriptedResponse(before + encode_event(error))


def respond_stalled(text: str) -> ScriptedResponse:
    """Respond with the beginning of a reply, then with silence."""
    response = respond_text(text)
    length_bytes = response.body.rindex(b"event: content_block_stop")
    return truncate_response(response, length_bytes, "silence")


def respond_http_error(
    status: int, error_type: str, message: str, **headers: str
) -> ScriptedResponse:
    """Respond with an HTTP error; `_` in header names becomes `-`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = to_json({"type": "error", "error": {"type": error_type, "message": message}})
    return ScriptedResponse(
        body, status=status, headers={"content-type": "application/json", **names}
    )


def truncate_response(
    response: ScriptedResponse, length_bytes: int, ending: ResponseEnding
) -> ScriptedResponse:
    """Return a response that ends after this many bytes of its body."""
    return replace(response, body=response.body[:length_bytes], ending=ending)


class ScriptedServer:
    """Sends its responses in order while its context is open, then status 400.

    Requests for a model's limits get `limits_response` instead, by default a 404.
    """

    def __init__(
        self,
        *responses: ScriptedResponse,
        limits_response: ScriptedResponse | None = None,
        respond: Callable[[RecordedRequest], ScriptedResponse | None] | None = None,
    ) -> None:
        """Send `responses` in order, or what `respond` returns for each request."""
        self.requests: list[RecordedRequest] = []
        self.limits_requests: list[RecordedRequest] = []
        self._limits_response = limits_response or respond_http_error(
            404, "not_found_error", "no such path"
        )
        self.connection_count = 0
        self._responses = iter(responses)
        self._respond = respond
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._connections: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()
        self._disconnect_count = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        # Shutting down, unlike closing, wakes the threads that are blocked on the socket.
        self._shut_down(self._socket)
        with self._changed:
            connections = tuple(self._connections)
        for connection in connections:
            self._shut_down(connection)
        for thread in self._threads:
            thread.join(5)
        self._socket.close()

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> None:
        """Wait until the server has received this many requests."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s)

    def wait_for_disconnects(self, count: int = 1, timeout_s: float = 10.0) -> None:
        """Wait until clients have closed this many silent responses."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._disconnect_count >= count, timeout_s)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._changed:
                self.connection_count += 1
                self._connections.add(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as reader:
                while (request := _read_request(reader)) is not None:
                    if not self._send(connection, self.choose_response(request)):
                        return
        except OSError:
            return
        finally:
            with self._changed:
                self._connections.discard(connection)

    def choose_response(self, request: RecordedRequest) -> ScriptedResponse:
        """Record a request and return its response."""
        with self._changed:
            if request.method == "GET":
                self.limits_requests.append(request)
                response: ScriptedResponse | None = self._limits_response
            else:
                self.requests.append(request)
                response = self._respond(request) if self._respond else next(self._responses, None)
            self._changed.notify_all()
        return response or _NO_MORE_RESPONSES

    def _send(self, connection: socket.socket, response: ScriptedResponse) -> bool:
        """Send a response; return True if the connection stays open."""
        connection.sendall(_encode_head(response))
        for start in range(0, len(response.body), response.chunk_bytes):
            chunk = response.body[start : start + response.chunk_bytes]
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if response.ending == "complete":
            connection.sendall(b"0\r\n\r\n")
        elif response.ending == "reset":
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif response.ending == "silence":
            self._wait_for_close(connection)
        return response.ending == "complete"

    def _wait_for_close(self, connection: socket.socket) -> None:
        try:
            while connection.recv(1):
                pass
        except ConnectionError:
            pass  # RST also closes the connection
        with self._changed:
            self._disconnect_count += 1
            self._changed.notify_all()

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    @staticmethod
    def _shut_down(connection: socket.socket) -> None:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


_NO_MORE_RESPONSES = respond_http_error(
    400, "invalid_request_error", "the scripted server has no more responses"
)


def _read_request(reader: BinaryIO) -> RecordedRequest | None:
    first = reader.readline().decode("latin-1").split(" ")
    if len(first) < 2:  # the client has closed
        return None
    headers: dict[str, str] = {}
    while (line := reader.readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    raw = reader.read(int(headers.get("content-length", "0")))
    return RecordedRequest(method=first[0], path=first[1], headers=headers, raw_body=raw)


def _encode_head(response: ScriptedResponse) -> bytes:
    lines = [f"HTTP/1.1 {response.status} Scripted", "transfer-encoding: chunked"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
