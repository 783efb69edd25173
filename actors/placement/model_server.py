"""Sends the model requests of a host: the key, the gates and the settings stay in the program."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from actors.models.model_client import SUBAGENT_HEADER, ModelClient, ModelError, ModelRequest, Reply
from actors.models.optional_settings import choose_max_tokens
from actors.models.request_gate import RequestGates
from actors.placement.frames import LinkError
from actors.placement.wire import (
    Admit,
    Admitted,
    Cancel,
    Delta,
    Failed,
    LimitsFound,
    LookUpLimits,
    ModelCall,
    ModelEvent,
    Paused,
    Replied,
    Send,
)

MAX_OPEN_REQUESTS = 100
"""More than the agents of one host send at the same time."""


@dataclass(slots=True)
class _OpenRequest:
    task: "asyncio.Task[None]"
    requests: "asyncio.Queue[ModelRequest]" = field(default_factory=asyncio.Queue[ModelRequest])


class ModelServer:
    """Serves the model calls of one host. Used on the event loop."""

    def __init__(
        self,
        client: ModelClient,
        gates: RequestGates,
        send: Callable[[ModelEvent], None],
        drain: Callable[[], Awaitable[None]],
    ) -> None:
        """Answer with `send`, and wait with `drain` while the link is full."""
        self._client = client
        self._gates = gates
        self._send = send
        self._drain = drain
        self._open: dict[int, _OpenRequest] = {}

    def on_call(self, call: ModelCall) -> None:
        """Start, continue or cancel a request.

        Raises:
            LinkError: the host has too many requests open, or sends one that was not admitted.
        """
        match call:
            case Admit():
                self._start(call.id, self._serve(call))
            case LookUpLimits():
                self._start(call.id, self._look_up_limits(call))
            case Send():
                if call.id not in self._open:
                    problem = "it sent a request that was not admitted"
                    raise LinkError(problem)
                self._open[call.id].requests.put_nowait(call.request)
            case Cancel():
                if (request := self._open.pop(call.id, None)) is not None:
                    request.task.cancel()
            case _:
                assert_never(call)

    async def close(self) -> None:
        """Cancel all requests, and wait until their connections are closed."""
        tasks = [request.task for request in self._open.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, request_id: int, serving: Coroutine[Any, Any, None]) -> None:
        if request_id in self._open or len(self._open) >= MAX_OPEN_REQUESTS:
            problem = "it has too many requests open"
            raise LinkError(problem)
        self._open[request_id] = _OpenRequest(asyncio.ensure_future(serving))

    async def _serve(self, call: Admit) -> None:
        """Send one request, from its admission to its end."""
        try:
            gate = self._gates.get(call.model)
            async with gate.admit(
                lambda paused: self._send(Paused(id=call.id, paused=paused))
            ) as admission:
                self._send(Admitted(id=call.id))
                request = _restrict(await self._open[call.id].requests.get(), call.model)
                async for item in self._client.stream(request):
                    if not admission.is_confirmed:
                        gate.confirm(admission)
                    if isinstance(item, Reply):
                        self._send(Replied(id=call.id, reply=item))
                    else:
                        self._send(Delta(id=call.id, delta=item))
                    await self._drain()
                error = ModelError("protocol_error", "the stream ended without a reply")
        except ModelError as raised:
            error = raised
        except Exception as raised:  # noqa: BLE001  (any client may be used; the host reports it)
            error = ModelError("protocol_error", f"the model client failed: {raised}")
        self._send(
            Failed(
                id=call.id,
                reason=error.reason,
                detail=error.detail,
                is_retryable=error.is_retryable,
                retry_after_s=error.retry_after_s,
            )
        )

    async def _look_up_limits(self, call: LookUpLimits) -> None:
        limits = await self._client.look_up_limits(call.model)
        self._send(LimitsFound(id=call.id, limits=limits))


def _restrict(request: ModelRequest, model: str) -> ModelRequest:
    """Return the request as the host may send it: it chooses messages and tools, and little else.

    The model is the one that the gate admitted.
    """
    headers = {name: text for name, text in request.headers.items() if name == SUBAGENT_HEADER}
    max_tokens = min(request.max_tokens, choose_max_tokens(model, request.effort))
    return replace(request, model=model, max_tokens=max_tokens, headers=headers)
