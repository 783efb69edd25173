"""Compaction by the provider: what is sent, what is read, and which errors are about its block."""

from dataclasses import replace

import pytest
from pydantic import JsonValue
from pydantic_core import from_json

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelRequest
from actors.models.scripted_reply import ReplyPlan
from messages.content import Usage
from tests.actors.models.client_requests import (
    REQUEST,
    RequestOutcome,
    run_with_client,
    send_request,
)
from tests.scripted_server import ScriptedResponse, ScriptedServer, respond_http_error, respond_text
from tests.signing_server import COMPACTION_BETA, SigningServer

pytestmark = pytest.mark.quick

TEXT: dict[str, JsonValue] = {"type": "text", "text": "hi"}
BLOCK: dict[str, JsonValue] = {"type": "compaction", "content": "A summary.", "signature": "s"}
THINKING = "messages.1.content.0: Invalid `signature` in `thinking` block."


def make_request(*content: dict[str, JsonValue]) -> ModelRequest:
    return replace(REQUEST, messages=({"role": "user", "content": [*content]},))


def send(server: ScriptedServer, request: ModelRequest) -> RequestOutcome:
    async def send_once(client: AnthropicClient) -> RequestOutcome:
        return await send_request(client, request)

    with server:
        return run_with_client(send_once, server.base_url)


def test_a_compaction_block_is_kept_exactly_as_received() -> None:
    server = SigningServer(compacts=True)
    request = replace(make_request(TEXT), compaction={"type": "summarize"})
    reply = send(server, request).expect_reply()
    assert (reply.content, reply.stop_reason) == ((), "compaction")
    assert reply.usage == Usage(input_tokens=70, output_tokens=7, requests=1)
    block = from_json(reply.compaction_block)
    assert set(block) == {"type", "content", "signature"}
    continued = send(SigningServer(ReplyPlan("ok")), make_request(block, TEXT))
    assert continued.text == "ok"


def test_a_model_without_the_capability_is_not_asked_for_a_block() -> None:
    server = SigningServer(compacts=False)
    request = replace(make_request(TEXT), compaction={"type": "summarize"})
    outcome = send(server, request)
    assert "does not announce compaction" in outcome.expect_error().detail
    assert server.requests == []
    assert server.limits_requests[0].headers["anthropic-beta"] == COMPACTION_BETA


def test_a_request_without_a_block_sends_no_beta() -> None:
    server = ScriptedServer(respond_text("ok"))
    assert send(server, make_request(TEXT)).text == "ok"
    assert "anthropic-beta" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("content", "status", "message", "reason"),
    [
        (BLOCK, 400, "The compaction block's signature is invalid.", "compaction_rejected"),
        (BLOCK, 400, "compaction_signature_invalid: see `thinking`", "compaction_rejected"),
        (BLOCK, 422, "messages.0.content.0: unknown content block", "compaction_rejected"),
        (BLOCK, 400, "invalid beta flag", "compaction_rejected"),
        (BLOCK, 400, THINKING, "thinking_rejected"),
        (BLOCK, 400, "prompt is too long", "context_too_long"),
        (BLOCK, 401, "no such key", "unauthorized"),
        (BLOCK, 404, "no such model", "rejected"),
        (BLOCK, 529, "Compaction is unavailable.", "overloaded"),
        (TEXT, 400, "invalid beta flag", "rejected"),
    ],
)
def test_only_errors_that_the_block_may_cause_reject_it(
    content: dict[str, JsonValue], status: int, message: str, reason: str
) -> None:
    response: ScriptedResponse = respond_http_error(status, "invalid_request_error", message)
    if status == 529:
        response = respond_http_error(status, "overloaded_error", message)
    outcome = send(ScriptedServer(response), make_request(content, TEXT))
    assert outcome.expect_error().reason == reason
