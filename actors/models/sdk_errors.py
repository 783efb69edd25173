"""Every way a model request fails, told once: a closed reason, and one line for people.

What a server answers is read in `error_answers`; here is what keeps it from answering.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from pydantic_core import to_json

from actors.models.http_errors import ErrorResponse, classify_http_error, format_one_line
from actors.models.model_client import ModelError

if TYPE_CHECKING:  # the SDK takes over half a second to load: never on the way to the first screen
    import anthropic


_ON_THE_WAY = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables that the HTTP client goes by; the proxies' count in lower case, too."""


def redact_base_url(base_url: str) -> str:
    """Name a server for people: without user, password and query."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return _without_user(base_url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}" if host else _without_user(base_url)


def _without_user(odd_url: str) -> str:
    """Drop all before the last `@`: what is no URL may hold a password all the same."""
    return format_one_line(odd_url.rpartition("@")[2])


def classify_setup_error(error: Exception, server: str) -> ModelError:
    """Classify what kept the client from being made."""
    if isinstance(error, ImportError) and error.name:  # without: of what the environment asks for
        return ModelError("rejected", f"the package anthropic cannot be loaded: {error}")
    import anthropic  # noqa: PLC0415  (loaded by now; at the top it would slow the start)

    if isinstance(error, anthropic.CredentialsError):
        return _no_key(str(error))
    return ModelError(
        "rejected", f"cannot use {server}: {format_one_line(str(error))}; check {_settings()}"
    )


def classify_sdk_error(error: Exception, server: str) -> ModelError:
    """Classify whatever the SDK raised before the reply began to stream."""
    import anthropic  # noqa: PLC0415  (loaded by now; at the top it would slow the start)

    if isinstance(error, anthropic.APIStatusError):
        return classify_http_error(server, _answer_of(error))
    if isinstance(error, anthropic.APITimeoutError):
        return ModelError(
            "unreachable",
            f"{server} did not answer in time; check ANTHROPIC_BASE_URL and network",
            is_retryable=True,
        )
    if isinstance(error, (TypeError, anthropic.CredentialsError)):
        return _no_key(str(error))
    if isinstance(error, ValueError):
        return ModelError("rejected", f"the request cannot be sent: {format_one_line(str(error))}")
    return _unreachable(error, server)


def _answer_of(error: "anthropic.APIStatusError") -> ErrorResponse:
    body = error.body
    bare = body if isinstance(body, str) else to_json(body).decode() if body else ""
    return ErrorResponse(
        status=error.status_code,
        error_type=error.type or "",
        message=error.api_message or bare,
        headers=error.response.headers,
    )


def _unreachable(error: Exception, server: str) -> ModelError:
    import httpx2  # noqa: PLC0415  (as above)

    chain = tuple(_causes(error))
    cause = chain[-1]
    said = format_one_line(str(cause)) or type(cause).__name__
    if isinstance(cause, ssl.SSLError):
        return ModelError(
            "unreachable",
            f"no safe connection to {server}: {said}; check ANTHROPIC_BASE_URL, and SSL_CERT_FILE "
            "for a certificate of your own",
        )
    if any(isinstance(each, httpx2.ProxyError) for each in chain):
        return ModelError(
            "unreachable", f"the proxy does not lead to {server}: {said}; check {_settings()}"
        )
    passing = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException)
    no_such_host = isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
    return ModelError(
        "unreachable",
        f"cannot reach {server}: {said}; check ANTHROPIC_BASE_URL and network",
        is_retryable=any(isinstance(each, passing) for each in chain) and not no_such_host,
    )


def classify_read_error(error: Exception, server: str) -> ModelError:
    """Classify what was raised while the reply was streaming."""
    what = format_one_line(str(error)) or type(error).__name__
    return ModelError(
        "cut_off", f"{server} cut the reply off ({what}); send the prompt again", is_retryable=True
    )


def make_idle_timeout_error(server: str, idle_timeout_s: float) -> ModelError:
    """Say that nothing came for too long."""
    return ModelError(
        "cut_off",
        f"{server} was silent for {idle_timeout_s:g} s; send the prompt again",
        is_retryable=True,
    )


def _settings() -> str:
    """Name what says where the server is, and how it is reached and trusted."""
    given = (name for name in _ON_THE_WAY if os.environ.get(name) or os.environ.get(name.lower()))
    return ", ".join(("ANTHROPIC_BASE_URL", *given))


def _no_key(said: str) -> ModelError:
    return ModelError(
        "unauthorized", f"there is no usable key; set ANTHROPIC_API_KEY ({format_one_line(said)})"
    )


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
