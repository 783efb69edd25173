"""Each way a provider fails, over the real SDK, against a server that misbehaves on the wire.

One request each: the SDK never asks again by itself, and every fault says whether asking again
could help, and when the server wishes it. What a turn makes of that is the turn's own decision.
"""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.model_names import get_default_limits
from actors.models.scripted_reply import ScriptedCall
from messages.content import ToolUseBlock, Usage
from messages.model_events import ModelLimitsFound
from tests.scripted_server import (
    ResponseEnding,
    ScriptedResponse,
    ScriptedServer,
    respond_events,
    respond_http_error,
    respond_raw_tool_call,
    respond_stream_error,
    respond_text,
    truncate_response,
)

pytestmark = pytest.mark.quick

HELLO = respond_text("Hello there, how are you today?")
CALL = respond_text(
    "I will look.", ScriptedCall("bash", {"command": "rm -rf build", "dry_run": True})
)
REQUEST = ModelRequest(
    model="claude-test",
    system="Be plain.",
    tools=(),
    messages=({"role": "user", "content": "hi"},),
    max_tokens=100,
)


@asynccontextmanager
async def open_client(url: str, idle_s: float = 5.0) -> AsyncGenerator[AnthropicClient, None]:
    model = AnthropicClient(url, "key", idle_timeout_s=idle_s)
    try:
        yield model
    finally:
        await model.close()


@dataclass
class RequestOutcome:
    """All that came of one request."""

    text: str = ""
    usage: Usage | None = None
    reply: Reply | None = None
    error: ModelError | None = None

    @property
    def error_fields(self) -> tuple[str, bool, float]:
        assert self.error is not None
        assert self.reply is None, "a reply came though the request failed"
        assert "\n" not in self.error.detail
        return self.error.reason, self.error.is_retryable, self.error.retry_after_s


async def send_request(model: AnthropicClient) -> RequestOutcome:
    heard = RequestOutcome()
    try:
        async with aclosing(model.stream(REQUEST)) as events:
            async for event in events:
                if isinstance(event, ReplyDelta):
                    heard.text += event.text
                    heard.usage = event.usage or heard.usage
                else:
                    heard.reply = event
    except ModelError as error:
        heard.error = error
    return heard


def send_one_request(*answers: ScriptedResponse, idle_s: float = 5.0) -> RequestOutcome:
    """Ask a server with these answers once; it must not be asked twice."""

    async def once(server: ScriptedServer) -> RequestOutcome:
        async with open_client(server.base_url, idle_s) as model:
            return await send_request(model)

    with ScriptedServer(*answers) as server:
        result = asyncio.run(once(server))
    assert len(server.requests) == 1, "it asked again by itself"
    return result


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (408, "gateway"),
        (409, "rejected"),
        (429, "rate_limited"),
        (500, "server_failed"),
        (502, "gateway"),
        (503, "unavailable"),
        (504, "gateway"),
        (529, "overloaded"),
    ],
)
def test_row_1_a_server_in_trouble_may_be_asked_again(status: int, reason: str) -> None:
    assert send_one_request(respond_http_error(status, "api_error", "later")).error_fields == (
        reason,
        True,
        0,
    )


@pytest.mark.parametrize(
    ("headers", "wish_s"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "4294967"}, 4_294_967),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        (
            {
                "date": "Sat, 21 Nov 2026 11:00:00 GMT",
                "retry_after": "Sat, 21 Nov 2026 11:00:30 GMT",
            },
            30,
        ),
        (
            {
                "date": "Sat, 21 Nov 2026 11:00:00 GMT",
                "retry_after": "Sat, 21 Nov 2026 10:00:00 GMT",
            },
            0,
        ),
        ({"retry_after": "Sat, 21 Nov 2026 11:00:30 GMT"}, 0),
        ({"retry_after": "nan"}, 0),
        ({"retry_after": "-3"}, 0),
        ({"retry_after": "soon"}, 0),
    ],
)
def test_row_2_the_servers_wish_is_read_from_whatever_form_it_has(
    headers: dict[str, str], wish_s: float
) -> None:
    busy = respond_http_error(529, "overloaded_error", "busy", **headers)
    assert send_one_request(busy).error_fields == ("overloaded", True, wish_s)


@pytest.mark.parametrize(
    ("answer", "retry"),
    [
        (respond_http_error(500, "api_error", "oops", x_should_retry="false"), False),
        (respond_http_error(400, "invalid_request_error", "odd", x_should_retry="true"), True),
    ],
)
def test_row_3_what_the_server_says_about_asking_again_counts(
    answer: ScriptedResponse, retry: bool
) -> None:  # noqa: FBT001  (a parameter of the test)
    assert send_one_request(answer).error_fields[1] is retry


def test_row_4_a_connection_that_is_reset_before_the_answer_may_be_tried_again() -> None:
    """The connection is taken and dropped, without a byte."""

    async def once(url: str) -> RequestOutcome:
        async with open_client(url) as model:
            return await send_request(model)

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drop() -> None:
            connection, _ = listening.accept()
            connection.recv(1)
            connection.close()

        dropping = threading.Thread(target=drop, daemon=True)
        dropping.start()
        failed = asyncio.run(once(f"http://127.0.0.1:{listening.getsockname()[1]}"))
        dropping.join(5)
    assert failed.error_fields == ("unreachable", True, 0)


@pytest.mark.parametrize(
    ("answer", "reason", "advice"),
    [
        (respond_http_error(400, "invalid_request_error", "odd"), "rejected", "odd"),
        (
            respond_http_error(401, "authentication_error", "bad key"),
            "unauthorized",
            "set ANTHROPIC_API_KEY",
        ),
        (
            respond_http_error(403, "permission_error", "no"),
            "unauthorized",
            "set ANTHROPIC_API_KEY",
        ),
        (
            respond_http_error(404, "not_found_error", "model: x"),
            "rejected",
            "choose one by --model or /model",
        ),
        (respond_http_error(413, "request_too_large", "big"), "too_long", "start a new session"),
        (
            respond_http_error(400, "invalid_request_error", "prompt is too long: 9 > 8"),
            "too_long",
            "start a new session",
        ),
        (
            ScriptedResponse(b"<html>nothing</html>", 404, {"content-type": "text/html"}),
            "rejected",
            "check ANTHROPIC_BASE_URL",
        ),
        (
            ScriptedResponse(b"", 302, {"location": "http://127.0.0.1:9/"}),
            "rejected",
            "check ANTHROPIC_BASE_URL",
        ),
        (
            ScriptedResponse(b"<html>nothing</html>", 200, {"content-type": "text/html"}),
            "protocol",
            "check that ANTHROPIC_BASE_URL is right",
        ),
    ],
)
def test_row_5_what_cannot_succeed_is_not_tried_again_and_says_what_to_do(
    answer: ScriptedResponse, reason: str, advice: str
) -> None:
    failed = send_one_request(answer)
    assert failed.error_fields == (reason, False, 0)
    assert advice in str(failed.error)
    assert "<html>" not in str(failed.error)


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_row_6_a_stream_that_is_cut_keeps_its_text_and_gives_no_reply(
    ending: ResponseEnding,
) -> None:
    failed = send_one_request(truncate_response(CALL, 900, ending))
    assert failed.error_fields == ("cut_off", True, 0)
    assert "I will look.".startswith(failed.text)
    assert failed.usage is not None
    assert failed.usage.requests == 1


@pytest.mark.parametrize(
    ("kind", "reason", "retry"),
    [
        ("overloaded_error", "overloaded", True),
        ("api_error", "server_failed", True),
        ("rate_limit_error", "rate_limited", True),
        ("timeout_error", "server_failed", True),
        ("invalid_request_error", "rejected", False),
        ("authentication_error", "unauthorized", False),
    ],
)
def test_row_7_an_error_event_under_status_200_is_told_by_its_type(
    kind: str,
    reason: str,
    retry: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    assert send_one_request(respond_stream_error(kind, "why", HELLO)).error_fields == (
        reason,
        retry,
        0,
    )


def test_row_8_a_stream_that_ends_in_order_without_its_last_event_is_no_success() -> None:
    end = CALL.body.rindex(b"event: message_stop")
    for after_bytes in (end, CALL.body.rindex(b"event: message_delta"), 900):
        assert send_one_request(truncate_response(CALL, after_bytes, "complete")).error_fields == (
            "cut_off",
            True,
            0,
        )


def test_row_9_a_call_that_the_output_limit_cut_has_no_arguments() -> None:
    done = send_one_request(
        respond_raw_tool_call("bash", '{"command": "ls", "tim', stop_reason="max_tokens")
    )
    assert done.reply is not None
    assert done.reply.stop_reason == "max_tokens"
    (call,) = done.reply.content
    assert isinstance(call, ToolUseBlock)
    assert call.input == {}


@pytest.mark.parametrize(
    "pieces",
    [
        ('{"command": "true", ', '"command": "rm -rf /"}'),
        ('{"command": "rm -rf build", "dry_run": tr',),
        ("not json",),
    ],
    ids=["row 10: a key twice", "row 11: cut", "row 11: no JSON"],
)
def test_rows_10_and_11_arguments_that_are_not_one_strict_object_are_none(
    pieces: tuple[str, ...],
) -> None:
    done = send_one_request(respond_raw_tool_call("bash", *pieces))
    assert done.reply is not None
    (call,) = done.reply.content
    assert isinstance(call, ToolUseBlock)
    assert (call.input, bool(call.input_error)) == ({}, True)


@pytest.mark.parametrize(
    "answer",
    [
        ScriptedResponse(b"data: garbage\n\n"),
        ScriptedResponse(b'data: {"type": "message_stop"}\n\n'),
        respond_events([{"type": "content_block_stop", "index": 7}]),
        truncate_response(HELLO, 0, "complete"),
    ],
    ids=["no JSON", "wrong order", "bad index", "nothing"],
)
def test_row_12_what_is_not_the_messages_api_is_refused_for_good(answer: ScriptedResponse) -> None:
    assert send_one_request(answer).error_fields == ("protocol", False, 0)


def test_row_13_unknown_events_pass_and_an_unknown_stop_reason_is_handed_on() -> None:
    strange = ScriptedResponse(b'data: {"type": "weather", "sunny": true}\n\n' + HELLO.body)
    assert send_one_request(strange).reply == send_one_request(HELLO).reply
    odd = send_one_request(respond_text("So.", stop_reason="a_new_reason"))
    assert odd.reply is not None
    assert odd.reply.stop_reason == "a_new_reason"


def test_row_14_silence_in_mid_stream_ends_after_a_time_of_our_own() -> None:
    failed = send_one_request(truncate_response(CALL, 900, "silence"), idle_s=0.05)
    assert failed.error_fields == ("cut_off", True, 0)
    assert "silent for 0.05 s" in str(failed.error)


def test_a_wish_in_the_head_of_a_stream_that_fails_later_counts_too() -> None:
    head = {"content-type": "text/event-stream", "retry-after": "3", "x-should-retry": "false"}
    assert send_one_request(
        replace(truncate_response(HELLO, 600, "close"), headers=head)
    ).error_fields == ("cut_off", False, 3)


def test_a_server_that_refuses_the_connection_may_be_there_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

    async def once() -> RequestOutcome:
        async with open_client(url) as model:
            return await send_request(model)

    assert asyncio.run(once()).error_fields == ("unreachable", True, 0)


def test_a_key_that_the_server_quotes_is_not_told() -> None:
    key = "a-key-of-some-length"
    quoting = (
        respond_http_error(401, "authentication_error", f"bad key {key}"),
        respond_stream_error("overloaded_error", f"not for {key}"),
    )
    assert [str(send_with_key(key, each)).count(key) for each in quoting] == [0, 0]
    assert "[secret]" in str(send_with_key(key, quoting[0]))


def send_with_key(key: str, answer: ScriptedResponse) -> ModelError | None:
    async def once(url: str) -> RequestOutcome:
        model = AnthropicClient(url, key)
        try:
            return await send_request(model)
        finally:
            await model.close()

    with ScriptedServer(answer) as server:
        return asyncio.run(once(server.base_url)).error


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:99999", "port"),
        ("http://me:password@[::1", "Invalid IPv6 URL"),
        ("me:password@127.0.0.1", "protocol"),
    ],
)
def test_what_is_no_url_is_told_without_a_password(url: str, said: str) -> None:
    async def once() -> RequestOutcome:
        async with open_client(url) as model:
            return await send_request(model)

    told = str(asyncio.run(once()).error)
    assert said in told
    assert "password" not in told


# What a model takes.


def look_up_limits(answer: ScriptedResponse | None) -> tuple[ModelLimitsFound | None, list[str]]:
    async def once(server: ScriptedServer) -> ModelLimitsFound | None:
        async with open_client(server.base_url) as model:
            return await model.look_up_limits("claude-test")

    with ScriptedServer(limits_response=answer) as server:
        return asyncio.run(once(server)), [each.path for each in server.limits_requests]


def test_what_a_model_takes_is_read_from_its_server() -> None:
    told = ScriptedResponse(
        b'{"id": "claude-test", "type": "model", "display_name": "Test",'
        b'"created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 5000, "max_tokens": 700}',
        headers={"content-type": "application/json"},
    )
    assert look_up_limits(told) == (
        ModelLimitsFound(model="claude-test", max_context_tokens=5_000, max_output_tokens=700),
        ["/v1/models/claude-test"],
    )


@pytest.mark.parametrize(
    "answer",
    [
        None,
        ScriptedResponse(b"<html></html>", headers={"content-type": "text/html"}),
        ScriptedResponse(b'{"id": "claude-test"}', headers={"content-type": "application/json"}),
        ScriptedResponse(
            b'{"max_input_tokens": "many"}', headers={"content-type": "application/json"}
        ),
        ScriptedResponse(b'{"id"', headers={"content-type": "application/json"}, ending="reset"),
    ],
    ids=["404", "a page", "no figures", "odd figures", "cut"],
)
def test_a_server_that_does_not_say_what_a_model_takes_does_no_harm(
    answer: ScriptedResponse | None,
) -> None:
    assert look_up_limits(answer)[0] is None


def test_without_a_server_the_figures_are_those_we_know() -> None:
    assert get_default_limits("claude-opus-5-5").max_context_tokens == 1_000_000
    assert get_default_limits("somebody-elses").max_context_tokens == 200_000
