"""The scripted model: an offline stand-in that plays a script through the same SDK."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from actors.models.anthropic_client import AnthropicClient
from actors.models.loopback_server import LoopbackServer, Script, start_loopback_server
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta


class ScriptedModel:
    """Implements `ModelClient` with a script; its port is opened on first use.

    Pace 1 streams at reading speed, pace 0 without pauses.
    """

    def __init__(self, script: Script, pace: float = 1.0) -> None:
        self._script = script
        self._pace = pace
        self._lock = asyncio.Lock()
        self._server: LoopbackServer | None = None
        self._client: AnthropicClient | None = None

    async def prepare(self) -> AnthropicClient:
        """Open the port and import the SDK before the first request; safe to call twice.

        Raises:
            ModelError: no port could be opened.
        """
        async with self._lock:
            if self._client is None:
                try:
                    self._server = await start_loopback_server(self._script, self._pace)
                except OSError as error:
                    raise ModelError(
                        reason="unreachable",
                        detail=f"the offline demo model could not open a local port ({error}); "
                        "send the prompt again",
                    ) from error
                self._client = AnthropicClient(self._server.base_url)
            await self._client.prepare()
            return self._client

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        """Stream the script's next reply, as `ModelClient.stream` does."""
        client = await self.prepare()
        async with aclosing(client.stream(request)) as events:
            async for event in events:
                yield event

    async def look_up_limits(self, model: str) -> None:
        """Return None: a script has no token limits."""

    async def close(self) -> None:
        """Close the connections and the port."""
        if self._client is not None:
            await self._client.close()
        if self._server is not None:
            await self._server.close()
