"""Sends requests through `AnthropicClient`, for tests with a scripted server."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from actors.models.anthropic_client import IDLE_TIMEOUT_S, AnthropicClient
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.redaction.redaction import read_secrets
from messages.content import Usage
from tests.scripted_server import ScriptedResponse, ScriptedServer, respond_text

T = TypeVar("T")

HELLO_TEXT = "Hello there, how are you today?"
HELLO = respond_text(HELLO_TEXT)
REQUEST = ModelRequest(
    model="claude-test",
    system="Be plain.",
    tools=({"name": "ls", "description": "List.", "input_schema": {"type": "object"}},),
    messages=({"role": "user", "content": "hi"},),
    max_tokens=100,
    headers={"x-greenroom-subagent": "review"},
)


@dataclass
class RequestOutcome:
    """Everything that one request returned."""

    text: str = ""
    usage: Usage | None = None
    reply: Reply | None = None
    error: ModelError | None = None

    @property
    def error_fields(self) -> tuple[str, bool, float]:
        error = self.expect_error()
        return error.reason, error.is_retryable, error.retry_after_s

    def expect_error(self) -> ModelError:
        """Check that the request failed with a one-line error, and return the error."""
        assert self.error is not None
        assert self.reply is None, "the request failed but returned a reply"
        assert "\n" not in self.error.detail
        return self.error

    def expect_reply(self) -> Reply:
        """Check that the request succeeded, and return its reply."""
        assert self.error is None, self.error
        assert self.reply is not None
        return self.reply


async def send_request(client: AnthropicClient, request: ModelRequest = REQUEST) -> RequestOutcome:
    """Send a request and collect its outcome."""
    outcome = RequestOutcome()
    try:
        async with aclosing(client.stream(request)) as events:
            async for event in events:
                if isinstance(event, ReplyDelta):
                    outcome.text += event.text
                    outcome.usage = event.usage or outcome.usage
                else:
                    assert outcome.reply is None, "the request returned two replies"
                    outcome.reply = event
    except ModelError as error:
        outcome.error = error
    return outcome


@asynccontextmanager
async def open_client(
    url: str, key: str = "key", idle_timeout_s: float = IDLE_TIMEOUT_S
) -> AsyncGenerator[AnthropicClient, None]:
    secrets = read_secrets({"ANTHROPIC_API_KEY": key})
    client = AnthropicClient(url, key, idle_timeout_s=idle_timeout_s, secrets=secrets)
    try:
        yield client
    finally:
        await client.close()


def run_with_client(
    run: Callable[[AnthropicClient], Coroutine[None, None, T]],
    url: str,
    key: str = "key",
    idle_timeout_s: float = IDLE_TIMEOUT_S,
) -> T:
    """Run a function with a client that is closed afterward."""

    async def open_and_run() -> T:
        async with open_client(url, key, idle_timeout_s) as client:
            return await run(client)

    return asyncio.run(open_and_run())


def send_to(url: str, key: str = "key") -> RequestOutcome:
    """Send one request to a server with this URL."""
    return run_with_client(send_request, url, key)


def send_one_request(
    *responses: ScriptedResponse, key: str = "key", idle_timeout_s: float = IDLE_TIMEOUT_S
) -> RequestOutcome:
    """Send a request to a server with these responses; check that it is sent only once."""
    with ScriptedServer(*responses) as server:
        outcome = run_with_client(send_request, server.base_url, key, idle_timeout_s)
    assert len(server.requests) == 1, "the client retried on its own"
    return outcome
