"""The client for servers that speak the Messages API, built on the anthropic SDK.

The SDK handles the transport (credentials, headers, TLS, connection pool); our own decoder reads
the replies. The SDK is imported on first use, on a worker thread, because the import takes longer
than the rest of startup. Its retries are off, so the agent decides when to retry and shows it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from actors.models.client_pool import ClientPool, make_http_client
from actors.models.http_errors import apply_retry_headers
from actors.models.lazy_import import import_lazily
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.optional_settings import OptionalSetting, find_rejected_setting
from actors.models.read_coalescing import coalesce_reads
from actors.models.remote_compaction import (
    COMPACTION_BETA,
    announces_compaction,
    has_compaction_block,
    list_compaction_betas,
    names_compaction,
)
from actors.models.reply_decoder import ReplyDecoder
from actors.models.request_body import build_request_body, describe_setting, list_optional_settings
from actors.models.sdk_errors import (
    classify_read_error,
    classify_sdk_error,
    classify_setup_error,
    make_block_rejected_error,
    make_idle_timeout_error,
    make_setting_rejected_error,
    redact_base_url,
)
from actors.models.thinking_binding import (
    DROP_BETA,
    DROP_FIELDS,
    REJECTED_STATUSES,
    has_bound_thinking,
)
from actors.redaction.redaction import redact, redact_json
from messages.model_limits import ModelLimitsFound

if TYPE_CHECKING:
    import anthropic
    import httpx2

DEFAULT_BASE_URL = "https://api.anthropic.com"
CONNECT_TIMEOUT_S = 10.0
RESPONSE_TIMEOUT_S = 600.0
"""Longest wait for the first byte of a response."""
IDLE_TIMEOUT_S = 60.0
"""Longest gap within a reply; the API sends pings while it has no data."""
DRAIN_TIMEOUT_S = 0.25
"""Longest wait for the end of the body after a complete reply, to reuse the connection."""
PLACEHOLDER_KEY = "no-key"
"""Sent to the user's own server if no key is set, since such a server may not need one."""
LIMITS_TIMEOUT_S = 5.0
"""Longest wait for a model's limits."""

_log = logging.getLogger("greenroom.models")
_LAZY_PACKAGES = ("anthropic.types", "anthropic.resources", "anthropic.lib")
"""Packages that mostly re-export names, of which a request needs only a few."""
_USED_NAMES = ("AsyncAnthropic", "AsyncStream", "Timeout", "APIStatusError")
_DEFERRED_FUNCTIONS: dict[str, tuple[str, ...]] = {
    # Most of the SDK's import is for these: a class for each error of each endpoint, and the
    # parameters of all requests for traces, which no one records.
    "anthropic._error_classes": ("make_status_error",),
    "anthropic.lib._tracing._api_call": ("finish_api_call_span",),
}


class AnthropicClient:
    """Implements `ModelClient`; one for the whole program, used from one event loop.

    Without key, token and base URL, the SDK looks for credentials itself.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        auth_token: str | None = None,
        *,
        idle_timeout_s: float = IDLE_TIMEOUT_S,
        secrets: tuple[bytes, ...] = (),
    ) -> None:
        """Create a client; `secrets` are redacted from requests and errors."""
        self._base_url = base_url or None
        self._auth_token = None if api_key else auth_token or None
        self._api_key = api_key or (PLACEHOLDER_KEY if base_url and not auth_token else None)
        self._secrets = secrets
        self._idle_timeout_s = idle_timeout_s
        self._drops_thinking = True
        """Whether the server may support the request to drop invalid thinking."""
        self._rejected_settings: set[tuple[str, str]] = set()
        """Models, and descriptions of the settings that are left out for them from now on."""
        self._server = redact_base_url(base_url or DEFAULT_BASE_URL)
        self._pool = ClientPool(self._make_client)

    async def prepare(self) -> "anthropic.AsyncAnthropic":
        """Import the SDK and create a client before the first request; safe to call twice.

        Raises:
            ModelError: the settings are invalid, for example the base URL.
        """
        return await self._pool.open_first()

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        """Send `request`; yield `ReplyDelta`s as they arrive, then exactly one `Reply`.

        Cancelling the iterating task closes the connection.

        Raises:
            ModelError: the request ended without a complete reply.
        """
        response_headers: dict[str, str] = {}
        try:
            async with (
                self._pool.acquire() as client,
                aclosing(self._stream_reply(client, request, response_headers)) as events,
            ):
                async for event in events:
                    yield event
        except ModelError as error:
            if response_headers:  # empty for an HTTP error, which has applied its own
                apply_retry_headers(error, response_headers)
            error.detail = redact(error.detail.encode(), self._secrets).decode()
            error.args = (error.detail,)
            raise

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Ask the server for a model's token limits; None if it does not answer in time."""
        client = await self.prepare()
        try:
            # On a thread, because an import would block the loop.
            await asyncio.to_thread(import_module, "anthropic.resources.models")
            async with asyncio.timeout(LIMITS_TIMEOUT_S):
                model_info = await client.models.retrieve(model)
            return ModelLimitsFound(
                model=model,
                max_context_tokens=model_info.max_input_tokens or 0,
                max_output_tokens=model_info.max_tokens or 0,
            )
        except Exception:  # noqa: BLE001  (optional information, so any failure is ignored)
            _log.info("%s does not report the limits of %s", self._server, model)
            return None

    async def _stream_reply(
        self,
        client: "anthropic.AsyncAnthropic",
        request: ModelRequest,
        response_headers: dict[str, str],
    ) -> AsyncGenerator[ReplyDelta | Reply, None]:
        decoder = ReplyDecoder(self._server)
        reply: Reply | None = None
        async with aclosing(self._read_body(client, request, response_headers)) as body:
            async for data in body:
                for event in decoder.feed(data):
                    if isinstance(event, Reply):
                        reply = event
                    else:
                        yield event
                if reply is not None:
                    await _drain(body)
                    break
        decoder.finish()
        if reply is not None:
            yield reply

    async def _read_body(
        self,
        client: "anthropic.AsyncAnthropic",
        request: ModelRequest,
        response_headers: dict[str, str],
    ) -> AsyncGenerator[bytes, None]:
        async with AsyncExitStack() as stack:
            try:
                response = await self._send(client, request)
            except ModelError:
                raise
            except Exception as error:
                raise classify_sdk_error(error, self._server) from error
            stack.push_async_callback(response.aclose)
            response_headers.update(response.headers)
            try:
                async with aclosing(
                    coalesce_reads(response.aiter_bytes(), self._idle_timeout_s)
                ) as reads:
                    async for data in reads:
                        yield data
            except TimeoutError as error:
                raise make_idle_timeout_error(self._server, self._idle_timeout_s) from error
            except Exception as error:
                raise classify_read_error(error, self._server) from error

    async def _send(
        self, client: "anthropic.AsyncAnthropic", request: ModelRequest
    ) -> "httpx2.Response":
        """Send a request; the first time that a setting of it is rejected, fail and remember that.

        Raises:
            ModelError: a setting was rejected, and the same request is then sent without it; or a
                compaction block was, which the caller leaves out; or no model writes one here.
        """
        import anthropic  # noqa: PLC0415  (see the top of this module)

        if request.compaction is not None:
            await self._require_compaction(client, request.model)
        settings: set[OptionalSetting] = {
            setting
            for setting in list_optional_settings(request)
            if (request.model, describe_setting(setting, request)) not in self._rejected_settings
        }
        prepared = _PreparedRequest(request, settings, self._secrets)
        try:
            return await self._send_prepared(client, prepared)
        except anthropic.APIStatusError as error:
            if error.status_code not in REJECTED_STATUSES:
                raise
            has_block = has_compaction_block(request)
            if has_block and names_compaction(error):
                raise make_block_rejected_error(error, self._server) from error
            setting = find_rejected_setting(str(error), settings)
            if setting is None:
                if has_block and classify_sdk_error(error, self._server).reason == "rejected":
                    raise make_block_rejected_error(error, self._server) from error
                raise
            description = describe_setting(setting, request)
            self._rejected_settings.add((request.model, description))
            raise make_setting_rejected_error(
                error, self._server, description, request.model
            ) from error

    async def _send_prepared(
        self, client: "anthropic.AsyncAnthropic", prepared: "_PreparedRequest"
    ) -> "httpx2.Response":
        """Send a request; ask the server to drop invalid thinking, unless it rejects that."""
        asks_to_drop = "thinking" in prepared.settings and has_bound_thinking(prepared.request)
        if not self._drops_thinking or not asks_to_drop:
            return await prepared.send(client)
        import anthropic  # noqa: PLC0415  (see the top of this module)

        try:
            return await prepared.send(client, drops_thinking=True)
        except anthropic.APIStatusError as error:
            if error.status_code not in REJECTED_STATUSES:
                raise
        response = await prepared.send(client)
        self._drops_thinking = False
        return response

    async def _require_compaction(self, client: "anthropic.AsyncAnthropic", model: str) -> None:
        """Check that the server announces compaction for a model.

        Raises:
            ModelError: it does not.
        """
        await asyncio.to_thread(import_module, "anthropic.resources.models")
        async with asyncio.timeout(LIMITS_TIMEOUT_S):
            headers = {"anthropic-beta": COMPACTION_BETA}
            model_info = await client.models.retrieve(model, extra_headers=headers)
        if not announces_compaction(model_info):
            detail = f"{self._server} does not announce compaction for {model}"
            raise ModelError(reason="rejected", detail=detail)

    def _make_client(self, first: "anthropic.AsyncAnthropic | None") -> "anthropic.AsyncAnthropic":
        try:
            load_sdk()
            import anthropic  # noqa: PLC0415  (see the top of this module)

            http_client = make_http_client(self._base_url)
            if first is not None:
                return first.with_options(http_client=http_client)
            client = anthropic.AsyncAnthropic(
                api_key=self._api_key,
                auth_token=self._auth_token,
                base_url=self._base_url,
                max_retries=0,
                http_client=http_client,
            )
        except Exception as error:
            raise classify_setup_error(error, self._server) from error
        self._server = redact_base_url(str(client.base_url))
        return client


def load_sdk() -> None:
    """Import the SDK, on any thread; the program does it after drawing its first screen."""
    import_lazily("anthropic", _LAZY_PACKAGES, _DEFERRED_FUNCTIONS, _import_used_names)


def _import_used_names() -> None:
    """Import what a request needs."""
    import anthropic  # noqa: PLC0415  (see the top of this module)

    for name in _USED_NAMES:
        getattr(anthropic, name)


@dataclass(frozen=True, slots=True)
class _PreparedRequest:
    """A request with the settings that it is sent with."""

    request: ModelRequest
    settings: set[OptionalSetting]
    secrets: tuple[bytes, ...]

    async def send(
        self, client: "anthropic.AsyncAnthropic", *, drops_thinking: bool = False
    ) -> "httpx2.Response":
        """Send the request and return the response, whose body is not read yet.

        The body is encoded here. The SDK would copy the whole conversation value by value, to
        handle files, dates and omitted fields, which ours never contains.
        """
        import anthropic  # noqa: PLC0415  (see the top of this module)
        import httpx2  # noqa: PLC0415  (as above)

        request, fields = self.request, DROP_FIELDS if drops_thinking else {}
        betas = [*list_compaction_betas(request), *([DROP_BETA] if drops_thinking else [])]
        headers = dict(request.headers)
        if betas:
            headers["anthropic-beta"] = ",".join(betas)
        body = build_request_body(request, self.settings, fields)
        stream: Any = await client.post(
            "/v1/messages",
            content=redact_json(body, self.secrets),
            options={
                "headers": headers,
                "timeout": anthropic.Timeout(RESPONSE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            },
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=anthropic.AsyncStream[Any],
        )
        response: httpx2.Response = stream  # `cast_to` changes the type at run time only
        return response


async def _drain(body: AsyncIterator[bytes]) -> None:
    """Read the rest of the body; if the server keeps it open, the connection is not reused."""
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            async for _ in body:
                pass
    except (TimeoutError, ModelError):
        return
