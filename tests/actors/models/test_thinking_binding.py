"""The request to drop thinking that does not fit, and what happens where it is not supported."""

from dataclasses import replace

import pytest
from pydantic import JsonValue

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelRequest
from actors.models.scripted_reply import ReplyPlan
from actors.models.thinking_binding import has_bound_thinking
from tests.actors.models.client_requests import (
    REQUEST,
    RequestOutcome,
    run_with_client,
    send_request,
)
from tests.scripted_server import RecordedRequest, ScriptedServer, respond_http_error
from tests.signing_server import BINDING_BETA, SigningServer

pytestmark = pytest.mark.quick

ANSWER = ReplyPlan("Hello.", thinking="hm")


def make_request(model: str = "claude-sonnet-5-5", signature: str = "wrong") -> ModelRequest:
    """Return a request with a thinking block that no server has signed."""
    thinking: JsonValue = {"type": "thinking", "thinking": "hm", "signature": signature}
    text: JsonValue = {"type": "text", "text": "hi"}
    messages: tuple[dict[str, JsonValue], ...] = (
        {"role": "user", "content": [text]},
        {"role": "assistant", "content": [thinking, text]},
        {"role": "user", "content": [text]},
    )
    return replace(REQUEST, model=model, messages=messages)


def asks_to_drop(request: RecordedRequest) -> bool:
    """Return whether a request asks the server to drop invalid thinking."""
    return b'"block_binding"' in request.raw_body


def send_all(server: ScriptedServer, *requests: ModelRequest) -> list[RequestOutcome]:
    """Send requests, one after another, with the same client."""

    async def send(client: AnthropicClient) -> list[RequestOutcome]:
        return [await send_request(client, request) for request in requests]

    with server:
        return run_with_client(send, server.base_url)


def test_a_supporting_server_is_asked_to_drop_invalid_thinking() -> None:
    server = SigningServer(ANSWER, has_controls=True)
    (outcome,) = send_all(server, make_request())
    assert outcome.text == "Hello."
    (request,) = server.requests
    assert request.headers["anthropic-beta"] == BINDING_BETA
    assert request.body["thinking"] == {
        "type": "adaptive",
        "display": "summarized",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }


def test_a_gateway_that_rejects_the_beta_is_asked_once() -> None:
    server = SigningServer(ANSWER, ANSWER)
    valid = replace(make_request(), messages=make_request().messages[:1])
    (first,) = send_all(server, valid)
    thinking, _ = first.expect_reply().content
    assert not asks_to_drop(server.requests[0]), "nothing can be dropped"

    again = SigningServer(ANSWER, ANSWER)
    signed = make_request(signature=thinking.model_dump()["signature"])
    outcomes = send_all(again, signed, signed)
    assert [outcome.text for outcome in outcomes] == ["Hello.", "Hello."]
    asked = [asks_to_drop(request) for request in again.requests]
    assert asked == [True, False, False]


def test_rejected_thinking_has_a_reason_of_its_own() -> None:
    server = SigningServer(ANSWER)
    (outcome,) = send_all(server, make_request())
    assert outcome.error_fields == ("thinking_rejected", False, 0)
    assert "messages.1.content.0" in outcome.expect_error().detail


def test_another_error_is_reported_after_the_beta_was_rejected() -> None:
    bad = respond_http_error(400, "invalid_request_error", "tools.0: bad")
    server = ScriptedServer(bad, bad, bad, bad)
    outcomes = send_all(server, make_request(), make_request())
    assert [outcome.error_fields for outcome in outcomes] == [("rejected", False, 0)] * 2
    asked = [asks_to_drop(request) for request in server.requests]
    assert asked == [True, False] * 2, "it may support the beta, so it is asked again"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-fable-5-1", True),
        ("claude-sonnet-5-5", True),
        ("claude-opus-5-5-20261001", True),
        ("anthropic/claude-haiku-5.5", True),
        ("claude-opus-6-0", True),
        ("claude-opus-5-20260901", False),
        ("claude-opus-5", False),
        ("claude-sonnet-4-5", False),
        ("scripted", False),
    ],
)
def test_only_the_newest_models_bind_their_thinking(model: str, expected: bool) -> None:  # noqa: FBT001  (a test parameter)
    assert has_bound_thinking(make_request(model)) is expected
