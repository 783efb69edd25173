"""Every way a model request fails, told once: a closed reason, and one line for people."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from actors.models.client import ModelError
from messages.models import LONGEST_S, ModelFailureReason

if TYPE_CHECKING:  # the SDK takes over half a second to load: never on the way to the first screen
    import anthropic

SHOWN_CHARS = 300
"""Longest part of a server's own words that is shown."""

_RETRIED_KINDS = {"overloaded_error", "api_error", "timeout_error", "rate_limit_error"}
_RETRIED_STATUSES = {408, 409, 429}
_REASONS: dict[str, ModelFailureReason] = {
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "timeout_error": "overloaded",
    "rate_limit_error": "rate_limited",
    "authentication_error": "unauthorized",
    "permission_error": "unauthorized",
    "request_too_large": "too_long",
}
_STATUS_REASONS: dict[int, ModelFailureReason] = {
    401: "unauthorized",
    403: "unauthorized",
    408: "unreachable",
    413: "too_long",
    429: "rate_limited",
    502: "unreachable",
    504: "unreachable",
}
_FIRST_SERVER_STATUS = 500
_TOO_LONG_WORDS = ("prompt is too long", "exceed context limit", "context length", "context window")

_SENTENCES: dict[ModelFailureReason, str] = {
    "unauthorized": "{server} refused the key ({said}); set ANTHROPIC_API_KEY to a valid one",
    "too_long": "the conversation is too long for the model ({said}); start a new session (/clear)",
    "rate_limited": "{server} limits the rate ({said}); send the prompt again {when}",
    "overloaded": "{server} is overloaded ({said}); send the prompt again {when}",
    "unreachable": "{server} did not answer ({said}); send the prompt again {when}",
    "rejected": "{server} rejected the request ({said})",
}
_NO_MODEL = "{server} does not know the model ({said}); choose one by --model or /model"
_NO_API = "{server} is no Messages API ({said}); check ANTHROPIC_BASE_URL"
_NOT_FOUND = 404
_FIRST_CLIENT_STATUS = 400


def where(base_url: str) -> str:
    """Name a server for people: without user, password and query."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return _without_user(base_url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}" if host else _without_user(base_url)


def _without_user(odd_url: str) -> str:
    """Drop all before the last `@`: what is no URL may hold a password all the same."""
    return one_line(odd_url.rpartition("@")[2])


def one_line(text: str) -> str:
    """Make a server's words fit to show: one line, printable, not endless."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= SHOWN_CHARS else f"{words[:SHOWN_CHARS]}…"


def stream_error(server: str, kind: str, message: str) -> ModelError:
    """Classify an `error` event; its HTTP status was 200 and says nothing."""
    reason = _too_long(message) or _REASONS.get(kind, "rejected")
    error = ModelError(reason, _sentence(reason, server, message or kind))
    error.retry = kind in _RETRIED_KINDS
    return error


def http_error(
    server: str, status: int, message: str, kind: str = "", headers: Mapping[str, str] | None = None
) -> ModelError:
    """Classify an answer that is an HTTP error."""
    headers = headers or {}
    said = f"{status}: {message}" if message else str(status)
    if status == _NOT_FOUND or status < _FIRST_CLIENT_STATUS:  # the API redirects nobody
        sentence = _NO_MODEL if kind == "not_found_error" else _NO_API
        return ModelError("rejected", sentence.format(server=server, said=one_line(said)))
    reason = _reason_of(status, kind, message)
    error = ModelError(reason, _sentence(reason, server, said, wish_s(headers)))
    error.retry = status in _RETRIED_STATUSES or status >= _FIRST_SERVER_STATUS
    heed(error, headers)
    return error


def heed(error: ModelError, headers: Mapping[str, str]) -> None:
    """Go by what the head of the server's answer says about asking again."""
    said = headers.get("x-should-retry")
    if said in ("true", "false"):
        error.retry = said == "true"
    error.retry_after_s = wish_s(headers)


def wish_s(headers: Mapping[str, str]) -> float:
    """Read how long the server wishes to be left alone: in ms, in seconds or until a date.

    0: it wishes nothing that can be understood.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        return min(seconds, LONGEST_S) if seconds > 0 else 0.0  # not a number: not above 0
    return _until_s(headers.get("retry-after", ""), headers.get("date", ""))


def _until_s(then: str, now: str) -> float:
    """Measure a date by the server's own clock, which ours may not agree with."""
    try:
        wait = parsedate_to_datetime(then) - parsedate_to_datetime(now)
    except (ValueError, TypeError):
        return 0.0
    return min(max(wait.total_seconds(), 0.0), LONGEST_S)


def setup_error(error: Exception, server: str) -> ModelError:
    """Classify what kept the client from being made."""
    if isinstance(error, ImportError):
        return ModelError("rejected", f"the package anthropic cannot be loaded: {error}")
    import anthropic  # noqa: PLC0415  (loaded by now; at the top it would slow the start)

    if isinstance(error, anthropic.CredentialsError):
        return _no_key(str(error))
    return ModelError(
        "rejected", f"cannot use {server}: {one_line(str(error))}; check ANTHROPIC_BASE_URL"
    )


def sdk_error(error: Exception, server: str) -> ModelError:
    """Classify whatever the SDK raised before the reply began to stream."""
    import anthropic  # noqa: PLC0415  (loaded by now; at the top it would slow the start)

    if isinstance(error, anthropic.APIStatusError):
        return http_error(
            server,
            error.status_code,
            error.api_message or _body_text(error),
            error.type or "",
            error.response.headers,
        )
    if isinstance(error, anthropic.APITimeoutError):
        return ModelError(
            "unreachable",
            f"{server} did not answer in time; check ANTHROPIC_BASE_URL and network",
            retry=True,
        )
    if isinstance(error, (TypeError, anthropic.CredentialsError)):
        return _no_key(str(error))
    if isinstance(error, ValueError):
        return ModelError("rejected", f"the request cannot be sent: {one_line(str(error))}")
    return _unreachable(error, server)


def _unreachable(error: Exception, server: str) -> ModelError:
    import httpx2  # noqa: PLC0415  (as above)

    chain = tuple(_causes(error))
    cause = chain[-1]
    said = one_line(str(cause)) or type(cause).__name__
    if isinstance(cause, ssl.SSLError):
        return ModelError(
            "unreachable",
            f"no safe connection to {server}: {said}; check ANTHROPIC_BASE_URL, and SSL_CERT_FILE "
            "for a certificate of your own",
        )
    passing = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException)
    no_such_host = isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
    return ModelError(
        "unreachable",
        f"cannot reach {server}: {said}; check ANTHROPIC_BASE_URL and network",
        retry=any(isinstance(each, passing) for each in chain) and not no_such_host,
    )


def read_error(error: Exception, server: str) -> ModelError:
    """Classify what was raised while the reply was streaming."""
    what = one_line(str(error)) or type(error).__name__
    return ModelError(
        "cut_off", f"{server} cut the reply off ({what}); send the prompt again", retry=True
    )


def silence(server: str, idle_s: float) -> ModelError:
    """Say that nothing came for too long."""
    return ModelError(
        "cut_off", f"{server} was silent for {idle_s:g} s; send the prompt again", retry=True
    )


def _no_key(said: str) -> ModelError:
    return ModelError(
        "unauthorized", f"there is no usable key; set ANTHROPIC_API_KEY ({one_line(said)})"
    )


def _reason_of(status: int, kind: str, message: str) -> ModelFailureReason:
    if kind == "overloaded_error":
        return "overloaded"
    if status in _STATUS_REASONS:
        return _STATUS_REASONS[status]
    if status >= _FIRST_SERVER_STATUS:
        return "overloaded"
    return _too_long(message) or "rejected"


def _too_long(message: str) -> ModelFailureReason | None:
    said = message.lower()
    return "too_long" if any(words in said for words in _TOO_LONG_WORDS) else None


def _sentence(reason: ModelFailureReason, server: str, said: str, wish: float = 0.0) -> str:
    when = f"in {wish:.0f} s" if wish >= 1 else "in a moment"
    return _SENTENCES[reason].format(server=server, said=one_line(said), when=when)


def _body_text(error: "anthropic.APIStatusError") -> str:
    """Quote a body that is not of the API; markup tells a person nothing."""
    body = error.body if isinstance(error.body, str) else ""
    return "a web page" if body.lstrip().startswith("<") else body


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Go from what was raised down to what began it."""
    deeper: BaseException | None = error
    while deeper is not None:
        yield deeper
        deeper = deeper.__cause__ or deeper.__context__ or _one_of(deeper)


def _one_of(group: BaseException) -> BaseException | None:
    """Take the first of those that failed side by side, such as attempts to connect."""
    if isinstance(group, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", group).exceptions[0]
    return None
