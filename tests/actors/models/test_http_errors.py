"""Classification of HTTP error responses, and the line that the user reads."""

import time
from collections.abc import Iterator, Mapping

import pytest

from actors.models.http_errors import (
    ErrorResponse,
    classify_http_error,
    classify_stream_error,
    extract_page_title,
)

pytestmark = pytest.mark.quick

SERVER = "https://model.example"
FORBIDDEN_DETAIL = (
    f"{SERVER} does not allow this request with your API key (403: why); set ANTHROPIC_API_KEY to "
    "another key, or choose another model with --model or /model"
)
UNKNOWN_MODEL_DETAIL = (
    f"{SERVER} does not know the model (404: why); choose another one with --model or /model"
)
NGINX_PAGE = (
    "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<h1>{0}</h1><hr>nginx</body></html>"
)


def classify(
    status: int, message: str, error_type: str = "", headers: Mapping[str, str] | None = None
) -> tuple[str, bool, str]:
    error = classify_http_error(SERVER, ErrorResponse(status, error_type, message, headers or {}))
    return error.reason, error.is_retryable, error.detail


@pytest.mark.parametrize(
    ("status", "error_type", "reason", "is_retryable", "detail"),
    [
        (
            401,
            "authentication_error",
            "unauthorized",
            False,
            f"{SERVER} rejected the API key (401: why); set ANTHROPIC_API_KEY to a valid key",
        ),
        (
            403,
            "permission_error",
            "unauthorized",
            False,
            FORBIDDEN_DETAIL,
        ),
        (
            404,
            "not_found_error",
            "rejected",
            False,
            UNKNOWN_MODEL_DETAIL,
        ),
        (
            413,
            "request_too_large",
            "context_too_long",
            False,
            "the conversation is too long for the model (413: why); start a new session (/clear)",
        ),
        (
            429,
            "rate_limit_error",
            "rate_limited",
            True,
            f"rate limit reached at {SERVER} (429: why); send the prompt again in a moment",
        ),
        (
            500,
            "api_error",
            "server_error",
            True,
            f"{SERVER} had an internal error (500: why); send the prompt again in a moment",
        ),
        (
            503,
            "api_error",
            "unavailable",
            True,
            f"{SERVER} is unavailable (503: why); send the prompt again in a moment",
        ),
        (
            504,
            "timeout_error",
            "gateway_error",
            True,
            f"{SERVER} did not answer in time (504: why); send the prompt again in a moment",
        ),
        (
            529,
            "overloaded_error",
            "overloaded",
            True,
            f"{SERVER} is overloaded (529: why); send the prompt again in a moment",
        ),
    ],
)
def test_an_error_of_the_service_says_what_to_do(
    status: int,
    error_type: str,
    reason: str,
    is_retryable: bool,  # noqa: FBT001  (a test parameter)
    detail: str,
) -> None:
    assert classify(status, "why", error_type) == (reason, is_retryable, detail)


@pytest.mark.parametrize(
    ("status", "page", "reason", "summary"),
    [
        (500, NGINX_PAGE.format("500 Oh"), "unavailable", "500 Oh"),
        (502, NGINX_PAGE.format("502 Bad Gateway"), "gateway_error", "502 Bad Gateway"),
        (503, NGINX_PAGE.format("503 No"), "unavailable", "503 No"),
        (504, NGINX_PAGE.format("Too late"), "gateway_error", "504: Too late"),
        (521, "error code: 521", "unavailable", "521: error code: 521"),
        (503, "", "unavailable", "503"),
        (502, "upstream said\nnothing", "gateway_error", "502: upstream said nothing"),
        (529, NGINX_PAGE.format("Busy"), "overloaded", "529: Busy"),
    ],
)
def test_a_temporary_gateway_error_names_the_gateway(
    status: int, page: str, reason: str, summary: str
) -> None:
    detail = (
        f"a gateway or proxy in front of {SERVER} answered instead ({summary}); send the "
        "prompt again in a moment; if it fails again, check ANTHROPIC_BASE_URL and your proxy"
    )
    assert classify(status, page) == (reason, True, detail)


@pytest.mark.parametrize("status", [400, 401, 403, 407])
def test_a_gateways_refusal_is_not_blamed_on_the_key(status: int) -> None:
    detail = (
        f"a gateway or proxy in front of {SERVER} answered instead ({status}: Blocked & "
        "logged); check ANTHROPIC_BASE_URL, your network and your proxy"
    )
    assert classify(status, "<p>Blocked &amp; logged</p>") == ("gateway_error", False, detail)


def test_a_gateways_size_limit_suggests_a_new_session() -> None:
    reason, is_retryable, detail = classify(413, NGINX_PAGE.format("413 Request Entity Too Large"))
    assert (reason, is_retryable) == ("context_too_long", False)
    assert detail.endswith(
        "(413 Request Entity Too Large); the conversation is too long for it; start a new session "
        "(/clear)"
    )


def test_an_error_names_the_request_id() -> None:
    _, _, detail = classify(500, "x" * 1000, "api_error", {"request-id": "req_\x1b[1m7"})
    assert "…, request req_ [1m7); send" in detail
    in_stream = classify_stream_error(SERVER, "api_error", "oops", "req_8")
    assert in_stream.detail == (
        f"{SERVER} had an internal error (oops, request req_8); send the prompt again in a moment"
    )


@pytest.mark.parametrize(
    ("page", "title"),
    [
        (
            "<!DOCTYPE html><!-- c --><style>p {}</style><title>\n\nGone &lt;x&gt;</title>",
            "Gone <x>",
        ),
        ("<p></p>", "a web page"),
        ("<" * 100_000, "<" * 10_000),
        ("<p>Broken", "Broken"),
    ],
)
def test_a_page_is_summarized_by_its_title(page: str, title: str) -> None:
    assert extract_page_title(page) == title


FIVE_PM = {"date": "Sun, 22 Nov 2026 16:00:00 GMT", "retry-after": "3600"}
UNIFIED = {
    "date": "Sun, 22 Nov 2026 16:00:00 GMT",
    "retry-after": "20",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": "1795366800",
}
"""A subscription's limit, which resets at 17:00."""
ASK_LATER = "it resets at 17:00 (in 60 min); send the prompt again then"
CHECK_PLAN = "check your plan and billing there, or choose another model with --model or /model"


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the local time be UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("status", "error_type", "message", "headers", "advice"),
    [
        (429, "rate_limit_error", "You have hit your usage limit.", FIVE_PM, ASK_LATER),
        (429, "rate_limit_error", "why", FIVE_PM, ASK_LATER),
        (429, "rate_limit_error", "why", UNIFIED, ASK_LATER),
        (
            429,
            "rate_limit_error",
            "why",
            FIVE_PM | {"x-should-retry": "true", "retry-after": "604800"},
            "it resets at 2026-11-29 16:00 (in 7 d); send the prompt again then",
        ),
        (
            429,
            "rate_limit_error",
            "why",
            {"retry-after": "3600"},
            "it resets in 60 min; send the prompt again then",
        ),
        (429, "rate_limit_error", "You are out of extra usage.", {}, CHECK_PLAN),
        (400, "invalid_request_error", "Your credit balance is too low.", {}, CHECK_PLAN),
        (
            400,
            "invalid_request_error",
            "You have reached your specified API usage limits.",
            {"x-should-retry": "true"},
            CHECK_PLAN,
        ),
        (403, "permission_error", "The spending limit is reached.", {}, CHECK_PLAN),
        (402, "billing_error", "why", {}, CHECK_PLAN),
    ],
)
def test_a_usage_limit_names_its_reset_and_is_final(
    status: int, error_type: str, message: str, headers: dict[str, str], advice: str
) -> None:
    assert classify(status, message, error_type, headers) == (
        "usage_limit",
        False,
        f"usage limit reached at {SERVER} ({status}: {message}); {advice}",
    )


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        ("This request would exceed your rate limit of 50,000 tokens per minute.", {}),
        ("Your usage limit resets soon.", {"retry-after": "120"}),
        ("why", {**FIVE_PM, "retry-after": "300"}),
        ("why", {**UNIFIED, "anthropic-ratelimit-unified-status": "allowed"}),
        ("why", {**UNIFIED, "anthropic-ratelimit-unified-reset": "soon"}),
        ("why", {**UNIFIED, "anthropic-ratelimit-unified-reset": "1e300"}),
    ],
)
def test_a_rate_limit_that_soon_resets_is_retried(message: str, headers: dict[str, str]) -> None:
    reason, is_retryable, _ = classify(429, message, "rate_limit_error", headers)
    assert (reason, is_retryable) == ("rate_limited", True)


@pytest.mark.parametrize("code", ["enforced_spend_limit_reached", "organization_billing_problem"])
def test_the_services_error_code_names_a_usage_limit(code: str) -> None:
    response = ErrorResponse(429, "rate_limit_error", "why", {"retry-after": "9"}, code)
    assert classify_http_error(SERVER, response).reason == "usage_limit"


@pytest.mark.parametrize(
    ("error_type", "message"),
    [("billing_error", "why"), ("rate_limit_error", "You have hit your usage limit.")],
)
def test_a_stream_can_end_with_a_usage_limit(error_type: str, message: str) -> None:
    error = classify_stream_error(SERVER, error_type, message, "")
    assert (error.reason, error.is_retryable) == ("usage_limit", False)
    assert error.detail == f"usage limit reached at {SERVER} ({message}); {CHECK_PLAN}"


def test_a_long_delay_before_a_retry_is_not_waited_for() -> None:
    reason, is_retryable, detail = classify(
        503, "maintenance", "api_error", {"retry-after": "1800", "x-should-retry": "true"}
    )
    assert (reason, is_retryable) == ("unavailable", False)
    assert detail.endswith("send the prompt again in 30 min")


def test_a_conversation_too_long_for_the_plan_is_not_retried() -> None:
    reason, is_retryable, detail = classify(
        429,
        "Extra usage is required for long context requests.",
        "rate_limit_error",
        {"x-should-retry": "true"},
    )
    assert (reason, is_retryable) == ("context_too_long", False)
    assert "too long for the model" in detail


def test_control_characters_in_the_services_message_are_not_shown() -> None:
    _, _, detail = classify(429, "usage limit\x1b]0;owned\x07 \u202eevil", "rate_limit_error")
    assert "(429: usage limit ]0;owned evil)" in detail
