"""Thinking, effort and cache time in requests, and servers that reject them."""

from dataclasses import replace

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelRequest
from actors.models.model_names import has_adaptive_thinking
from actors.models.optional_settings import (
    OptionalSetting,
    choose_max_tokens,
    find_rejected_setting,
)
from messages.effort import Effort
from tests.actors.models.client_requests import (
    HELLO,
    HELLO_TEXT,
    REQUEST,
    RequestOutcome,
    run_with_client,
    send_request,
)
from tests.scripted_server import RecordedRequest, ScriptedResponse, ScriptedServer
from tests.scripted_server import respond_http_error as respond

pytestmark = pytest.mark.quick

SONNET = replace(REQUEST, model="claude-sonnet-5-5")
EAGER = replace(SONNET, effort="xhigh")
THINKING = {"type": "adaptive", "display": "summarized"}
ALL: set[OptionalSetting] = {"effort", "thinking", "cache time"}


def reject(message: str) -> ScriptedResponse:
    return respond(400, "invalid_request_error", message)


def send_all(server: ScriptedServer, *requests: ModelRequest) -> list[RequestOutcome]:
    """Send requests, one after another, with the same client."""

    async def send(client: AnthropicClient) -> list[RequestOutcome]:
        return [await send_request(client, request) for request in requests]

    with server:
        return run_with_client(send, server.base_url)


def get_settings(request: RecordedRequest) -> tuple[object, object, bool]:
    """Return thinking, effort, and whether the prefix is cached for an hour."""
    body = request.body
    return body.get("thinking"), body.get("output_config"), b'"ttl":"1h"' in request.raw_body


def test_a_model_that_can_think_is_asked_to() -> None:
    server = ScriptedServer(HELLO, HELLO, HELLO)
    send_all(server, SONNET, EAGER, REQUEST)
    assert [get_settings(request) for request in server.requests] == [
        (THINKING, None, True),
        (THINKING, {"effort": "xhigh"}, True),
        (None, None, True),
    ]


def test_a_chosen_effort_is_sent_to_any_model() -> None:
    server = ScriptedServer(HELLO)
    send_all(server, replace(REQUEST, effort="low"))
    assert get_settings(server.requests[0]) == (THINKING, {"effort": "low"}, True)


def test_each_rejected_setting_is_left_out_from_then_on() -> None:
    server = ScriptedServer(
        reject("output_config: Extra inputs are not permitted"),
        reject("adaptive thinking is not supported on this model"),
        reject("system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted"),
        HELLO,
        HELLO,
        HELLO,
    )
    other = replace(EAGER, model="claude-opus-5-5")
    outcomes = send_all(server, *[EAGER] * 5, other)
    assert [outcome.error_fields for outcome in outcomes[:3]] == [("setting_rejected", True, 0)] * 3
    assert [outcome.text for outcome in outcomes[3:]] == [HELLO_TEXT] * 3
    effort = {"effort": "xhigh"}
    assert [get_settings(request) for request in server.requests] == [
        (THINKING, effort, True),
        (THINKING, None, True),
        (None, None, True),
        (None, None, False),
        (None, None, False),
        (THINKING, effort, True),
    ], "another model may support them"
    assert "does not accept effort xhigh for claude-sonnet-5-5 (400: output_config" in (
        outcomes[0].expect_error().detail
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("This model does not support the effort parameter.", "effort"),
        ("output_config.effort 'xhigh' is not supported when thinking is disabled", "effort"),
        ('output_config.effort "high" was provided, but model m does not support it', "effort"),
        ("thinking: Input tag 'adaptive' found using 'type' does not match", "thinking"),
        ("Only 'enabled' and 'disabled' are supported for thinking", "thinking"),
        ("messages.1.content.0: Invalid `signature` in `thinking` block", None),
        ("messages.3.content.0.cache_control.ttl: must not come after", "cache time"),
        ("tools.0: bad", None),
        ("the throttle and the effortless thinkings", None),
    ],
)
def test_a_rejection_is_recognized_by_the_named_field(message: str, expected: str | None) -> None:
    assert find_rejected_setting(message, ALL) == expected
    assert find_rejected_setting(message, set()) is None


def test_another_effort_is_sent_after_one_was_rejected() -> None:
    server = ScriptedServer(reject("output_config.effort: not xhigh"), HELLO, HELLO)
    send_all(server, EAGER, EAGER, replace(EAGER, effort="high"))
    sent = [request.body.get("output_config") for request in server.requests]
    assert sent == [{"effort": "xhigh"}, None, {"effort": "high"}]


def test_another_rejection_is_not_repeated_without_settings() -> None:
    server = ScriptedServer(reject("tools.0: bad"), HELLO)
    (outcome,) = send_all(server, SONNET)
    assert (outcome.error_fields, len(server.requests)) == (("rejected", False, 0), 1)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-5-5", True),
        ("claude-opus-5", True),
        ("us.anthropic.claude-opus-4-6-v1:0", True),
        ("anthropic/claude-sonnet-4.6", True),
        ("claude-opus-5-20260901", True),
        ("claude-opus-4-20250514", False),
        ("claude-sonnet-4-5-20250929", False),
        ("claude-3-5-sonnet-20241022", False),
        ("my-model", False),
    ],
)
def test_models_since_4_6_decide_how_much_to_think(model: str, expected: bool) -> None:  # noqa: FBT001  (a test parameter)
    assert has_adaptive_thinking(model) is expected


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("my-model", None, 32_000),
        ("claude-sonnet-5-5", None, 64_000),
        ("claude-sonnet-5-5", "high", 64_000),
        ("claude-sonnet-5-5", "max", 128_000),
        ("my-model", "low", 64_000),
    ],
)
def test_thinking_gets_room_in_the_longest_reply(
    model: str, effort: Effort | None, expected: int
) -> None:
    assert choose_max_tokens(model, effort) == expected
