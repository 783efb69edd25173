"""Whoever answers a request with an error is told apart, in one line that says what to do."""

from collections.abc import Mapping

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
    f"{SERVER} does not let the key do this (403: why); set ANTHROPIC_API_KEY to one that may, or "
    "choose another model by --model or /model"
)
NGINX_PAGE = (
    "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<h1>{0}</h1><hr>nginx</body></html>"
)


def classify(
    status: int, message: str, kind: str = "", headers: Mapping[str, str] | None = None
) -> tuple[str, bool, str]:
    error = classify_http_error(SERVER, ErrorResponse(status, kind, message, headers or {}))
    return error.reason, error.is_retryable, error.detail


@pytest.mark.parametrize(
    ("status", "kind", "reason", "retry", "line"),
    [
        (
            401,
            "authentication_error",
            "unauthorized",
            False,
            f"{SERVER} refused the key (401: why); set ANTHROPIC_API_KEY to a valid one",
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
            f"{SERVER} does not know the model (404: why); choose one by --model or /model",
        ),
        (
            413,
            "request_too_large",
            "too_long",
            False,
            "the conversation is too long for the model (413: why); start a new session (/clear)",
        ),
        (
            429,
            "rate_limit_error",
            "rate_limited",
            True,
            f"{SERVER} limits the rate (429: why); send the prompt again in a moment",
        ),
        (
            500,
            "api_error",
            "server_failed",
            True,
            f"{SERVER} failed (500: why); send the prompt again in a moment",
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
            "gateway",
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
def test_what_the_service_says_itself_is_told_as_its_own(
    status: int,
    kind: str,
    reason: str,
    retry: bool,  # noqa: FBT001  (a parameter of the test)
    line: str,
) -> None:
    assert classify(status, "why", kind) == (reason, retry, line)


@pytest.mark.parametrize(
    ("status", "page", "reason", "said"),
    [
        (500, NGINX_PAGE.format("500 Oh"), "unavailable", "500 Oh"),
        (502, NGINX_PAGE.format("502 Bad Gateway"), "gateway", "502 Bad Gateway"),
        (503, NGINX_PAGE.format("503 No"), "unavailable", "503 No"),
        (504, NGINX_PAGE.format("Too late"), "gateway", "504: Too late"),
        (521, "error code: 521", "unavailable", "521: error code: 521"),
        (503, "", "unavailable", "503"),
        (502, "upstream said\nnothing", "gateway", "502: upstream said nothing"),
        (529, NGINX_PAGE.format("Busy"), "overloaded", "529: Busy"),
    ],
)
def test_a_gateway_that_answers_for_now_is_named_as_one(
    status: int, page: str, reason: str, said: str
) -> None:
    line = (
        f"a gateway or proxy on the way to {SERVER} answered in its place ({said}); send the "
        "prompt again in a moment; if that does not help, check ANTHROPIC_BASE_URL and proxy"
    )
    assert classify(status, page) == (reason, True, line)


@pytest.mark.parametrize("status", [400, 401, 403, 407])
def test_a_page_that_refuses_is_not_taken_for_the_services_word_on_the_key(status: int) -> None:
    line = (
        f"a gateway or proxy on the way to {SERVER} answered in its place ({status}: Blocked & "
        "logged); check ANTHROPIC_BASE_URL, network and proxy"
    )
    assert classify(status, "<p>Blocked &amp; logged</p>") == ("gateway", False, line)


def test_a_gateway_that_takes_no_more_is_told_by_what_helps() -> None:
    reason, retry, line = classify(413, NGINX_PAGE.format("413 Request Entity Too Large"))
    assert (reason, retry) == ("too_long", False)
    assert line.endswith(
        "(413 Request Entity Too Large); the conversation is too long for it; start a new session "
        "(/clear)"
    )


def test_a_request_is_named_by_what_the_service_finds_it_by() -> None:
    _, _, line = classify(500, "x" * 1000, "api_error", {"request-id": "req_\x1b[1m7"})
    assert "…, request req_ [1m7); send" in line
    in_stream = classify_stream_error(SERVER, "api_error", "oops", "req_8")
    assert in_stream.detail == (
        f"{SERVER} failed (oops, request req_8); send the prompt again in a moment"
    )


@pytest.mark.parametrize(
    ("page", "line"),
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
def test_of_a_page_its_first_line_is_read(page: str, line: str) -> None:
    assert extract_page_title(page) == line
