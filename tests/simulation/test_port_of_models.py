"""The simulated model and the real client are one port: a stream, then one reply or one error."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import get_args

import pytest

from actors.models.anthropic_client import AnthropicModel
from actors.models.client import ModelError, ModelRequest, Reply, Streamed
from messages.content import ToolUseBlock
from messages.models import ModelFailureReason
from tests.scripted_server import ScriptedServer, calls, cut, fails, says
from tests.simulation.loop import random_of, sim_loop
from tests.simulation.model import SimulatedModel

pytestmark = pytest.mark.quick

REQUEST = ModelRequest(
    model="claude-test",
    system="Be plain.",
    tools=(),
    messages=({"role": "user", "content": [{"type": "text", "text": "hi"}]},),
    max_tokens=100,
)
HELLO = says("Hello there, how are you today?")
SCRIPT = (
    HELLO,
    calls("ls", path="."),
    cut(HELLO, 300, "close"),
    fails(529, "overloaded_error", "busy"),
    fails(401, "authentication_error", "no key"),
    fails(400, "invalid_request_error", "no"),
)
Heard = tuple[list[Streamed], list[Reply], ModelError | None]


async def heard(events: AsyncIterator[Streamed | Reply]) -> Heard:
    streamed: list[Streamed] = []
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


def real() -> list[Heard]:
    async def ask(url: str) -> list[Heard]:
        model = AnthropicModel(url, "key")
        try:
            return [await heard(model.stream(REQUEST)) for _ in SCRIPT]
        finally:
            await model.close()

    with ScriptedServer(*SCRIPT) as server:
        return asyncio.run(ask(server.base_url))


def simulated() -> list[Heard]:
    model = SimulatedModel(random_of(3, "model"), lambda _asked: None, lambda _tag, _use: None)
    model.armed, model.breaks_its_promise = True, False

    async def ask() -> list[Heard]:
        return [await heard(model.stream(REQUEST)) for _ in range(60)]

    loop = sim_loop(random_of(1, "loop"))
    task = loop.create_task(ask())
    assert loop.run(task.done), "it hangs"
    return task.result()


@pytest.mark.parametrize("ask", [real, simulated])
def test_a_request_ends_in_one_reply_or_in_one_error_with_a_closed_reason(
    ask: Callable[[], list[Heard]],
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
