"""The Messages API's event stream, decoded as it arrives; nothing unfinished ever comes out whole.

Our own decoder, because the SDK's helper costs five times as much an event, and completes a tool
call that was cut off as if the model had meant it so.
"""

from collections.abc import Iterator
from typing import NoReturn, cast

from pydantic import JsonValue
from pydantic_core import from_json

from actors.models.block_decoder import JsonFields, OpenBlock, add_delta, close_block, open_block
from actors.models.http_errors import classify_stream_error
from actors.models.model_client import ModelError, Reply, ReplyDelta
from actors.models.server_sent_events import SseParser
from messages.content import ContentBlock, Usage

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""Longest stream of one reply; a server that never ends must not fill the memory.

128,000 tokens, each in an event of its own of 300 bytes, are 38 MB.
"""

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


class ReplyDecoder:
    """Decodes the stream of one reply from `server`, which is named in every fault."""

    def __init__(self, server: str = "the server") -> None:
        self._server = server
        self._splitter = SseParser()
        self._blocks: list[ContentBlock | None] = []
        self._open: dict[int, OpenBlock] = {}
        self._counts: dict[str, int] = {}
        self._counted = False
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._tool_input_chars = 0
        self._read_bytes = 0
        self._events = 0
        self._reply: Reply | None = None

    def feed(self, chunk: bytes) -> Iterator[ReplyDelta | Reply]:
        """Decode what one read brought: at most one `Streamed`, then the `Reply` if it is whole.

        Iterate it to the end; text that stands before a fault comes out first. What follows the
        `message_stop` is ignored.

        Raises:
            ModelError: the stream reports an error, or is not that of the Messages API.
        """
        fault: ModelError | None = None
        already = self._reply
        try:
            self._decode(chunk)
        except ModelError as error:
            fault = error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            fault = self._no_messages_api(error)
        if self._text or self._thinking or self._counted or self._tool_input_chars:
            yield self._streamed()
        if fault is not None:
            raise fault
        if self._reply is not None and already is None:
            yield self._reply

    def _streamed(self) -> ReplyDelta:
        usage = self._usage() if self._counted else None
        streamed = ReplyDelta(
            "".join(self._text), "".join(self._thinking), usage, self._tool_input_chars
        )
        self._text.clear()
        self._thinking.clear()
        self._counted = False
        self._tool_input_chars = 0
        return streamed

    def _usage(self) -> Usage:
        return Usage(requests=1, **self._counts)

    def finish(self) -> None:
        """Say that the stream has ended.

        Raises:
            ModelError: it ended without a whole reply.
        """
        if self._reply is not None:
            return
        if not self._events:
            what = "text that is not an event stream" if self._read_bytes else "an empty reply"
            raise ModelError(
                reason="protocol",
                detail=f"{self._server} sent {what}; check that ANTHROPIC_BASE_URL is right",
            )
        raise ModelError(
            reason="cut_off",
            detail=f"{self._server} ended the reply early; send the prompt again",
            is_retryable=True,
        )

    def _decode(self, chunk: bytes) -> None:
        self._read_bytes += len(chunk)
        if self._read_bytes > MAX_REPLY_BYTES:
            message = f"a reply of more than {MAX_REPLY_BYTES} bytes"
            raise ValueError(message)
        for data in self._splitter.feed(chunk):
            if self._reply is not None:
                return
            event = cast("JsonFields", from_json(data))
            self._apply(event, data)
            self._events += 1

    def _apply(self, event: JsonFields, data: bytes) -> None:
        kind = event["type"]
        if kind == "content_block_delta":
            self._delta(self._opened(event), cast("JsonFields", event["delta"]))
        elif kind == "content_block_start":
            self._start_block(event, data)
        elif kind == "content_block_stop":
            self._blocks[cast("int", event["index"])] = close_block(self._opened(event))
            del self._open[cast("int", event["index"])]
        elif kind == "message_start":
            self._start(cast("JsonFields", event["message"]))
        elif kind == "message_delta":
            self._end_of_message(event)
        elif kind == "message_stop":
            self._stop()
        elif kind == "error":
            raise _reported(event, self._server)

    def _start(self, message: JsonFields) -> None:
        if self._model is not None:
            _refuse("message_start came twice")
        self._model = str(message.get("model") or "")
        self._count(message.get("usage"))

    def _start_block(self, event: JsonFields, data: bytes) -> None:
        index = event["index"]
        if self._model is None or self._stop_reason is not None or index != len(self._blocks):
            _refuse(f"content block {index} starts out of order")
        block = open_block(event, data)
        self._open[len(self._blocks)] = block
        self._blocks.append(None)
        self._show(block.block_type, "".join(block.texts))

    def _opened(self, event: JsonFields) -> OpenBlock:
        index = event["index"]
        block = self._open.get(index) if isinstance(index, int) else None
        if block is None:
            _refuse(f"{event['type']} for block {index}, which is not open")
        return block

    def _delta(self, block: OpenBlock, delta: JsonFields) -> None:
        text = add_delta(block, delta)
        if delta["type"] != "signature_delta":
            self._show(block.block_type, text)

    def _show(self, kind: str, text: str) -> None:
        if text and kind == "text":
            self._text.append(text)
        elif text and kind == "thinking":
            self._thinking.append(text)
        elif kind == "tool_use":
            self._tool_input_chars += len(text)

    def _end_of_message(self, event: JsonFields) -> None:
        if self._model is None:
            _refuse("message_delta before message_start")
        reason = cast("JsonFields", event["delta"]).get("stop_reason")
        if reason is not None:
            self._stop_reason = str(reason)
        self._count(event.get("usage"))

    def _count(self, usage: JsonValue) -> None:
        if isinstance(usage, dict):
            counted = {name: usage.get(name) for name in _COUNTS}
            self._counts |= {k: v for k, v in counted.items() if isinstance(v, int)}
            self._counted = True

    def _stop(self) -> None:
        if self._model is None or self._open or self._stop_reason is None:
            _refuse("message_stop before the message was whole")
        self._reply = Reply(
            content=tuple(block for block in self._blocks if block is not None),
            stop_reason=self._stop_reason,
            usage=self._usage(),
            model=self._model,
        )

    def _no_messages_api(self, error: Exception) -> ModelError:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        return ModelError(
            "protocol", f"{self._server} does not speak the Messages API: {' '.join(what.split())}"
        )


def _reported(event: JsonFields, server: str) -> ModelError:
    error = cast("JsonFields", event["error"])
    return classify_stream_error(
        server,
        str(error.get("type")),
        str(error.get("message") or ""),
        str(event.get("request_id") or ""),
    )


def _refuse(what: str) -> NoReturn:
    raise ValueError(what)
