"""`ReplyDecoder` with streams that are split, truncated and malformed in every way."""

from collections.abc import Iterable, Sequence

import pytest
from pydantic import JsonValue
from pydantic_core import to_json

from actors.models.model_client import ModelError, Reply, ReplyDelta
from actors.models.reply_decoder import ReplyDecoder
from actors.models.scripted_reply import ReplyPlan, ScriptedCall, StreamEvent, generate_events
from actors.models.server_sent_events import SseParser, encode_event
from messages.content import (
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)

pytestmark = pytest.mark.quick

SCRIPTED_REPLY = ReplyPlan(
    thinking="Überlegen wir: 思考",
    text="Ich lese die Datei — gleich.",
    calls=(
        ScriptedCall("read", {"path": 'a "b" ä.txt'}),
        ScriptedCall("bash", {"command": "ls -l\n", "timeout_s": 5}),
    ),
)
EXPECTED_REPLY = Reply(
    content=(
        ThinkingBlock(thinking="Überlegen wir: 思考", signature="c2NyaXB0"),
        TextBlock(text="Ich lese die Datei — gleich."),
        ToolUseBlock(id="r_0", name="read", input={"path": 'a "b" ä.txt'}),
        ToolUseBlock(id="r_1", name="bash", input={"command": "ls -l\n", "timeout_s": 5}),
    ),
    stop_reason="tool_use",
    usage=Usage(input_tokens=5, output_tokens=27, requests=1),
    model="scripted",
)


def encode_stream(events: Iterable[StreamEvent]) -> bytes:
    return b"".join(encode_event(event) for event in events)


INPUT_CHARS = sum(len(to_json(call.input).decode()) for call in SCRIPTED_REPLY.calls)
STREAM = encode_stream(generate_events(SCRIPTED_REPLY, {"model": "scripted"}, "r"))


def decode_chunks(*chunks: bytes) -> tuple[str, str, list[Reply]]:
    """Decode chunks to the end; return text, thinking and the replies."""
    decoder = ReplyDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    decoder.finish()
    deltas = [event for event in events if isinstance(event, ReplyDelta)]
    return (
        "".join(event.text for event in deltas),
        "".join(event.thinking for event in deltas),
        [event for event in events if isinstance(event, Reply)],
    )


def decode_error(*chunks: bytes) -> ModelError:
    with pytest.raises(ModelError) as caught:
        decode_chunks(*chunks)
    return caught.value


def make_block_events(
    start: StreamEvent, deltas: Sequence[StreamEvent], stop_reason: str = "tool_use"
) -> list[StreamEvent]:
    """Return the events of a reply with a single block."""
    end: StreamEvent = {"stop_reason": stop_reason}
    middle: list[StreamEvent] = [
        {"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas
    ]
    return [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *middle,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def decode_tool_use(*chunks: str, whole: dict[str, JsonValue] | None = None) -> ToolUseBlock:
    """Decode one tool call with these input chunks."""
    start: StreamEvent = {"type": "tool_use", "id": "t", "name": "bash", "input": whole or {}}
    deltas: list[StreamEvent] = [{"type": "input_json_delta", "partial_json": c} for c in chunks]
    _, _, replies = decode_chunks(encode_stream(make_block_events(start, deltas)))
    (block,) = replies[0].content
    assert isinstance(block, ToolUseBlock)
    return block


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_stream_split_at_any_byte_decodes_the_same(newline: bytes) -> None:
    stream = STREAM.replace(b"\n", newline)
    for cut in range(len(stream) + 1):
        assert decode_chunks(stream[:cut], stream[cut:]) == (
            SCRIPTED_REPLY.text,
            SCRIPTED_REPLY.thinking,
            [EXPECTED_REPLY],
        )


def test_a_stream_read_byte_by_byte_decodes_the_same() -> None:
    single = [STREAM[i : i + 1] for i in range(len(STREAM))]
    assert decode_chunks(*single) == (
        SCRIPTED_REPLY.text,
        SCRIPTED_REPLY.thinking,
        [EXPECTED_REPLY],
    )


def test_an_incomplete_stream_never_yields_a_reply() -> None:
    for length in range(
        len(STREAM) - 1
    ):  # without its final line feed, the last event is incomplete
        decoder = ReplyDecoder()
        assert not any(isinstance(event, Reply) for event in decoder.feed(STREAM[:length]))
        with pytest.raises(ModelError) as caught:
            decoder.finish()
        assert caught.value.reason == (
            "stream_interrupted" if b"\n\n" in STREAM[:length] else "protocol_error"
        )


def test_all_text_of_one_read_is_one_delta() -> None:
    assert list(ReplyDecoder().feed(STREAM)) == [
        ReplyDelta(
            SCRIPTED_REPLY.text,
            SCRIPTED_REPLY.thinking,
            EXPECTED_REPLY.usage,
            tool_input_chars=INPUT_CHARS,
        ),
        EXPECTED_REPLY,
    ]


def test_comments_pings_and_unknown_events_are_ignored() -> None:
    noise = b': still here\n\nevent: ping\nid: 7\nretry: 5\ndata: {"type":"ping"}\n\n'
    unknown_event = b'data: {"type":"message_weather","sunny":true}\n\n'
    text: StreamEvent = {"type": "text", "text": "a"}
    deltas: list[StreamEvent] = [
        {"type": "citations_delta", "citation": {}},
        {"type": "text_delta", "text": "b"},
    ]
    streamed_text, _, replies = decode_chunks(
        noise + unknown_event, encode_stream(make_block_events(text, deltas, "end_turn")), noise
    )
    assert streamed_text == "ab"
    assert replies[0].content == (TextBlock(text="ab"),)


def test_event_data_can_span_several_lines() -> None:
    split = STREAM.replace(b'data: {"type"', b'data: {\ndata:"type"')
    assert decode_chunks(split) == (SCRIPTED_REPLY.text, SCRIPTED_REPLY.thinking, [EXPECTED_REPLY])


def test_data_after_the_end_of_the_message_is_ignored() -> None:
    assert decode_chunks(STREAM + b"data: [DONE]\n\n", b"garbage\n\n", STREAM)[2] == [
        EXPECTED_REPLY
    ]


def test_redacted_thinking_is_kept_unchanged() -> None:
    _, _, replies = decode_chunks(
        encode_stream(make_block_events({"type": "redacted_thinking", "data": "x="}, []))
    )
    assert replies[0].content == (RedactedThinkingBlock(data="x="),)


def test_a_block_of_unknown_type_is_skipped() -> None:
    start: StreamEvent = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    delta: StreamEvent = {"type": "input_json_delta", "partial_json": "{"}
    _, _, replies = decode_chunks(encode_stream(make_block_events(start, [delta], "end_turn")))
    assert replies == [
        Reply((), "end_turn", Usage(input_tokens=3, output_tokens=1, requests=1), "m")
    ]


def test_an_empty_text_block_is_dropped() -> None:
    """The API would reject it in the next request."""
    _, _, replies = decode_chunks(
        encode_stream(make_block_events({"type": "text", "text": ""}, [], "end_turn"))
    )
    assert replies[0].content == ()


def test_the_last_usage_counts_of_a_stream_win() -> None:
    events = make_block_events({"type": "text", "text": "a"}, [], "end_turn")
    usage: StreamEvent = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": None}
    events[-2]["usage"] = usage
    _, _, replies = decode_chunks(encode_stream(events))
    assert replies[0].usage == Usage(input_tokens=5, output_tokens=7, requests=1)


def test_tool_input_is_joined_and_parsed_once() -> None:
    call = decode_tool_use('{"comm', 'and": "l', 's", "n": [1, 2.5, null]}')
    assert call.input == {"command": "ls", "n": [1, 2.5, None]}
    assert call.input_error == ""


def test_a_tool_call_without_input_gets_an_empty_one() -> None:
    assert decode_tool_use() == ToolUseBlock(id="t", name="bash")


def test_tool_input_sent_whole_at_the_start_is_accepted() -> None:
    assert decode_tool_use(whole={"command": "ls"}).input == {"command": "ls"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"command": "rm -rf build", "dry_run": tr', "EOF"),
        ('{"command": "ls", "command": "rm -rf ."}', "duplicate key"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate key"),
        ('{"a": NaN}', ""),
        ('{"a": -Infinity}', ""),
        ('{"a": 1e999}', "too large"),
        ('["ls"]', "not a JSON object"),
        ("null", "not a JSON object"),
        ("{} {}", "trailing"),
        ('{"a": "\\ud800"}', ""),
        ("[" * 100_000, ""),
        ('{"a": ' + "9" * 5_000 + "}", ""),
        (" ", ""),
    ],
    ids=lambda value: value[:20] if value else None,
)
def test_tool_input_that_is_no_json_object_is_rejected(text: str, problem: str) -> None:
    call = decode_tool_use(text)
    assert call.input == {}
    assert call.input_error
    assert problem in call.input_error


def test_tool_input_sent_both_whole_and_streamed_is_rejected() -> None:
    call = decode_tool_use('{"command": "rm"}', whole={"command": "ls"})
    assert (call.input, bool(call.input_error)) == ({}, True)


def drop_event(number: int) -> bytes:
    """Return a valid stream of six events without one of them."""
    events = make_block_events({"type": "text", "text": ""}, [{"type": "text_delta", "text": "a"}])
    return encode_stream([*events[:number], *events[number + 1 :]])


@pytest.mark.parametrize(
    "stream",
    [
        *(pytest.param(drop_event(n), id=f"without event {n}") for n in (0, 1, 3, 4)),
        pytest.param(b'data: {"type":\n\n', id="not JSON"),
        pytest.param(b"data: \xff\xfe\n\n", id="not UTF-8"),
        pytest.param(b"data: [1]\n\n", id="not an object"),
        pytest.param(b"data: {}\n\n", id="without a type"),
        pytest.param(STREAM.replace(b'"index":1', b'"index":7'), id="bad index"),
        pytest.param(STREAM.replace(b'"index":1', b'"index":"1"'), id="index is a string"),
        pytest.param(STREAM.replace(b'"text":" lese"', b'"text":5'), id="text is a number"),
        pytest.param(STREAM[: len(STREAM) // 2] + STREAM, id="second message_start"),
        pytest.param(
            encode_stream(
                make_block_events(
                    {"type": "text"}, [{"type": "input_json_delta", "partial_json": ""}]
                )
            ),
            id="delta in another block",
        ),
        pytest.param(b"<html>Welcome</html>\n\n", id="web page"),
        pytest.param(b"", id="empty"),
    ],
)
def test_a_protocol_violation_yields_an_error_and_no_reply(stream: bytes) -> None:
    assert decode_error(stream).reason == "protocol_error"


@pytest.mark.parametrize(
    ("block", "delta"),
    [
        ({"type": "text", "text": ""}, {"type": "text_delta", "text": "x" * 2**16}),
        ({"type": "thinking"}, {"type": "thinking_delta", "thinking": "x" * 2**16}),
        (
            {"type": "tool_use", "id": "t", "name": "bash"},
            {"type": "input_json_delta", "partial_json": "x" * 2**16},
        ),
    ],
    ids=["text", "thinking", "tool input"],
)
def test_a_reply_with_too_much_text_is_an_error(block: StreamEvent, delta: StreamEvent) -> None:
    stream = encode_stream(make_block_events(block, [delta] * 65))
    error = decode_error(*(stream[at : at + 2**16] for at in range(0, len(stream), 2**16)))
    assert error.reason == "protocol_error"
    assert "sent a reply with more than 4 MiB of text" in error.detail


def test_an_endless_event_does_not_fill_the_memory() -> None:
    parser = SseParser(max_event_bytes=1000)
    parser.feed(b"data: " + b"x" * 900)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        parser.feed(b"x" * 900)


def test_an_event_with_endless_lines_does_not_fill_the_memory() -> None:
    parser = SseParser(max_event_bytes=1000)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        parser.feed(b"data: xxxxxxxxx\n" * 200)


@pytest.mark.parametrize(
    ("error_type", "message", "reason"),
    [
        ("overloaded_error", "Overloaded", "overloaded"),
        ("api_error", "Internal server error", "server_error"),
        ("rate_limit_error", "Slow down", "rate_limited"),
        ("authentication_error", "invalid key", "unauthorized"),
        ("request_too_large", "too large", "context_too_long"),
        ("invalid_request_error", "prompt is too long: 5 > 4", "context_too_long"),
        ("invalid_request_error", "bad", "rejected"),
        ("new_error", "", "rejected"),
    ],
)
def test_an_error_event_is_classified_by_its_type(
    error_type: str, message: str, reason: str
) -> None:
    error: StreamEvent = {"type": "error", "error": {"type": error_type, "message": message}}
    failure = decode_error(STREAM[: len(STREAM) // 2], encode_event(error))
    assert failure.reason == reason
    assert message in failure.detail


def test_text_before_an_error_in_one_read_is_yielded() -> None:
    events: list[ReplyDelta | Reply] = []
    text = encode_stream(make_block_events({"type": "text", "text": "half"}, [])[:2])
    with pytest.raises(ModelError):
        events.extend(ReplyDecoder().feed(text + b"data: garbage\n\n"))
    assert events == [ReplyDelta(text="half", usage=Usage(input_tokens=3, requests=1))]


def test_control_characters_in_an_invalid_event_are_not_shown() -> None:
    event = {"type": "content_block_stop", "index": "\x1b]0;owned\x07" + "x" * 1_000}
    with pytest.raises(ModelError) as caught:
        list(ReplyDecoder().feed(encode_event(event)))
    assert caught.value.detail.isprintable()
    assert len(caught.value.detail) < 500
