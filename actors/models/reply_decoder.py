"""Incremental decoder of the Messages API's event stream; it never completes a partial reply.

The SDK's helper takes five times as long per event, and completes a truncated tool call as if the
model had meant it that way.
"""

from collections.abc import Iterator
from typing import NoReturn, cast

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from actors.models.block_decoder import JsonFields, OpenBlock, add_delta, close_block, open_block
from actors.models.http_errors import classify_stream_error, format_one_line
from actors.models.model_client import ModelError, Reply, ReplyDelta
from actors.models.remote_compaction import COMPACTION
from actors.models.server_sent_events import SseParser
from messages.content import ContentBlock, Usage

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""Longest stream of one reply, so that an endless one cannot fill the memory.

128,000 tokens, each in its own event of 300 bytes, take 38 MB.
"""

MAX_REPLY_TEXT_MIB = 4
"""Longest text, thinking and tool input of one reply; 128,000 tokens have about 0.5 MiB."""

_USAGE_FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


class ReplyDecoder:
    """Decodes the stream of one reply; error texts name `server`."""

    def __init__(self, server: str = "the server") -> None:
        self._server = server
        self._parser = SseParser()
        self._blocks: list[ContentBlock | None] = []
        self._open_blocks: dict[int, OpenBlock] = {}
        self._usage_counts: dict[str, int] = {}
        self._usage_changed = False
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._tool_input_chars = 0
        self._received_bytes = 0
        self._received_chars = 0
        self._event_count = 0
        self._compaction_block = ""
        self._reply: Reply | None = None

    def feed(self, chunk: bytes) -> Iterator[ReplyDelta | Reply]:
        """Decode one read: yield at most one `ReplyDelta`, then the `Reply` once it is complete.

        The delta is empty if the read has only events without text, such as pings. Exhaust the
        iterator: text before an error is yielded first. Data after `message_stop` is ignored.

        Raises:
            ModelError: the stream reports an error, or violates the Messages API.
        """
        stream_error: ModelError | None = None
        earlier_reply, earlier_events = self._reply, self._event_count
        try:
            self._decode(chunk)
        except ModelError as error:
            stream_error = error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            stream_error = self._make_protocol_error(error)
        if self._event_count > earlier_events:
            yield self._take_delta()
        if stream_error is not None:
            raise stream_error
        if self._reply is not None and earlier_reply is None:
            yield self._reply

    def _take_delta(self) -> ReplyDelta:
        usage = self._build_usage() if self._usage_changed else None
        delta = ReplyDelta(
            "".join(self._text), "".join(self._thinking), usage, self._tool_input_chars
        )
        self._text.clear()
        self._thinking.clear()
        self._usage_changed = False
        self._tool_input_chars = 0
        return delta

    def _build_usage(self) -> Usage:
        return Usage(requests=1, **self._usage_counts)

    def finish(self) -> None:
        """Check, at the end of the stream, that the reply is complete.

        Raises:
            ModelError: it is not.
        """
        if self._reply is not None:
            return
        if not self._event_count:
            body = "text that is not an event stream" if self._received_bytes else "an empty reply"
            raise ModelError(
                reason="protocol_error",
                detail=f"{self._server} sent {body}; check ANTHROPIC_BASE_URL",
            )
        raise ModelError(
            reason="stream_interrupted",
            detail=f"{self._server} ended the reply too early; send the prompt again",
            is_retryable=True,
        )

    def _decode(self, chunk: bytes) -> None:
        self._received_bytes += len(chunk)
        if self._received_bytes > MAX_REPLY_BYTES:
            message = f"a reply of more than {MAX_REPLY_BYTES} bytes"
            raise ValueError(message)
        for data in self._parser.feed(chunk):
            if self._reply is not None:
                return
            event = cast("JsonFields", from_json(data))
            self._apply(event, data)
            self._event_count += 1

    def _apply(self, event: JsonFields, data: bytes) -> None:
        event_type = event["type"]
        if event_type == "content_block_delta":
            self._add_delta(self._get_open_block(event), cast("JsonFields", event["delta"]))
        elif event_type == "content_block_start":
            self._start_block(event, data)
        elif event_type == "content_block_stop":
            self._close_block(event)
        elif event_type == "message_start":
            self._start_message(cast("JsonFields", event["message"]))
        elif event_type == "message_delta":
            self._apply_message_delta(event)
        elif event_type == "message_stop":
            self._finish_message()
        elif event_type == "error":
            raise _classify_error_event(event, self._server)

    def _start_message(self, message: JsonFields) -> None:
        if self._model is not None:
            _reject("a second message_start")
        self._model = str(message.get("model") or "")
        self._update_usage(message.get("usage"))

    def _start_block(self, event: JsonFields, data: bytes) -> None:
        index = event["index"]
        if self._model is None or self._stop_reason is not None or index != len(self._blocks):
            _reject(f"content block {index} starts out of order")
        block = open_block(event, data)
        self._open_blocks[len(self._blocks)] = block
        self._blocks.append(None)
        self._collect(block.block_type, "".join(block.texts))

    def _close_block(self, event: JsonFields) -> None:
        block = self._get_open_block(event)
        if block.block_type == COMPACTION:  # complete at its start, and sent back like that
            self._compaction_block = to_json(block.start).decode()
        else:
            self._blocks[cast("int", event["index"])] = close_block(block)
        del self._open_blocks[cast("int", event["index"])]

    def _get_open_block(self, event: JsonFields) -> OpenBlock:
        index = event["index"]
        block = self._open_blocks.get(index) if isinstance(index, int) else None
        if block is None:
            _reject(f"{event['type']} for block {index}, which is not open")
        return block

    def _add_delta(self, block: OpenBlock, delta: JsonFields) -> None:
        text = add_delta(block, delta)
        if delta["type"] != "signature_delta":
            self._collect(block.block_type, text)

    def _collect(self, block_type: str, text: str) -> None:
        self._received_chars += len(text)
        if self._received_chars > MAX_REPLY_TEXT_MIB * 1024 * 1024:
            detail = (
                f"{self._server} sent a reply with more than {MAX_REPLY_TEXT_MIB} MiB of text; "
                "ask for less at once, and check ANTHROPIC_BASE_URL if it happens again"
            )
            raise ModelError(reason="protocol_error", detail=detail)
        if text and block_type == "text":
            self._text.append(text)
        elif text and block_type == "thinking":
            self._thinking.append(text)
        elif block_type == "tool_use":
            self._tool_input_chars += len(text)

    def _apply_message_delta(self, event: JsonFields) -> None:
        if self._model is None:
            _reject("message_delta before message_start")
        reason = cast("JsonFields", event["delta"]).get("stop_reason")
        if reason is not None:
            self._stop_reason = str(reason)
        self._update_usage(event.get("usage"))

    def _update_usage(self, usage: JsonValue) -> None:
        if isinstance(usage, dict):
            for name in _USAGE_FIELDS:
                token_count = usage.get(name)
                if isinstance(token_count, int):
                    # Cumulative, so the last one counts.
                    self._usage_counts[name] = token_count + _count_compaction(usage, name)
            self._usage_changed = True

    def _finish_message(self) -> None:
        if self._model is None or self._open_blocks or self._stop_reason is None:
            _reject("message_stop before the message is complete")
        self._reply = Reply(
            content=tuple(block for block in self._blocks if block is not None),
            stop_reason=self._stop_reason,
            usage=self._build_usage(),
            model=self._model,
            compaction_block=self._compaction_block,
        )

    def _make_protocol_error(self, error: Exception) -> ModelError:
        problem = f"missing field {error}" if isinstance(error, KeyError) else str(error)
        return ModelError(
            "protocol_error",
            f"{self._server} does not follow the Messages API ({format_one_line(problem)}); "
            "check ANTHROPIC_BASE_URL",
        )


def _count_compaction(usage: JsonFields, name: str) -> int:
    """Return the tokens of a compaction, which the total does not include."""
    iterations = usage.get("iterations")
    counts = [
        iteration.get(name)
        for iteration in (iterations if isinstance(iterations, list) else ())
        if isinstance(iteration, dict) and iteration.get("type") == COMPACTION
    ]
    return sum(count for count in counts if isinstance(count, int))


def _classify_error_event(event: JsonFields, server: str) -> ModelError:
    error = cast("JsonFields", event["error"])
    return classify_stream_error(
        server,
        str(error.get("type")),
        str(error.get("message") or ""),
        str(event.get("request_id") or ""),
    )


def _reject(problem: str) -> NoReturn:
    raise ValueError(problem)
