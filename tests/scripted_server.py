"""A model server for tests: answers from a list, well or badly, and remembers what it was asked.

Plain sockets and threads, so that every way a server can fail can be played, also against a
program in another process.
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
"""complete: the body ends as HTTP wants · close: the connection without it · reset: by RST ·
silence: never, until the client leaves."""

_PIECE_BYTES = 4096


@dataclass(frozen=True)
class ScriptedResponse:
    """One scripted answer."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream"}
    )
    ending: ResponseEnding = "complete"
    chunk_bytes: int = _PIECE_BYTES
    """Size of the parts in which the body is sent."""


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it came in."""

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
    """Answer well: reasoning, text, tool calls in small deltas."""
    plan = ReplyPlan(text=text, calls=calls, thinking=thinking, stop_reason=stop_reason)
    return respond_events(generate_events(plan, {"model": "scripted"}, "toolu"))


def respond_tool_call(name: str, **arguments: JsonValue) -> ScriptedResponse:
    """Answer by one tool call."""
    return respond_text("", ScriptedCall(name, arguments))


def respond_raw_tool_call(
    name: str, *pieces: str, stop_reason: str = "tool_use"
) -> ScriptedResponse:
    """Answer by a tool call whose input is exactly these pieces, JSON or not."""
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
    """Answer by these events, right or wrong."""
    return ScriptedResponse(b"".join(encode_event(event) for event in events))


def respond_stream_error(
    kind: str, message: str, after: ScriptedResponse | None = None
) -> ScriptedResponse:
    """Answer by an `error` event, after what another answer says (its last event left out)."""
    before = after.body[: after.body.rindex(b"event: content_block_stop")] if after else b""
    error: StreamEvent = {"type": "error", "error": {"type": kind, "message": message}}
    return ScriptedResponse(before + encode_event(error))


def respond_http_error(status: int, kind: str, message: str, **headers: str) -> ScriptedResponse:
    """Answer by an HTTP error; header names take `_` for `-`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = to_json({"type": "error", "error": {"type": kind, "message": message}})
    return ScriptedResponse(
        body, status=status, headers={"content-type": "application/json", **names}
    )


def truncate_response(
    answer: ScriptedResponse, after_bytes: int, ending: ResponseEnding
) -> ScriptedResponse:
    """Break an answer off after so many bytes of its body."""
    return replace(answer, body=answer.body[:after_bytes], ending=ending)


class ScriptedServer:
    """Serves its answers in order while it is entered; what comes beyond them gets a 400.

    What models take is told apart from them; nobody is told unless `models` says so.
    """

    def __init__(
        self,
        *responses: ScriptedResponse,
        limits_response: ScriptedResponse | None = None,
        respond: Callable[[RecordedRequest], ScriptedResponse | None] | None = None,
    ) -> None:
        """Answer in order, or each request by what it asks."""
        self.requests: list[RecordedRequest] = []
        self.limits_requests: list[RecordedRequest] = []
        self._models = limits_response or respond_http_error(404, "not_found_error", "no such path")
        self.connection_count = 0
        self._answers = iter(responses)
        self._by = respond
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._connections: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()
        self._left = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        # Shutting down, unlike closing, wakes whoever is blocked on the socket.
        self._shut(self._socket)
        with self._changed:
            connections = tuple(self._connections)
        for connection in connections:
            self._shut(connection)
        for thread in self._threads:
            thread.join(5)
        self._socket.close()

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> None:
        """Wait until so many requests have come in, or fail."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s)

    def wait_for_disconnects(self, count: int = 1, timeout_s: float = 10.0) -> None:
        """Wait until clients have closed so many answers that had fallen silent, or fail."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._left >= count, timeout_s)

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
                while (asked := _read(reader)) is not None:
                    if not self._answer(connection, self._answer_to(asked)):
                        return
        except OSError:
            return
        finally:
            with self._changed:
                self._connections.discard(connection)

    def _answer_to(self, asked: RecordedRequest) -> ScriptedResponse:
        with self._changed:
            if asked.method == "GET":
                self.limits_requests.append(asked)
                answer: ScriptedResponse | None = self._models
            else:
                self.requests.append(asked)
                answer = self._by(asked) if self._by else next(self._answers, None)
            self._changed.notify_all()
        return answer or _NOTHING_LEFT

    def _answer(self, connection: socket.socket, answer: ScriptedResponse) -> bool:
        """Send an answer; whether the connection can serve another one."""
        connection.sendall(_head(answer))
        for start in range(0, len(answer.body), answer.chunk_bytes):
            piece = answer.body[start : start + answer.chunk_bytes]
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        if answer.ending == "complete":
            connection.sendall(b"0\r\n\r\n")
        elif answer.ending == "reset":
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif answer.ending == "silence":
            self._wait_for_close(connection)
        return answer.ending == "complete"

    def _wait_for_close(self, connection: socket.socket) -> None:
        try:
            while connection.recv(1):
                pass
        except ConnectionError:
            pass  # closed by RST: closed all the same
        with self._changed:
            self._left += 1
            self._changed.notify_all()

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    @staticmethod
    def _shut(connection: socket.socket) -> None:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


_NOTHING_LEFT = respond_http_error(
    400, "invalid_request_error", "the scripted server has no more answers"
)


def _read(reader: BinaryIO) -> RecordedRequest | None:
    first = reader.readline().decode("latin-1").split(" ")
    if len(first) < 2:  # the client has closed
        return None
    headers: dict[str, str] = {}
    while (line := reader.readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    raw = reader.read(int(headers.get("content-length", "0")))
    return RecordedRequest(method=first[0], path=first[1], headers=headers, raw_body=raw)


def _head(answer: ScriptedResponse) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} Scripted", "transfer-encoding: chunked"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
