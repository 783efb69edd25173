"""The stand-in for a model where there is no key: a script on loopback, through the same SDK."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from actors.models.anthropic_client import AnthropicClient
from actors.models.loopback_server import Loopback, Script, start_loopback_server
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta

SCRIPTED_MODEL_NAME = "rehearsal"


class ScriptedModel:
    """Implements `ModelClient` by a script; the port is opened on first use.

    `pace` 1 streams at reading speed, 0 without pauses.
    """

    def __init__(self, script: Script, pace: float = 1.0) -> None:
        self._script = script
        self._pace = pace
        self._opening = asyncio.Lock()
        self._loopback: Loopback | None = None
        self._model: AnthropicClient | None = None

    async def prepare(self) -> AnthropicClient:
        """Open the port and load the SDK ahead of the first request; harmless when done twice.

        Raises:
            ModelError: this machine gives no port.
        """
        async with self._opening:
            if self._model is None:
                try:
                    self._loopback = await start_loopback_server(self._script, self._pace)
                except OSError as error:
                    raise ModelError(
                        reason="unreachable", detail=f"no port for the script: {error}"
                    ) from error
                self._model = AnthropicClient(self._loopback.base_url)
            await self._model.prepare()
            return self._model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        """Play the next reply, as `ModelClient.stream` promises."""
        model = await self.prepare()
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                yield event

    async def look_up_limits(self, model: str) -> None:
        """Nothing measures a script."""

    async def close(self) -> None:
        """Give the port back."""
        if self._model is not None:
            await self._model.close()
        if self._loopback is not None:
            await self._loopback.close()
