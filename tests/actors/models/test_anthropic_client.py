"""`AnthropicClient` with the real SDK, against a server that succeeds and fails on request."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from actors.models.anthropic_client import IDLE_TIMEOUT_S, AnthropicClient
from actors.models.model_client import ModelError, ReplyDelta
from actors.models.read_coalescing import coalesce_reads
from actors.models.reply_decoder import ReplyDecoder
from actors.models.scripted_reply import ScriptedCall
from actors.models.server_sent_events import encode_event
from messages.content import TextBlock, ToolUseBlock
from tests.actors.models.client_requests import (
    HELLO,
    HELLO_TEXT,
    REQUEST,
    RequestOutcome,
    open_client,
    run_with_client,
    send_one_request,
    send_request,
    send_to,
)
from tests.scripted_server import (
    ScriptedResponse,
    ScriptedServer,
    respond_http_error,
    respond_raw_tool_call,
    respond_stream_error,
    respond_text,
    truncate_response,
)
from tests.simulation.simulated_loop import run_on_simulated_loop

pytestmark = pytest.mark.quick


def test_a_successful_response_streams_text_and_one_reply() -> None:
    outcome = send_one_request(respond_text("Hello there.", ScriptedCall("ls", {"path": "."})))
    assert outcome.text == "Hello there."
    reply = outcome.expect_reply()
    assert reply.content == (
        TextBlock(text="Hello there."),
        ToolUseBlock(id="toolu_0", name="ls", input={"path": "."}),
    )
    assert reply.stop_reason == "tool_use"


def test_a_request_has_all_fields_and_cache_markers() -> None:
    with ScriptedServer(HELLO) as server:
        send_to(server.base_url).expect_reply()
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert request.headers["authorization"] == "Bearer key"
    assert request.headers["x-greenroom-subagent"] == "review"
    assert request.body == {
        "model": "claude-test",
        "max_tokens": 100,
        "system": [
            {
                "type": "text",
                "text": "Be plain.",
                "cache_control": {"type": "ephemeral", "ttl": "1h"},
            }
        ],
        "tools": [{"name": "ls", "description": "List.", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "hi"}],
        "cache_control": {"type": "ephemeral"},
        "stream": True,
    }


def test_the_users_own_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with ScriptedServer(HELLO) as server:
        outcome = send_to(server.base_url, key="")
    assert outcome.expect_reply()
    assert outcome.text == HELLO_TEXT


def test_a_local_server_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    outcome = send_one_request(HELLO)
    assert outcome.expect_reply()
    assert outcome.text == HELLO_TEXT


@pytest.mark.parametrize(
    ("response", "reason", "text"),
    [
        (
            respond_http_error(400, "invalid_request_error", "tools.0: bad"),
            "rejected",
            "tools.0: bad",
        ),
        (
            respond_http_error(400, "invalid_request_error", "prompt is too long: 9 > 8"),
            "context_too_long",
            "9 > 8",
        ),
        (
            respond_http_error(401, "authentication_error", "invalid x-api-key"),
            "unauthorized",
            "_API_KEY",
        ),
        (respond_http_error(403, "permission_error", "no"), "unauthorized", "ANTHROPIC_API_KEY"),
        (respond_http_error(404, "not_found_error", "model: nope"), "rejected", "model: nope"),
        (respond_http_error(413, "request_too_large", "big"), "context_too_long", "new session"),
        (
            respond_http_error(429, "rate_limit_error", "slow", retry_after="7"),
            "rate_limited",
            "in 7 s",
        ),
        (respond_http_error(500, "api_error", "oops"), "server_error", "oops"),
        (
            respond_http_error(500, "api_error", "oops", x_should_retry="false"),
            "server_error",
            "oops",
        ),
        (respond_http_error(502, "api_error", "gateway"), "gateway_error", "gateway"),
        (respond_http_error(503, "api_error", "later"), "unavailable", "later"),
        (respond_http_error(529, "overloaded_error", "Overloaded"), "overloaded", "in a moment"),
        (respond_stream_error("overloaded_error", "Overloaded"), "overloaded", "Overloaded"),
        (respond_stream_error("api_error", "oops", HELLO), "server_error", "oops"),
        (
            truncate_response(HELLO, 600, "complete"),
            "stream_interrupted",
            "ended the reply too early",
        ),
        (truncate_response(HELLO, 600, "close"), "stream_interrupted", "was lost during the reply"),
        (truncate_response(HELLO, 600, "reset"), "stream_interrupted", "was lost during the reply"),
        (truncate_response(HELLO, 0, "complete"), "protocol_error", "an empty reply"),
        (
            ScriptedResponse(b"<html>\n<p>It works!</p>\n\n"),
            "protocol_error",
            "not an event stream",
        ),
        (ScriptedResponse(b"data: garbage\n\n"), "protocol_error", "Messages API"),
    ],
)
def test_every_failure_has_a_reason_and_one_clear_line(
    response: ScriptedResponse, reason: str, text: str
) -> None:
    error = send_one_request(response).expect_error()
    assert error.reason == reason
    assert text in error.detail


def test_the_sdk_does_not_retry_on_its_own() -> None:
    with ScriptedServer(respond_http_error(529, "overloaded_error", "Overloaded"), HELLO) as server:
        send_to(server.base_url).expect_error()
    assert len(server.requests) == 1


def test_a_silent_stream_ends_the_request() -> None:
    response = truncate_response(HELLO, 600, "silence")
    error = send_one_request(response, idle_timeout_s=0.05).expect_error()
    assert error.reason == "stream_interrupted"
    assert "sent nothing for 0.05 s" in error.detail


def test_an_unreachable_server_is_named_in_the_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed_port:
        url = f"http://127.0.0.1:{closed_port.getsockname()[1]}"
    error = send_to(url, key="").expect_error()
    assert error.reason == "unreachable"
    assert f"cannot reach {url}" in error.detail


def test_an_unknown_host_is_named_without_the_password() -> None:
    error = send_to("http://me:secret@model.invalid/api", key="").expect_error()
    assert error.reason == "unreachable"
    assert "http://model.invalid/api" in error.detail
    assert "secret" not in error.detail


@pytest.mark.parametrize("url", ["model.example:8000", "http://[::1", "ftp://model.example"])
def test_an_invalid_base_url_names_its_variable(url: str) -> None:
    error = send_to(url, key="").error
    assert error is not None
    assert "ANTHROPIC_BASE_URL" in error.detail


def test_a_tool_call_truncated_by_max_tokens_has_no_input() -> None:
    reply = send_one_request(
        respond_raw_tool_call("bash", '{"command": "ls", "tim', stop_reason="max_tokens")
    ).expect_reply()
    (call,) = reply.content
    assert isinstance(call, ToolUseBlock)
    assert (reply.stop_reason, call.input, bool(call.input_error)) == ("max_tokens", {}, True)


def test_cancelling_the_task_closes_the_connection() -> None:
    async def cancel_request(client: AnthropicClient) -> None:
        started = asyncio.Event()

        async def send() -> None:
            async for _ in client.stream(REQUEST):
                started.set()

        task = asyncio.create_task(send())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(server.wait_for_disconnects)

    with ScriptedServer(truncate_response(HELLO, 700, "silence")) as server:
        run_with_client(cancel_request, server.base_url, key="")


def test_consecutive_requests_share_one_connection() -> None:
    async def send_two(client: AnthropicClient) -> None:
        for _ in range(2):
            (await send_request(client)).expect_reply()

    with ScriptedServer(HELLO, HELLO) as server:
        run_with_client(send_two, server.base_url)
        assert server.connection_count == 1


def test_several_requests_run_in_parallel() -> None:
    async def send_five(client: AnthropicClient) -> list[RequestOutcome]:
        return await asyncio.gather(*(send_request(client) for _ in range(5)))

    with ScriptedServer(*(HELLO for _ in range(5))) as server:
        outcomes = run_with_client(send_five, server.base_url)
    assert all(outcome.expect_reply() for outcome in outcomes)
    assert {outcome.text for outcome in outcomes} == {HELLO_TEXT}


def test_chunks_available_without_waiting_are_joined() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"a"
        yield b"b"
        await asyncio.sleep(0)
        yield b"c"
        message = "gone"
        raise ConnectionError(message)

    async def collect() -> list[bytes]:
        reads = coalesce_reads(chunks(), idle_timeout_s=5)
        first_two = [await anext(reads), await anext(reads)]
        with pytest.raises(ConnectionError, match="gone"):
            await anext(reads)
        return first_two

    assert asyncio.run(collect()) == [b"ab", b"c"]


def test_a_stream_that_pings_is_not_cut_but_a_silent_one_is() -> None:
    ping = encode_event({"type": "ping"})

    async def send_pings() -> AsyncIterator[bytes]:
        for _ in range(100):
            await asyncio.sleep(IDLE_TIMEOUT_S - 1)
            yield ping
        await asyncio.Event().wait()

    async def count_pings() -> tuple[int, float]:
        count, loop = 0, asyncio.get_running_loop()
        decoder = ReplyDecoder()
        try:
            async for data in coalesce_reads(send_pings(), IDLE_TIMEOUT_S):
                assert list(decoder.feed(data)) == [ReplyDelta()]
                count += 1
        except TimeoutError:
            return count, loop.time()
        return count, 0

    assert run_on_simulated_loop(count_pings()) == (100, 100 * (IDLE_TIMEOUT_S - 1) + 60)


def test_without_a_key_the_error_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    error = send_to("", key="").expect_error()
    assert error.reason == "unauthorized"
    assert "set ANTHROPIC_API_KEY" in error.detail


def test_a_local_server_gets_over_a_hundred_parallel_requests() -> None:
    """A single HTTP client would make the 101st request wait."""
    request_count = 110
    all_arrived = asyncio.Barrier(request_count)
    keys: set[bytes] = set()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        keys.update(line for line in headers if line.startswith(b"authorization:"))
        await all_arrived.wait()
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async def send_all() -> list[RequestOutcome]:
        server = await asyncio.start_server(refuse, "127.0.0.1", 0, backlog=request_count)
        port = server.sockets[0].getsockname()[1]
        async with server, open_client(f"http://127.0.0.1:{port}", "key") as client:
            return await asyncio.gather(*(send_request(client) for _ in range(request_count)))

    outcomes = asyncio.run(send_all())
    assert [type(outcome.error) for outcome in outcomes] == [ModelError] * request_count
    assert keys == {b"authorization: bearer key"}
