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

from actors.models.bursts import bursts
from actors.models.client import ModelError, ModelRequest, Reply, Streamed
from actors.models.decoder import ReplyDecoder
from actors.models.error_answers import heed
from actors.models.faults import read_error, sdk_error, setup_error, silence, where
from actors.models.late_packages import load_late
from actors.models.lines import Lines, http_client
from actors.secrets import HOLDERS, hidden, secrets_of
from messages.models import ModelLimitsFound

if TYPE_CHECKING:
    import anthropic
    import httpx2

DEFAULT_URL = "https://api.anthropic.com"
CONNECT_S = 10.0
ANSWER_S = 600.0
"""A server may take this long before the first byte of its answer."""
IDLE_S = 60.0
"""A reply that has begun may be silent for this long; the API sends pings meanwhile."""
DRAIN_S = 0.25
"""Wait this long for the body to end after the reply is whole, so that the connection is reused."""
NO_KEY = "no-key"
"""Sent to a server of the user's own, which may not want one."""

MEASURE_S = 5.0
"""A server that has not told a model's limits by then is not listened to."""

_log = logging.getLogger("greenroom.models")
_CACHED: Any = {"type": "ephemeral"}
_LATE = ("anthropic.types", "anthropic.resources", "anthropic.lib")
"""Most packages in these only gather names, of which a request needs few."""
_USED = {
    "anthropic": ("AsyncAnthropic", "AsyncStream", "Timeout", "APIStatusError"),
    "anthropic.resources.models": ("AsyncModels",),
}


class AnthropicModel:
    """Implements `ModelClient`; one for the whole program, used from one event loop.

    With neither key nor token the SDK looks for its own credentials, unless a base URL is given.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        auth_token: str | None = None,
        *,
        idle_s: float = IDLE_S,
    ) -> None:
        self._base_url = base_url or None
        self._auth_token = None if api_key else auth_token or None
        self._api_key = api_key or (NO_KEY if base_url and not auth_token else None)
        self._secrets = secrets_of(
            dict(zip(HOLDERS, (api_key or "", auth_token or ""), strict=True))
        )
        self._idle_s = idle_s
        self._server = where(base_url or DEFAULT_URL)
        self._lines = Lines(self._make)

    async def prepare(self) -> "anthropic.AsyncAnthropic":
        """Load the SDK ahead of the first request; harmless when done twice.

        Raises:
            ModelError: the settings make no client, such as a base URL that is none.
        """
        return await self._lines.first()

    async def close(self) -> None:
        """Close the connections."""
        await self._lines.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Streamed | Reply, None]:
        """Send `request`; yields `Streamed` as it arrives, then exactly one `Reply`.

        Cancelling the task that iterates closes the connection.

        Raises:
            ModelError: the request ended without a whole reply.
        """
        head: dict[str, str] = {}
        try:
            async with (
                self._lines.taken() as client,
                aclosing(self._replies(client, request, head)) as events,
            ):
                async for event in events:
                    yield event
        except ModelError as error:
            if head:  # an answer that was an error has been heeded already
                heed(error, head)
            error.detail = hidden(error.detail.encode(), self._secrets).decode()
            error.args = (error.detail,)
            raise

    async def measure(self, model: str) -> ModelLimitsFound | None:
        """Ask what a model takes; None where the server does not say within `MEASURE_S`."""
        client = await self.prepare()
        try:
            async with asyncio.timeout(MEASURE_S):
                told = await client.models.retrieve(model)
            return ModelLimitsFound(
                model=model,
                context_tokens=told.max_input_tokens or 0,
                output_tokens=told.max_tokens or 0,
            )
        except Exception:  # noqa: BLE001  (whatever answers there, it must do no harm)
            _log.info("%s does not say what %s takes", self._server, model)
            return None

    async def _replies(
        self, client: "anthropic.AsyncAnthropic", request: ModelRequest, head: dict[str, str]
    ) -> AsyncGenerator[Streamed | Reply, None]:
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
                raise sdk_error(error, self._server) from error
            opened.push_async_callback(response.aclose)
            head.update(response.headers)
            try:
                async with aclosing(bursts(response.aiter_bytes(), self._idle_s)) as arriving:
                    async for burst in arriving:
                        yield burst
            except TimeoutError as error:
                raise silence(self._server, self._idle_s) from error
            except Exception as error:
                raise read_error(error, self._server) from error

    def _make(self, first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
        try:
            load_sdk()
            import anthropic  # noqa: PLC0415  (see the top of this module)

            connections = http_client(self._base_url)
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
            raise setup_error(error, self._server) from error
        self._server = where(str(client.base_url))
        return client


def load_sdk() -> None:
    """Import the SDK, on any thread; the program does so once its first screen is drawn."""
    load_late("anthropic", _LATE, _use_sdk)


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
        content=body_of(request),
        options={
            "headers": request.headers,
            "timeout": anthropic.Timeout(ANSWER_S, connect=CONNECT_S),
        },
        cast_to=httpx2.Response,
        stream=True,
        stream_cls=anthropic.AsyncStream[Any],
    )
    answer: httpx2.Response = response  # typed as the stream that `cast_to` keeps it from being
    return answer


def body_of(request: ModelRequest) -> bytes:
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
        async with asyncio.timeout(DRAIN_S):
            async for _ in arriving:
                pass
    except (TimeoutError, ModelError):
        return
