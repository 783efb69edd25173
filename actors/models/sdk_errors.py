"""Classification of the SDK's exceptions: a closed reason, and one line for the user.

`http_errors` classifies error responses. This module classifies requests that got no response, or
only a part of one.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from pydantic_core import to_json

from actors.models.http_errors import (
    ErrorResponse,
    classify_http_error,
    format_one_line,
    summarize_response,
)
from actors.models.model_client import ModelError

if TYPE_CHECKING:  # the SDK takes over half a second to import, too long before the first screen
    import anthropic


_NETWORK_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables that the HTTP client reads; it also reads the proxy variables in lowercase."""


def redact_base_url(base_url: str) -> str:
    """Return a URL that is safe to show: without user name, password or query."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return _drop_user(base_url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}" if host else _drop_user(base_url)


def _drop_user(text: str) -> str:
    """Drop everything before the last `@`: even an invalid URL may contain a password."""
    return format_one_line(text.rpartition("@")[2])


def classify_setup_error(error: Exception, server: str) -> ModelError:
    """Classify an exception raised while creating the client."""
    # Without a name, the missing package is one that a proxy setting needs, not the SDK.
    if isinstance(error, ImportError) and error.name:
        detail = f"the anthropic package cannot be imported ({error}); reinstall greenroom"
        return ModelError("rejected", detail)
    import anthropic  # noqa: PLC0415  (already imported; at the top it would slow the start)

    if isinstance(error, anthropic.CredentialsError):
        return _make_key_error(str(error))
    return ModelError(
        "rejected",
        f"cannot set up a connection to {server} ({format_one_line(str(error))}); "
        f"check {_list_settings()}",
    )


def classify_sdk_error(error: Exception, server: str) -> ModelError:
    """Classify an exception that the SDK raised before the reply started."""
    import anthropic  # noqa: PLC0415  (already imported; at the top it would slow the start)

    if isinstance(error, anthropic.APIStatusError):
        return classify_http_error(server, _to_error_response(error))
    if isinstance(error, anthropic.APITimeoutError):
        return ModelError(
            "unreachable",
            f"{server} did not answer in time; check ANTHROPIC_BASE_URL and your network",
            is_retryable=True,
        )
    if isinstance(error, (TypeError, anthropic.CredentialsError)):
        return _make_key_error(str(error))
    if isinstance(error, ValueError):
        text = format_one_line(str(error))
        return ModelError(
            "rejected",
            f"the request cannot be sent ({text}); check ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL",
        )
    return _classify_connection_error(error, server)


def make_setting_rejected_error(
    error: "anthropic.APIStatusError", server: str, setting: str, model: str
) -> ModelError:
    """Return the error for a setting that the model or the server does not accept."""
    response = summarize_response(_to_error_response(error))
    detail = (
        f"{server} does not accept {setting} for {model} ({response}); "
        "requests leave it out from now on"
    )
    return ModelError("setting_rejected", detail, is_retryable=True)


def make_block_rejected_error(error: "anthropic.APIStatusError", server: str) -> ModelError:
    """Return the error for a request whose compaction block may be the reason."""
    response = summarize_response(_to_error_response(error))
    detail = f"{server} rejected the summary that it wrote itself ({response})"
    return ModelError("compaction_rejected", detail)


def _to_error_response(error: "anthropic.APIStatusError") -> ErrorResponse:
    body = error.body
    raw_body = body if isinstance(body, str) else to_json(body).decode() if body else ""
    return ErrorResponse(
        status=error.status_code,
        error_type=error.type or "",
        message=error.api_message or raw_body,
        headers=error.response.headers,
        error_code=error.error_code or "",
    )


def _classify_connection_error(error: Exception, server: str) -> ModelError:
    import httpx2  # noqa: PLC0415  (as above)

    causes = tuple(_iterate_causes(error))
    root_cause = causes[-1]
    text = format_one_line(str(root_cause)) or type(root_cause).__name__
    if isinstance(root_cause, ssl.SSLError):
        return ModelError(
            "unreachable",
            f"no secure connection to {server} ({text}); check ANTHROPIC_BASE_URL, or set "
            "SSL_CERT_FILE if the server uses a private certificate authority",
        )
    if any(isinstance(cause, httpx2.ProxyError) for cause in causes):
        return ModelError(
            "unreachable", f"the proxy cannot reach {server} ({text}); check {_list_settings()}"
        )
    temporary_errors = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException)
    is_unknown_host = (
        isinstance(root_cause, socket.gaierror) and root_cause.errno != socket.EAI_AGAIN
    )
    is_temporary = any(isinstance(cause, temporary_errors) for cause in causes)
    return ModelError(
        "unreachable",
        f"cannot reach {server} ({text}); check ANTHROPIC_BASE_URL and your network",
        is_retryable=is_temporary and not is_unknown_host,
    )


def classify_read_error(error: Exception, server: str) -> ModelError:
    """Classify an exception raised while the reply was streaming."""
    text = format_one_line(str(error)) or type(error).__name__
    return ModelError(
        "stream_interrupted",
        f"the connection to {server} was lost during the reply ({text}); send the prompt again",
        is_retryable=True,
    )


def make_idle_timeout_error(server: str, idle_timeout_s: float) -> ModelError:
    """Return the error for a reply that stopped arriving."""
    return ModelError(
        "stream_interrupted",
        f"{server} sent nothing for {idle_timeout_s:g} s; send the prompt again",
        is_retryable=True,
    )


def _list_settings() -> str:
    """List the variables in effect that configure the server's address and how to reach it."""
    environment = os.environ
    names = (
        name
        for name in _NETWORK_VARIABLES
        if environment.get(name) or environment.get(name.lower())
    )
    return ", ".join(("ANTHROPIC_BASE_URL", *names))


def _make_key_error(text: str) -> ModelError:
    return ModelError(
        "unauthorized", f"no usable API key ({format_one_line(text)}); set ANTHROPIC_API_KEY"
    )


def _iterate_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes, the original one last."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__ or _first_in_group(current)


def _first_in_group(group: BaseException) -> BaseException | None:
    """Return the first of several exceptions, such as parallel connection attempts."""
    if isinstance(group, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", group).exceptions[0]
    return None
