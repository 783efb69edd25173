"""The simulated model and the real client are one port: a stream, then one reply or one error."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import get_args

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from messages.content import ToolUseBlock
from messages.model_events import ModelFailureReason
from tests.scripted_server import (
    ScriptedServer,
    respond_http_error,
    respond_text,
    respond_tool_call,
    truncate_response,
)
from tests.simulation.simulated_loop import make_random, make_simulated_loop
from tests.simulation.simulated_model import SimulatedModel

pytestmark = pytest.mark.quick

REQUEST = ModelRequest(
    model="claude-test",
    system="Be plain.",
    tools=(),
    messages=({"role": "user", "content": [{"type": "text", "text": "hi"}]},),
    max_tokens=100,
)
HELLO = respond_text("Hello there, how are you today?")
SERVER_SCRIPT = (
    HELLO,
    respond_tool_call("ls", path="."),
    truncate_response(HELLO, 300, "close"),
    respond_http_error(529, "overloaded_error", "busy"),
    respond_http_error(401, "authentication_error", "no key"),
    respond_http_error(400, "invalid_request_error", "no"),
)
StreamOutcome = tuple[list[ReplyDelta], list[Reply], ModelError | None]


async def collect_stream(events: AsyncIterator[ReplyDelta | Reply]) -> StreamOutcome:
    streamed: list[ReplyDelta] = []
    replies: list[Reply] = []
    try:
        async for event in events:
            if isinstance(event, Reply):
                replies.append(event)
            else:
                assert not replies, "something came behind the reply"
                streamed.append(event)
    except ModelError as error:
        return streamed, replies, error
    return streamed, replies, None


def run_real_model() -> list[StreamOutcome]:
    async def ask(url: str) -> list[StreamOutcome]:
        model = AnthropicClient(url, "key")
        try:
            return [await collect_stream(model.stream(REQUEST)) for _ in SERVER_SCRIPT]
        finally:
            await model.close()

    with ScriptedServer(*SERVER_SCRIPT) as server:
        return asyncio.run(ask(server.base_url))


def run_simulated_model() -> list[StreamOutcome]:
    model = SimulatedModel(make_random(3, "model"), lambda _asked: None, lambda _tag, _use: None)
    model.is_armed, model.violates_port = True, False

    async def ask() -> list[StreamOutcome]:
        return [await collect_stream(model.stream(REQUEST)) for _ in range(60)]

    loop = make_simulated_loop(make_random(1, "loop"))
    task = loop.create_task(ask())
    assert loop.run(task.done), "it hangs"
    return task.result()


@pytest.mark.parametrize("ask", [run_real_model, run_simulated_model])
def test_a_request_ends_in_one_reply_or_in_one_error_with_a_closed_reason(
    ask: Callable[[], list[StreamOutcome]],
) -> None:
    outcomes = ask()
    for _, replies, error in outcomes:
        assert len(replies) == (0 if error else 1)
        if error is not None:
            assert error.reason in get_args(ModelFailureReason)
            assert "\n" not in error.detail
    replies = [reply for _, (*all_of_it,), _ in outcomes for reply in all_of_it]
    assert any(error for *_, error in outcomes)
    assert any(streamed for streamed, *_ in outcomes)
    assert any(isinstance(block, ToolUseBlock) for reply in replies for block in reply.content)
