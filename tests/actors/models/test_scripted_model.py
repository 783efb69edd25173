"""The scripted model through the real SDK, over loopback."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Mapping

import pytest
from pydantic import JsonValue

from actors.models.default_script import HELP_TEXT, LONG_ANSWER, make_default_reply
from actors.models.loopback_server import start_loopback_server
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.scripted_model import ScriptedModel
from actors.models.scripted_reply import ReplyPlan
from messages.content import TextBlock, ToolUseBlock

pytestmark = pytest.mark.quick


def make_request(prompt: str) -> ModelRequest:
    return ModelRequest("scripted", "", (), ({"role": "user", "content": prompt},), 1000)


async def collect_events(model: ScriptedModel, prompt: str) -> list[ReplyDelta | Reply]:
    return [event async for event in model.stream(make_request(prompt))]


def run_with_model(
    test: Callable[[ScriptedModel], Coroutine[None, None, None]], pace: float = 0
) -> None:
    async def run() -> None:
        model = ScriptedModel(make_default_reply, pace)
        try:
            await test(model)
        finally:
            await model.close()

    asyncio.run(run())


def test_a_script_streams_a_reply_like_a_model() -> None:
    async def run(model: ScriptedModel) -> None:
        *streamed, reply = await collect_events(model, "hello")
        assert "".join(e.text for e in streamed if isinstance(e, ReplyDelta)) == HELP_TEXT
        assert isinstance(reply, Reply)
        assert reply.content == (TextBlock(text=HELP_TEXT),)
        assert (reply.stop_reason, reply.model) == ("end_turn", "scripted")
        assert reply.usage.requests == 1
        assert reply.usage.output_tokens > 50

    run_with_model(run)


def test_tool_calls_of_a_conversation_have_unique_ids() -> None:
    async def run(model: ScriptedModel) -> None:
        ids: set[str] = set()
        for _ in range(3):
            reply = (await collect_events(model, "read a.txt"))[-1]
            assert isinstance(reply, Reply)
            ids |= {block.id for block in reply.content if isinstance(block, ToolUseBlock)}
        assert len(ids) == 3

    run_with_model(run)


def test_a_script_with_pauses_arrives_in_many_deltas() -> None:
    async def run(model: ScriptedModel) -> None:
        assert len(await collect_events(model, "think")) > 20

    run_with_model(run, pace=0.01)


def test_a_cancelled_reply_does_not_affect_the_next() -> None:
    async def run(model: ScriptedModel) -> None:
        started = asyncio.Event()

        async def send() -> None:
            async for _ in model.stream(make_request("long")):
                started.set()

        task = asyncio.create_task(send())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        reply = (await collect_events(model, "hello"))[-1]
        assert isinstance(reply, Reply)
        assert reply.content == (TextBlock(text=HELP_TEXT),)

    run_with_model(run, pace=0.01)


def test_an_exception_in_a_script_is_reported() -> None:
    def broken(_: Mapping[str, JsonValue]) -> ReplyPlan:
        raise LookupError("no such step")  # noqa: EM101, TRY003  (a test error)

    async def run() -> None:
        model = ScriptedModel(broken, 0)
        with pytest.raises(ModelError, match="the script failed: LookupError: no such step"):
            await collect_events(model, "hello")
        await model.close()

    asyncio.run(run())


def test_closing_the_server_frees_its_port_while_streaming() -> None:
    async def run() -> int:
        server = await start_loopback_server(make_default_reply, pace=1)
        port = int(server.base_url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = b'{"messages":[{"role":"user","content":"long"}]}'
        writer.write(b"POST /v1/messages HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await reader.readuntil(b"content_block_delta")
        await server.close()
        assert len(await reader.read()) < len(LONG_ANSWER)
        writer.close()
        return port

    port = asyncio.run(run())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    "request_bytes", [b"", b"hello\r\n\r\n", b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{}"]
)
def test_an_invalid_request_is_closed_without_a_response(request_bytes: bytes) -> None:
    async def run() -> None:
        server = await start_loopback_server(make_default_reply, pace=0)
        port = int(server.base_url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_bytes)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await server.close()

    asyncio.run(run())
