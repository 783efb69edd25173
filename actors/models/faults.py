"""Every way a model request fails, told once: a closed reason, and one line for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from actors.models.client import ModelError
from messages.models import ModelFailureReason

if TYPE_CHECKING:  # the SDK takes over half a second to load: never on the way to the first screen
    import anthropic

SHOWN_CHARS = 300
"""Longest part of a server's own words that is shown."""

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
    "too_long": "the conversation is too long for the model ({said}); start a new session",
    "rate_limited": "{server} limits the rate ({said}); send the prompt again {when}",
    "overloaded": "{server} is overloaded ({said}); send the prompt again {when}",
    "unreachable": "{server} did not answer ({said}); send the prompt again {when}",
    "rejected": "{server} rejected the request ({said})",
}


def where(base_url: str) -> str:
    """Name a server for people: without user, password and query."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return one_line(base_url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}" if host else one_line(base_url)


def one_line(text: str) -> str:
    """Make a server's words fit to show: one line, printable, not endless."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= SHOWN_CHARS else f"{words[:SHOWN_CHARS]}…"


def stream_error(server: str, kind: str, message: str) -> ModelError:
    """Classify an `error` event; its HTTP status was 200 and says nothing."""
    reason = _too_long(message) or _REASONS.get(kind, "rejected")
    return _failure(reason, server, message or kind)


def http_error(
    server: str, status: int, message: str, kind: str = "", headers: Mapping[str, str] | None = None
) -> ModelError:
    """Classify an answer that is an HTTP error."""
    headers = headers or {}
    said = f"{status}: {message}" if message else str(status)
    reason = _reason_of(status, kind, message)
    if headers.get("x-should-retry") == "false" and reason in {"overloaded", "unreachable"}:
        reason = "rejected"
    return _failure(reason, server, said, headers.get("retry-after", ""))


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
            "unreachable", f"{server} did not answer in time; check ANTHROPIC_BASE_URL and network"
        )
    if isinstance(error, (TypeError, anthropic.CredentialsError)):
        return _no_key(str(error))
    if isinstance(error, ValueError):
        return ModelError("rejected", f"the request cannot be sent: {one_line(str(error))}")
    return ModelError(
        "unreachable",
        f"cannot reach {server}: {_root_cause(error)}; check ANTHROPIC_BASE_URL and network",
    )


def read_error(error: Exception, server: str) -> ModelError:
    """Classify what was raised while the reply was streaming."""
    what = one_line(str(error)) or type(error).__name__
    return ModelError("cut_off", f"{server} cut the reply off ({what}); send the prompt again")


def silence(server: str, idle_s: float) -> ModelError:
    """Say that nothing came for too long."""
    return ModelError("cut_off", f"{server} was silent for {idle_s:g} s; send the prompt again")


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


def _failure(
    reason: ModelFailureReason, server: str, said: str, retry_after: str = ""
) -> ModelError:
    when = f"in {retry_after} s" if retry_after.isdecimal() else "in a moment"
    sentence = _SENTENCES[reason]
    return ModelError(reason, sentence.format(server=server, said=one_line(said), when=when))


def _body_text(error: "anthropic.APIStatusError") -> str:
    return error.body if isinstance(error.body, str) else ""


def _root_cause(error: BaseException) -> str:
    while (deeper := error.__cause__ or error.__context__) is not None:
        error = deeper
    return one_line(str(error)) or type(error).__name__
