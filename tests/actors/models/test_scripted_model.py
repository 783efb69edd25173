"""The scripts through the real SDK, over loopback."""

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
    return ModelRequest("rehearsal", "", (), ({"role": "user", "content": prompt},), 1000)


async def collect_events(model: ScriptedModel, prompt: str) -> list[ReplyDelta | Reply]:
    return [event async for event in model.stream(make_request(prompt))]


def run_with_model(
    play: Callable[[ScriptedModel], Coroutine[None, None, None]], pace: float = 0
) -> None:
    async def run() -> None:
        model = ScriptedModel(make_default_reply, pace)
        try:
            await play(model)
        finally:
            await model.close()

    asyncio.run(run())


def test_a_script_answers_like_a_model() -> None:
    async def play(model: ScriptedModel) -> None:
        *streamed, reply = await collect_events(model, "hello")
        assert "".join(e.text for e in streamed if isinstance(e, ReplyDelta)) == HELP_TEXT
        assert isinstance(reply, Reply)
        assert reply.content == (TextBlock(text=HELP_TEXT),)
        assert (reply.stop_reason, reply.model) == ("end_turn", "rehearsal")
        assert reply.usage.requests == 1
        assert reply.usage.output_tokens > 50

    run_with_model(play)


def test_calls_of_one_conversation_never_share_an_id() -> None:
    async def play(model: ScriptedModel) -> None:
        ids: set[str] = set()
        for _ in range(3):
            reply = (await collect_events(model, "read a.txt"))[-1]
            assert isinstance(reply, Reply)
            ids |= {block.id for block in reply.content if isinstance(block, ToolUseBlock)}
        assert len(ids) == 3

    run_with_model(play)


def test_a_script_at_its_pace_arrives_in_many_pieces() -> None:
    async def play(model: ScriptedModel) -> None:
        assert len(await collect_events(model, "think")) > 20

    run_with_model(play, pace=0.01)


def test_leaving_a_long_answer_leaves_the_next_one_whole() -> None:
    async def play(model: ScriptedModel) -> None:
        begun = asyncio.Event()

        async def ask() -> None:
            async for _ in model.stream(make_request("long")):
                begun.set()

        leaving = asyncio.create_task(ask())
        await begun.wait()
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        reply = (await collect_events(model, "hello"))[-1]
        assert isinstance(reply, Reply)
        assert reply.content == (TextBlock(text=HELP_TEXT),)

    run_with_model(play, pace=0.01)


def test_a_fault_in_a_script_is_shown() -> None:
    def broken(_: Mapping[str, JsonValue]) -> ReplyPlan:
        raise LookupError("no such scene")  # noqa: EM101, TRY003  (a made-up fault)

    async def run() -> None:
        model = ScriptedModel(broken, 0)
        with pytest.raises(ModelError, match="the script failed: LookupError: no such scene"):
            await collect_events(model, "hello")
        await model.close()

    asyncio.run(run())


def test_a_closed_loopback_gives_its_port_back_even_in_mid_stream() -> None:
    async def run() -> int:
        loopback = await start_loopback_server(make_default_reply, pace=1)
        port = int(loopback.base_url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = b'{"messages":[{"role":"user","content":"long"}]}'
        writer.write(b"POST /v1/messages HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await reader.readuntil(b"content_block_delta")
        await loopback.close()
        assert len(await reader.read()) < len(LONG_ANSWER)
        writer.close()
        return port

    port = asyncio.run(run())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    "request_bytes", [b"", b"hello\r\n\r\n", b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{}"]
)
def test_what_is_no_request_is_turned_away(request_bytes: bytes) -> None:
    async def run() -> None:
        loopback = await start_loopback_server(make_default_reply, pace=0)
        port = int(loopback.base_url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_bytes)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await loopback.close()

    asyncio.run(run())
