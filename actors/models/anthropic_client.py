"""A server that speaks the Messages API, reached through the SDK.

The SDK is the carrier (credentials, headers, TLS, connection pool); the replies are read by our
own decoder. It is loaded on first use, on
a worker thread: it takes longer than everything else together. Its retries are off, so that
waiting is the agent's decision and visible.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from actors.models.client_pool import Lines, make_http_client
from actors.models.http_errors import apply_retry_headers
from actors.models.lazy_import import import_lazily
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.read_coalescing import coalesce_reads
from actors.models.reply_decoder import ReplyDecoder
from actors.models.sdk_errors import (
    classify_read_error,
    classify_sdk_error,
    classify_setup_error,
    make_idle_timeout_error,
    redact_base_url,
)
from actors.redaction.redaction import SECRET_VARIABLES, read_secrets, redact
from messages.model_events import ModelLimitsFound

if TYPE_CHECKING:
    import anthropic
    import httpx2

DEFAULT_BASE_URL = "https://api.anthropic.com"
CONNECT_TIMEOUT_S = 10.0
RESPONSE_TIMEOUT_S = 600.0
"""A server may take this long before the first byte of its answer."""
IDLE_TIMEOUT_S = 60.0
"""A reply that has begun may be silent for this long; the API sends pings meanwhile."""
DRAIN_TIMEOUT_S = 0.25
"""Wait this long for the body to end after the reply is whole, so that the connection is reused."""
PLACEHOLDER_KEY = "no-key"
"""Sent to a server of the user's own, which may not want one."""

LIMITS_TIMEOUT_S = 5.0
"""A server that has not told a model's limits by then is not listened to."""

_log = logging.getLogger("greenroom.models")
_CACHED: Any = {"type": "ephemeral"}
_LATE = ("anthropic.types", "anthropic.resources", "anthropic.lib")
"""Most packages in these only gather names, of which a request needs few."""
_USED = {
    "anthropic": ("AsyncAnthropic", "AsyncStream", "Timeout", "APIStatusError"),
    "anthropic.resources.models": ("AsyncModels",),
}


class AnthropicClient:
    """Implements `ModelClient`; one for the whole program, used from one event loop.

    With neither key nor token the SDK looks for its own credentials, unless a base URL is given.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        auth_token: str | None = None,
        *,
        idle_timeout_s: float = IDLE_TIMEOUT_S,
    ) -> None:
        self._base_url = base_url or None
        self._auth_token = None if api_key else auth_token or None
        self._api_key = api_key or (PLACEHOLDER_KEY if base_url and not auth_token else None)
        self._secrets = read_secrets(
            dict(zip(SECRET_VARIABLES, (api_key or "", auth_token or ""), strict=True))
        )
        self._idle_s = idle_timeout_s
        self._server = redact_base_url(base_url or DEFAULT_BASE_URL)
        self._lines = Lines(self._make)

    async def prepare(self) -> "anthropic.AsyncAnthropic":
        """Load the SDK ahead of the first request; harmless when done twice.

        Raises:
            ModelError: the settings make no client, such as a base URL that is none.
        """
        return await self._lines.open_first()

    async def close(self) -> None:
        """Close the connections."""
        await self._lines.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        """Send `request`; yields `Streamed` as it arrives, then exactly one `Reply`.

        Cancelling the task that iterates closes the connection.

        Raises:
            ModelError: the request ended without a whole reply.
        """
        head: dict[str, str] = {}
        try:
            async with (
                self._lines.acquire() as client,
                aclosing(self._replies(client, request, head)) as events,
            ):
                async for event in events:
                    yield event
        except ModelError as error:
            if head:  # an answer that was an error has been heeded already
                apply_retry_headers(error, head)
            error.detail = redact(error.detail.encode(), self._secrets).decode()
            error.args = (error.detail,)
            raise

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Ask what a model takes; None where the server does not say within `MEASURE_S`."""
        client = await self.prepare()
        try:
            async with asyncio.timeout(LIMITS_TIMEOUT_S):
                told = await client.models.retrieve(model)
            return ModelLimitsFound(
                model=model,
                max_context_tokens=told.max_input_tokens or 0,
                max_output_tokens=told.max_tokens or 0,
            )
        except Exception:  # noqa: BLE001  (whatever answers there, it must do no harm)
            _log.info("%s does not say what %s takes", self._server, model)
            return None

    async def _replies(
        self, client: "anthropic.AsyncAnthropic", request: ModelRequest, head: dict[str, str]
    ) -> AsyncGenerator[ReplyDelta | Reply, None]:
        decoder = ReplyDecoder(self._server)
        reply: Reply | None = None
        async with aclosing(self._bursts(client, request, head)) as arriving:
            async for burst in arriving:
                for event in decoder.feed(burst):
                    if isinstance(event, Reply):
                        reply = event
                    else:
                        yield event
                if reply is not None:
                    await _drain(arriving)
                    break
        decoder.finish()
        if reply is not None:
            yield reply

    async def _bursts(
        self, client: "anthropic.AsyncAnthropic", request: ModelRequest, head: dict[str, str]
    ) -> AsyncGenerator[bytes, None]:
        async with AsyncExitStack() as opened:
            try:
                response = await _sent(client, request)
            except Exception as error:
                raise classify_sdk_error(error, self._server) from error
            opened.push_async_callback(response.aclose)
            head.update(response.headers)
            try:
                async with aclosing(
                    coalesce_reads(response.aiter_bytes(), self._idle_s)
                ) as arriving:
                    async for burst in arriving:
                        yield burst
            except TimeoutError as error:
                raise make_idle_timeout_error(self._server, self._idle_s) from error
            except Exception as error:
                raise classify_read_error(error, self._server) from error

    def _make(self, first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
        try:
            load_sdk()
            import anthropic  # noqa: PLC0415  (see the top of this module)

            connections = make_http_client(self._base_url)
            if first is not None:
                return first.with_options(http_client=connections)
            client = anthropic.AsyncAnthropic(
                api_key=self._api_key,
                auth_token=self._auth_token,
                base_url=self._base_url,
                max_retries=0,
                http_client=connections,
            )
        except Exception as error:
            raise classify_setup_error(error, self._server) from error
        self._server = redact_base_url(str(client.base_url))
        return client


def load_sdk() -> None:
    """Import the SDK, on any thread; the program does so once its first screen is drawn."""
    import_lazily("anthropic", _LATE, _use_sdk)


def _use_sdk() -> None:
    """Load what a request needs."""
    for module, names in _USED.items():
        loaded = import_module(module)
        for name in names:
            getattr(loaded, name)


async def _sent(client: "anthropic.AsyncAnthropic", request: ModelRequest) -> "httpx2.Response":
    """Send a request; its answer has begun, and is left to whoever reads it.

    In bytes of our own: the SDK would first copy the whole conversation value by value, for
    what it may hold and ours never does (files, dates, omitted fields).
    """
    import anthropic  # noqa: PLC0415  (see the top of this module)
    import httpx2  # noqa: PLC0415  (as above)

    response: Any = await client.post(
        "/v1/messages",
        content=build_request_body(request),
        options={
            "headers": request.headers,
            "timeout": anthropic.Timeout(RESPONSE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
        },
        cast_to=httpx2.Response,
        stream=True,
        stream_cls=anthropic.AsyncStream[Any],
    )
    answer: httpx2.Response = response  # typed as the stream that `cast_to` keeps it from being
    return answer


def build_request_body(request: ModelRequest) -> bytes:
    """Write a request as the Messages API takes it, with the marks for what it is to cache.

    One mark stands at the end of tools and system prompt, a part that is kept also for other
    conversations; the one on the whole moves along, and leaves the conversation's bytes alone.
    """
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "cache_control": _CACHED,
        "stream": True,
        "messages": request.messages,
    }
    if request.system:
        body["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHED}]
    if request.tools:
        body["tools"] = request.tools
    return to_json(body)


async def _drain(arriving: AsyncIterator[bytes]) -> None:
    """Read what is left of the body; a server that keeps it open only loses its connection."""
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            async for _ in arriving:
                pass
    except (TimeoutError, ModelError):
        return
