"""The simulated and the real model client stream deltas, then one reply or one error."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import get_args

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from messages.content import ToolUseBlock
from messages.failure_reasons import ModelFailureReason
from tests.scripted_server import (
    ScriptedServer,
    respond_http_error,
    respond_text,
    respond_tool_call,
    truncate_response,
)
from tests.simulation.simulated_loop import make_random, run_on_simulated_loop
from tests.simulation.simulated_model import SimulatedModel

pytestmark = pytest.mark.quick

REQUEST = ModelRequest(
    model="claude-test",
    system="Be concise.",
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
                assert not replies, "an event follows the reply"
                streamed.append(event)
    except ModelError as error:
        return streamed, replies, error
    return streamed, replies, None


def run_real_model() -> list[StreamOutcome]:
    async def request_all(url: str) -> list[StreamOutcome]:
        model = AnthropicClient(url, "key")
        try:
            return [await collect_stream(model.stream(REQUEST)) for _ in SERVER_SCRIPT]
        finally:
            await model.close()

    with ScriptedServer(*SERVER_SCRIPT) as server:
        return asyncio.run(request_all(server.base_url))


def run_simulated_model() -> list[StreamOutcome]:
    model = SimulatedModel(make_random(3, "model"), lambda _request: None, lambda _tag, _call: None)
    model.is_armed, model.violates_port = True, False

    async def request_many() -> list[StreamOutcome]:
        return [await collect_stream(model.stream(REQUEST)) for _ in range(60)]

    return run_on_simulated_loop(request_many())


@pytest.mark.parametrize("run_model", [run_real_model, run_simulated_model])
def test_a_request_ends_with_one_reply_or_one_known_error(
    run_model: Callable[[], list[StreamOutcome]],
) -> None:
    outcomes = run_model()
    for _, replies, error in outcomes:
        assert len(replies) == (0 if error else 1)
        if error is not None:
            assert error.reason in get_args(ModelFailureReason)
            assert "\n" not in error.detail
    all_replies = [reply for _, replies, _ in outcomes for reply in replies]
    assert any(error for *_, error in outcomes)
    assert any(streamed for streamed, *_ in outcomes)
    assert any(isinstance(block, ToolUseBlock) for reply in all_replies for block in reply.content)
