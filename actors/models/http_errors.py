"""Classification of HTTP error responses: a closed reason, and one line for the user.

A response comes from the service, or from a gateway or proxy in front of it. A gateway's page says
nothing about keys or models, so it is distinguished from the service's own errors.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from actors.models.model_client import ModelError
from actors.models.retry_headers import (
    find_reset_s,
    format_delay,
    format_reset,
    parse_retry_after_s,
)
from messages.failure_reasons import MAX_RETRY_WAIT_S, ModelFailureReason

MAX_SHOWN_CHARS = 300
"""Characters of the server's own text that are shown."""
_MAX_SEARCHED_CHARS = 10_000
"""Characters of a page that are searched for its title."""

_RETRYABLE_ERROR_TYPES = {"overloaded_error", "api_error", "timeout_error", "rate_limit_error"}
_RETRYABLE_STATUSES = {408, 409, 429}
_REASONS_BY_ERROR_TYPE: dict[str, ModelFailureReason] = {
    "overloaded_error": "overloaded",
    "api_error": "server_error",
    "timeout_error": "server_error",
    "rate_limit_error": "rate_limited",
    "billing_error": "usage_limit",
    "authentication_error": "unauthorized",
    "permission_error": "unauthorized",
    "request_too_large": "context_too_long",
}
_REASONS_BY_STATUS: dict[int, ModelFailureReason] = {
    401: "unauthorized",
    402: "usage_limit",
    403: "unauthorized",
    408: "gateway_error",
    413: "context_too_long",
    429: "rate_limited",
    502: "gateway_error",
    503: "unavailable",
    504: "gateway_error",
    529: "overloaded",
}
_GATEWAY_STATUSES = {502, 503, 504, *range(520, 528)}
"""Statuses that gateways return when the server behind them fails; 520 and up are Cloudflare's."""
_BAD_REQUEST = 400
_FORBIDDEN = 403
_NOT_FOUND = 404
_TOO_LARGE = 413
_TOO_MANY_REQUESTS = 429
_FIRST_CLIENT_STATUS = _BAD_REQUEST
_FIRST_SERVER_STATUS = 500
_TOO_LONG_PHRASES = (
    "prompt is too long",
    "exceed context limit",
    "context length",
    "context window",
    "long context request",  # needs a plan that this account does not have
)

_USAGE_LIMIT_CODES = ("spend_limit", "billing")
"""Parts of the error codes of limits that no short wait lifts, such as
`enforced_spend_limit_reached`."""
_USAGE_LIMIT_PHRASES = (
    "usage limit",
    "credit balance",
    "spend limit",
    "spending limit",
    "extra usage",
    "current quota",
    "insufficient_quota",
)
"""Phrases of the same limits where the service sends no code."""
_LIMIT_STATUSES = {_BAD_REQUEST, _FORBIDDEN, _TOO_MANY_REQUESTS}
_FINAL_REASONS: set[ModelFailureReason] = {"usage_limit", "context_too_long"}

_TEXTS: dict[ModelFailureReason, str] = {
    "unauthorized": "{server} rejected the API key ({response}); set ANTHROPIC_API_KEY to a valid "
    "key",
    "context_too_long": "the conversation is too long for the model ({response}); start a new "
    "session (/clear)",
    "usage_limit": "usage limit reached at {server} ({response}); {when}",
    "rate_limited": "rate limit reached at {server} ({response}); send the prompt again {when}",
    "thinking_rejected": "{server} rejected the model's earlier thinking ({response}); start a new "
    "session (/clear)",
    "overloaded": "{server} is overloaded ({response}); send the prompt again {when}",
    "server_error": "{server} had an internal error ({response}); send the prompt again {when}",
    "unavailable": "{server} is unavailable ({response}); send the prompt again {when}",
    "gateway_error": "{server} did not answer in time ({response}); send the prompt again {when}",
    "rejected": "{server} rejected the request ({response}); fix what it reports, then send the "
    "prompt again",
}
_USAGE_RESET_TEXT = "it resets {reset}; send the prompt again then"
_USAGE_PLAN_TEXT = (
    "check your plan and billing there, or choose another model with --model or /model"
)
_FORBIDDEN_TEXT = (
    "{server} does not allow this request with your API key ({response}); set ANTHROPIC_API_KEY to "
    "another key, or choose another model with --model or /model"
)
_UNKNOWN_MODEL_TEXT = (
    "{server} does not know the model ({response}); choose another one with --model or /model"
)
_NO_API_TEXT = "{server} does not serve the Messages API ({response}); check ANTHROPIC_BASE_URL"
_GATEWAY_TEXT = "a gateway or proxy in front of {server} answered instead ({response}); "
_GATEWAY_RETRY_TEXT = (
    "send the prompt again {when}; if it fails again, check ANTHROPIC_BASE_URL and your proxy"
)
_GATEWAY_REFUSAL_TEXT = "check ANTHROPIC_BASE_URL, your network and your proxy"
_GATEWAY_SIZE_TEXT = "the conversation is too long for it; start a new session (/clear)"


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A response with an HTTP error status."""

    status: int
    error_type: str
    """The error's type in the Messages API; empty if the body is not a Messages API error."""
    message: str
    """The service's message, or the whole body."""
    headers: Mapping[str, str]
    error_code: str = ""
    """The service's code for the cause, if it sent one."""

    @property
    def is_page(self) -> bool:
        """Whether it is a web page, which the Messages API never sends."""
        return self.message.lstrip()[:1] == "<"

    @property
    def is_from_gateway(self) -> bool:
        """Whether a gateway or proxy answered instead of the service."""
        return self.is_page or (self.status in _GATEWAY_STATUSES and not self.error_type)

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in _RETRYABLE_STATUSES or self.status >= _FIRST_SERVER_STATUS


def classify_http_error(server: str, response: ErrorResponse) -> ModelError:
    """Classify a response with an HTTP error status."""
    reason = _find_reason(response)
    when = _describe_usage_reset(response.headers) if reason == "usage_limit" else ""
    when = when or format_delay(parse_retry_after_s(response.headers))
    text = _choose_text(response)
    detail = text.format(server=server, response=summarize_response(response), when=when)
    if _is_wrong_address(response.status):
        return ModelError("rejected", detail)
    error = ModelError(reason, detail, is_retryable=response.is_retryable)
    apply_retry_headers(error, response.headers)
    return error


def classify_stream_error(
    server: str, error_type: str, message: str, request_id: str
) -> ModelError:
    """Classify an `error` event in a stream whose HTTP status was 200."""
    reason = _too_long_reason(message) or _REASONS_BY_ERROR_TYPE.get(error_type, "rejected")
    when = format_delay(0)
    if reason == "usage_limit" or _names_usage_limit(message):
        reason, when = "usage_limit", _describe_usage_reset({})
    response = format_one_line(message or error_type) + _format_request_id(request_id)
    detail = _TEXTS[reason].format(server=server, response=response, when=when)
    is_retryable = error_type in _RETRYABLE_ERROR_TYPES and reason != "usage_limit"
    return ModelError(reason, detail, is_retryable=is_retryable)


def apply_retry_headers(error: ModelError, headers: Mapping[str, str]) -> None:
    """Set whether and when to retry from the response's headers.

    What no retry can fix is not retried, and a limit that resets later than `MAX_RETRY_WAIT_S` is
    not waited for, whatever the server says.
    """
    should_retry = headers.get("x-should-retry")
    if should_retry in ("true", "false"):
        error.is_retryable = should_retry == "true"
    error.retry_after_s = parse_retry_after_s(headers)
    if error.reason in _FINAL_REASONS or error.retry_after_s > MAX_RETRY_WAIT_S:
        error.is_retryable = False


def format_one_line(text: str) -> str:
    """Make a server's text safe to show: one printable line of limited length."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= MAX_SHOWN_CHARS else f"{words[:MAX_SHOWN_CHARS]}…"


def extract_page_title(page: str) -> str:
    """Return a web page's title or, if it has none, its first line of text."""
    searched = page[:_MAX_SEARCHED_CHARS]
    title = re.search(r"<title[^<>]*>([^<]*)", searched, re.IGNORECASE)
    text = title[1] if title else re.sub(r"<[^<>]*>", "\n", searched)
    return next((line for line in unescape(text).splitlines() if line.strip()), "a web page")


def _is_wrong_address(status: int) -> bool:
    """Return whether the API is not at this address; the Messages API never redirects."""
    return status == _NOT_FOUND or status < _FIRST_CLIENT_STATUS


def _describe_usage_reset(headers: Mapping[str, str]) -> str:
    """Return when a usage limit resets, or what to do if the service does not say."""
    reset_s = find_reset_s(headers)
    if not reset_s:
        return _USAGE_PLAN_TEXT
    return _USAGE_RESET_TEXT.format(reset=format_reset(headers, reset_s))


def _choose_text(response: ErrorResponse) -> str:
    if _is_wrong_address(response.status):
        return _UNKNOWN_MODEL_TEXT if response.error_type == "not_found_error" else _NO_API_TEXT
    if response.is_from_gateway:
        return _GATEWAY_TEXT + _choose_gateway_advice(response)
    reason = _find_reason(response)
    if response.status == _FORBIDDEN and reason != "usage_limit":
        return _FORBIDDEN_TEXT
    return _TEXTS[reason]


def _choose_gateway_advice(response: ErrorResponse) -> str:
    if response.status == _TOO_LARGE:
        return _GATEWAY_SIZE_TEXT
    return _GATEWAY_RETRY_TEXT if response.is_retryable else _GATEWAY_REFUSAL_TEXT


def _find_reason(response: ErrorResponse) -> ModelFailureReason:
    if response.error_type == "overloaded_error":
        return "overloaded"
    if response.is_from_gateway and not response.is_retryable and response.status != _TOO_LARGE:
        return "gateway_error"
    if limit := _find_limit(response):
        return limit
    if response.status in _REASONS_BY_STATUS:
        return _REASONS_BY_STATUS[response.status]
    if response.status >= _FIRST_SERVER_STATUS:
        return "unavailable" if response.is_from_gateway else "server_error"
    is_thinking = response.status == _BAD_REQUEST and "thinking" in response.message
    return "thinking_rejected" if is_thinking else "rejected"


def _find_limit(response: ErrorResponse) -> ModelFailureReason | None:
    """Return the limit that the conversation or the account has reached, if it is one."""
    if response.status in _LIMIT_STATUSES and (too_long := _too_long_reason(response.message)):
        return too_long
    return "usage_limit" if _is_usage_limit(response) else None


def _is_usage_limit(response: ErrorResponse) -> bool:
    """Return whether a limit was reached that resets much later, or only after a payment."""
    if response.error_type == "billing_error" or any(
        code in response.error_code for code in _USAGE_LIMIT_CODES
    ):
        return True
    reset_s = find_reset_s(response.headers)
    if response.status == _TOO_MANY_REQUESTS and reset_s:
        return reset_s > MAX_RETRY_WAIT_S
    return response.status in _LIMIT_STATUSES and _names_usage_limit(response.message)


def _names_usage_limit(message: str) -> bool:
    lower = message.lower()
    return any(phrase in lower for phrase in _USAGE_LIMIT_PHRASES)


def summarize_response(response: ErrorResponse) -> str:
    """Return the status and the server's own text, on one line."""
    text = format_one_line(
        extract_page_title(response.message) if response.is_page else response.message
    )
    status = str(response.status)
    request_id = _format_request_id(response.headers.get("request-id", ""))
    if not text or text.startswith(status):  # most pages start with their own status
        return (text or status) + request_id
    return f"{status}: {text}{request_id}"


def _format_request_id(request_id: str) -> str:
    """Format the request id, which the service's operators can look up."""
    return f", request {format_one_line(request_id)}" if request_id else ""


def _too_long_reason(message: str) -> ModelFailureReason | None:
    lower = message.lower()
    return "context_too_long" if any(phrase in lower for phrase in _TOO_LONG_PHRASES) else None
