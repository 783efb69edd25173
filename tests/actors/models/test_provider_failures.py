"""Every way in which a provider can fail, with the real SDK and a misbehaving server.

Each test sends one request. The SDK never retries. Each error says whether and when a retry could
help; the turn decides about it.
"""

import socket
import threading
from dataclasses import replace

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_names import get_default_limits
from actors.models.scripted_reply import ScriptedCall
from messages.content import ToolUseBlock
from messages.model_limits import ModelLimitsFound
from tests.actors.models.client_requests import HELLO, run_with_client, send_one_request, send_to
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

CALL = respond_text(
    "I will look.", ScriptedCall("bash", {"command": "rm -rf build", "dry_run": True})
)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (408, "gateway_error"),
        (409, "rejected"),
        (429, "rate_limited"),
        (500, "server_error"),
        (502, "gateway_error"),
        (503, "unavailable"),
        (504, "gateway_error"),
        (529, "overloaded"),
    ],
)
def test_a_temporary_server_error_is_retryable(status: int, reason: str) -> None:
    assert send_one_request(respond_http_error(status, "api_error", "later")).error_fields == (
        reason,
        True,
        0,
    )


@pytest.mark.parametrize(
    ("headers", "retry_after_s"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "300"}, 300),
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
def test_every_form_of_the_retry_delay_is_parsed(
    headers: dict[str, str], retry_after_s: float
) -> None:
    busy = respond_http_error(529, "overloaded_error", "busy", **headers)
    assert send_one_request(busy).error_fields == ("overloaded", True, retry_after_s)


@pytest.mark.parametrize(
    ("response", "is_retryable"),
    [
        (respond_http_error(500, "api_error", "oops", x_should_retry="false"), False),
        (
            respond_http_error(400, "invalid_request_error", "bad input", x_should_retry="true"),
            True,
        ),
    ],
)
def test_the_servers_retry_header_overrides_the_status(
    response: ScriptedResponse,
    is_retryable: bool,  # noqa: FBT001  (a test parameter)
) -> None:
    assert send_one_request(response).error_fields[1] is is_retryable


def test_a_connection_closed_before_the_response_is_retryable() -> None:
    """The server accepts the connection and closes it without sending a byte."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def close_connection() -> None:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.close()

        thread = threading.Thread(target=close_connection, daemon=True)
        thread.start()
        outcome = send_to(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join(5)
    assert outcome.error_fields == ("unreachable", True, 0)


@pytest.mark.parametrize(
    ("response", "reason", "advice"),
    [
        (respond_http_error(400, "invalid_request_error", "bad input"), "rejected", "bad input"),
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
            "choose another one with --model or /model",
        ),
        (
            respond_http_error(413, "request_too_large", "big"),
            "context_too_long",
            "start a new session",
        ),
        (
            respond_http_error(400, "invalid_request_error", "prompt is too long: 9 > 8"),
            "context_too_long",
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
            "protocol_error",
            "check ANTHROPIC_BASE_URL",
        ),
    ],
)
def test_a_permanent_error_says_what_to_do(
    response: ScriptedResponse, reason: str, advice: str
) -> None:
    outcome = send_one_request(response)
    assert outcome.error_fields == (reason, False, 0)
    assert advice in str(outcome.error)
    assert "<html>" not in str(outcome.error)


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_an_interrupted_stream_keeps_its_text_without_a_reply(
    ending: ResponseEnding,
) -> None:
    outcome = send_one_request(truncate_response(CALL, 900, ending))
    assert outcome.error_fields == ("stream_interrupted", True, 0)
    assert "I will look.".startswith(outcome.text)
    assert outcome.usage is not None
    assert outcome.usage.requests == 1


@pytest.mark.parametrize(
    ("error_type", "reason", "is_retryable"),
    [
        ("overloaded_error", "overloaded", True),
        ("api_error", "server_error", True),
        ("rate_limit_error", "rate_limited", True),
        ("timeout_error", "server_error", True),
        ("invalid_request_error", "rejected", False),
        ("authentication_error", "unauthorized", False),
    ],
)
def test_an_error_event_in_a_stream_is_classified_by_type(
    error_type: str,
    reason: str,
    is_retryable: bool,  # noqa: FBT001  (a test parameter)
) -> None:
    assert send_one_request(respond_stream_error(error_type, "why", HELLO)).error_fields == (
        reason,
        is_retryable,
        0,
    )


def test_a_stream_without_its_last_event_is_no_success() -> None:
    end = CALL.body.rindex(b"event: message_stop")
    for after_bytes in (end, CALL.body.rindex(b"event: message_delta"), 900):
        assert send_one_request(truncate_response(CALL, after_bytes, "complete")).error_fields == (
            "stream_interrupted",
            True,
            0,
        )


def test_a_tool_call_at_the_output_limit_has_no_arguments() -> None:
    outcome = send_one_request(
        respond_raw_tool_call("bash", '{"command": "ls", "tim', stop_reason="max_tokens")
    )
    reply = outcome.expect_reply()
    assert reply.stop_reason == "max_tokens"
    (call,) = reply.content
    assert isinstance(call, ToolUseBlock)
    assert call.input == {}


@pytest.mark.parametrize(
    "pieces",
    [
        ('{"command": "true", ', '"command": "rm -rf /"}'),
        ('{"command": "rm -rf build", "dry_run": tr',),
        ("not json",),
    ],
    ids=["duplicate key", "truncated", "not JSON"],
)
def test_invalid_tool_arguments_are_dropped_with_an_error(
    pieces: tuple[str, ...],
) -> None:
    outcome = send_one_request(respond_raw_tool_call("bash", *pieces))
    (call,) = outcome.expect_reply().content
    assert isinstance(call, ToolUseBlock)
    assert (call.input, bool(call.input_error)) == ({}, True)


@pytest.mark.parametrize(
    "response",
    [
        ScriptedResponse(b"data: garbage\n\n"),
        ScriptedResponse(b'data: {"type": "message_stop"}\n\n'),
        respond_events([{"type": "content_block_stop", "index": 7}]),
        truncate_response(HELLO, 0, "complete"),
    ],
    ids=["not JSON", "wrong order", "bad index", "empty"],
)
def test_a_protocol_violation_is_a_permanent_error(response: ScriptedResponse) -> None:
    assert send_one_request(response).error_fields == ("protocol_error", False, 0)


def test_unknown_events_are_ignored_and_stop_reasons_are_kept() -> None:
    with_unknown_event = ScriptedResponse(
        b'data: {"type": "weather", "sunny": true}\n\n' + HELLO.body
    )
    assert send_one_request(with_unknown_event).reply == send_one_request(HELLO).reply
    outcome = send_one_request(respond_text("So.", stop_reason="a_new_reason"))
    assert outcome.expect_reply().stop_reason == "a_new_reason"


def test_a_silent_stream_ends_after_the_idle_timeout() -> None:
    outcome = send_one_request(truncate_response(CALL, 900, "silence"), idle_timeout_s=0.05)
    assert outcome.error_fields == ("stream_interrupted", True, 0)
    assert "sent nothing for 0.05 s" in str(outcome.error)


def test_retry_headers_apply_to_streams_that_fail_later() -> None:
    headers = {"content-type": "text/event-stream", "retry-after": "3", "x-should-retry": "false"}
    assert send_one_request(
        replace(truncate_response(HELLO, 600, "close"), headers=headers)
    ).error_fields == ("stream_interrupted", False, 3)


def test_a_refused_connection_is_retryable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed_port:
        url = f"http://127.0.0.1:{closed_port.getsockname()[1]}"
    assert send_to(url).error_fields == ("unreachable", True, 0)


def test_a_key_quoted_by_the_server_is_redacted() -> None:
    key = "a-key-of-some-length"
    responses = (
        respond_http_error(401, "authentication_error", f"bad key {key}"),
        respond_stream_error("overloaded_error", f"not for {key}"),
    )
    errors = [str(send_one_request(response, key=key).error) for response in responses]
    assert [error.count(key) for error in errors] == [0, 0]
    assert "[secret]" in errors[0]


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://127.0.0.1:99999", "port"),
        ("http://me:password@[::1", "Invalid IPv6 URL"),
        ("me:password@127.0.0.1", "protocol"),
    ],
)
def test_an_invalid_url_is_shown_without_its_password(url: str, text: str) -> None:
    detail = str(send_to(url).error)
    assert text in detail
    assert "password" not in detail


# Model limits.


def look_up_limits(response: ScriptedResponse | None) -> tuple[ModelLimitsFound | None, list[str]]:
    async def look_up(client: AnthropicClient) -> ModelLimitsFound | None:
        return await client.look_up_limits("claude-test")

    with ScriptedServer(limits_response=response) as server:
        limits = run_with_client(look_up, server.base_url)
    return limits, [request.path for request in server.limits_requests]


def test_model_limits_are_read_from_the_server() -> None:
    response = ScriptedResponse(
        b'{"id": "claude-test", "type": "model", "display_name": "Test",'
        b'"created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 5000, "max_tokens": 700}',
        headers={"content-type": "application/json"},
    )
    assert look_up_limits(response) == (
        ModelLimitsFound(model="claude-test", max_context_tokens=5_000, max_output_tokens=700),
        ["/v1/models/claude-test"],
    )


@pytest.mark.parametrize(
    "response",
    [
        None,
        ScriptedResponse(b"<html></html>", headers={"content-type": "text/html"}),
        ScriptedResponse(b'{"id": "claude-test"}', headers={"content-type": "application/json"}),
        ScriptedResponse(
            b'{"max_input_tokens": "many"}', headers={"content-type": "application/json"}
        ),
        ScriptedResponse(b'{"id"', headers={"content-type": "application/json"}, ending="reset"),
    ],
    ids=["404", "web page", "no limits", "invalid limits", "interrupted"],
)
def test_a_server_without_model_limits_causes_no_error(
    response: ScriptedResponse | None,
) -> None:
    assert look_up_limits(response)[0] is None


def test_default_limits_apply_without_a_server() -> None:
    assert get_default_limits("claude-opus-5-5").max_context_tokens == 1_000_000
    assert get_default_limits("unknown-model").max_context_tokens == 200_000
