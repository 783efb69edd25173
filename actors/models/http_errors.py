"""What an answer that is an error means: a closed reason, and one line for people.

Three parties answer: the service, the model behind it, and whatever stands on the way to them. A
gateway's page names nothing that the service knows, so it is told apart from what the service
itself says.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import unescape

from actors.models.model_client import ModelError
from messages.model_events import MAX_DURATION_S, ModelFailureReason

MAX_SHOWN_CHARS = 300
"""Longest part of a server's own words that is shown."""
_READ_CHARS = 10_000
"""Of a page no more than this is looked through for its first line."""

_RETRIED_KINDS = {"overloaded_error", "api_error", "timeout_error", "rate_limit_error"}
_RETRIED_STATUSES = {408, 409, 429}
_KINDS: dict[str, ModelFailureReason] = {
    "overloaded_error": "overloaded",
    "api_error": "server_failed",
    "timeout_error": "server_failed",
    "rate_limit_error": "rate_limited",
    "authentication_error": "unauthorized",
    "permission_error": "unauthorized",
    "request_too_large": "too_long",
}
_STATUSES: dict[int, ModelFailureReason] = {
    401: "unauthorized",
    403: "unauthorized",
    408: "gateway",
    413: "too_long",
    429: "rate_limited",
    502: "gateway",
    503: "unavailable",
    504: "gateway",
    529: "overloaded",
}
_GATEWAY_STATUSES = {502, 503, 504, *range(520, 528)}
"""What gateways say of the server behind them; from 520 on Cloudflare does."""
_FORBIDDEN = 403
_NOT_FOUND = 404
_TOO_LARGE = 413
_FIRST_CLIENT_STATUS = 400
_FIRST_SERVER_STATUS = 500
_TOO_LONG_WORDS = ("prompt is too long", "exceed context limit", "context length", "context window")

_SENTENCES: dict[ModelFailureReason, str] = {
    "unauthorized": "{server} refused the key ({said}); set ANTHROPIC_API_KEY to a valid one",
    "too_long": "the conversation is too long for the model ({said}); start a new session (/clear)",
    "rate_limited": "{server} limits the rate ({said}); send the prompt again {when}",
    "overloaded": "{server} is overloaded ({said}); send the prompt again {when}",
    "server_failed": "{server} failed ({said}); send the prompt again {when}",
    "unavailable": "{server} is unavailable ({said}); send the prompt again {when}",
    "gateway": "{server} did not answer in time ({said}); send the prompt again {when}",
    "rejected": "{server} rejected the request ({said})",
}
_NO_RIGHT = (
    "{server} does not let the key do this ({said}); set ANTHROPIC_API_KEY to one that may, or "
    "choose another model by --model or /model"
)
_NO_MODEL = "{server} does not know the model ({said}); choose one by --model or /model"
_NO_API = "{server} is no Messages API ({said}); check ANTHROPIC_BASE_URL"
_IN_ITS_PLACE = "a gateway or proxy on the way to {server} answered in its place ({said}); "
_FOR_NOW = "send the prompt again {when}; if that does not help, check ANTHROPIC_BASE_URL and proxy"
_FOR_GOOD = "check ANTHROPIC_BASE_URL, network and proxy"
_FOR_ITS_SIZE = "the conversation is too long for it; start a new session (/clear)"


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An answer whose HTTP status says that it is an error."""

    status: int
    error_type: str
    """The error's type in the Messages API; empty where the body is none of its."""
    message: str
    """What the service says, or the body as it came."""
    headers: Mapping[str, str]

    @property
    def is_page(self) -> bool:
        """Whether it was written for a browser, which no Messages API does."""
        return self.message.lstrip()[:1] == "<"

    @property
    def is_from_gateway(self) -> bool:
        """Whether somebody on the way answered in the service's place."""
        return self.is_page or (self.status in _GATEWAY_STATUSES and not self.error_type)

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in _RETRIED_STATUSES or self.status >= _FIRST_SERVER_STATUS


def classify_http_error(server: str, response: ErrorResponse) -> ModelError:
    """Classify an answer that is an HTTP error."""
    when = _when(parse_retry_after_s(response.headers))
    sentence = _sentence_of(response)
    detail = sentence.format(server=server, said=_said(response), when=when)
    if _misses(response.status):
        return ModelError("rejected", detail)
    error = ModelError(_reason_of(response), detail, is_retryable=response.is_retryable)
    apply_retry_headers(error, response.headers)
    return error


def classify_stream_error(
    server: str, error_type: str, message: str, request_id: str
) -> ModelError:
    """Classify an `error` event; its HTTP status was 200 and says nothing."""
    reason = _too_long(message) or _KINDS.get(error_type, "rejected")
    said = format_one_line(message or error_type) + _named(request_id)
    detail = _SENTENCES[reason].format(server=server, said=said, when=_when(0))
    return ModelError(reason, detail, is_retryable=error_type in _RETRIED_KINDS)


def apply_retry_headers(error: ModelError, headers: Mapping[str, str]) -> None:
    """Go by what the head of the server's answer says about asking again."""
    said = headers.get("x-should-retry")
    if said in ("true", "false"):
        error.is_retryable = said == "true"
    error.retry_after_s = parse_retry_after_s(headers)


def parse_retry_after_s(headers: Mapping[str, str]) -> float:
    """Read how long the server wishes to be left alone: in ms, in seconds or until a date.

    0: it wishes nothing that can be understood.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        return min(seconds, MAX_DURATION_S) if seconds > 0 else 0.0  # not a number: not above 0
    return _until_s(headers.get("retry-after", ""), headers.get("date", ""))


def format_one_line(text: str) -> str:
    """Make a server's words fit to show: one line, printable, not endless."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= MAX_SHOWN_CHARS else f"{words[:MAX_SHOWN_CHARS]}…"


def extract_page_title(page: str) -> str:
    """Take a page's title, or else its first words."""
    read = page[:_READ_CHARS]
    title = re.search(r"<title[^<>]*>([^<]*)", read, re.IGNORECASE)
    bare = title[1] if title else re.sub(r"<[^<>]*>", "\n", read)
    return next((line for line in unescape(bare).splitlines() if line.strip()), "a web page")


def _until_s(then: str, now: str) -> float:
    """Measure a date by the server's own clock, which ours may not agree with."""
    try:
        wait = parsedate_to_datetime(then) - parsedate_to_datetime(now)
    except (ValueError, TypeError):
        return 0.0
    return min(max(wait.total_seconds(), 0.0), MAX_DURATION_S)


def _misses(status: int) -> bool:
    """Tell whether nobody is at that address; the API redirects nobody."""
    return status == _NOT_FOUND or status < _FIRST_CLIENT_STATUS


def _sentence_of(answer: ErrorResponse) -> str:
    if _misses(answer.status):
        return _NO_MODEL if answer.error_type == "not_found_error" else _NO_API
    if answer.is_from_gateway:
        return _IN_ITS_PLACE + _way_out(answer)
    if answer.status == _FORBIDDEN:
        return _NO_RIGHT
    return _SENTENCES[_reason_of(answer)]


def _way_out(answer: ErrorResponse) -> str:
    if answer.status == _TOO_LARGE:
        return _FOR_ITS_SIZE
    return _FOR_NOW if answer.is_retryable else _FOR_GOOD


def _reason_of(answer: ErrorResponse) -> ModelFailureReason:
    if answer.error_type == "overloaded_error":
        return "overloaded"
    if answer.is_from_gateway and not answer.is_retryable and answer.status != _TOO_LARGE:
        return "gateway"
    if answer.status in _STATUSES:
        return _STATUSES[answer.status]
    if answer.status >= _FIRST_SERVER_STATUS:
        return "unavailable" if answer.is_from_gateway else "server_failed"
    return _too_long(answer.message) or "rejected"


def _said(answer: ErrorResponse) -> str:
    words = format_one_line(
        extract_page_title(answer.message) if answer.is_page else answer.message
    )
    status = str(answer.status)
    named = _named(answer.headers.get("request-id", ""))
    if not words or words.startswith(status):  # pages mostly say their status themselves
        return (words or status) + named
    return f"{status}: {words}{named}"


def _named(request_id: str) -> str:
    """Name a request by what those who run the service find it by."""
    return f", request {format_one_line(request_id)}" if request_id else ""


def _too_long(message: str) -> ModelFailureReason | None:
    said = message.lower()
    return "too_long" if any(words in said for words in _TOO_LONG_WORDS) else None


def _when(wish: float) -> str:
    return f"in {wish:.0f} s" if wish >= 1 else "in a moment"
