"""The model client of a host: every request goes over the link to the program."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.request_gate import Admission, OnPaused
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
from messages.model_limits import ModelLimitsFound

_admitted_id: ContextVar[int] = ContextVar("admitted_id")
"""The request that the current job was admitted for."""


class HostModel:
    """Model client and gates of a host. The real ones are in the program, for all its agents."""

    def __init__(self, send: Callable[[ModelCall], None]) -> None:
        """Send calls with `send`; `on_event` receives the answers."""
        self._send = send
        self._events: dict[int, asyncio.Queue[ModelEvent]] = {}
        self._last_id = 0

    def on_event(self, event: ModelEvent) -> None:
        """Pass an answer to the request that it is for, unless that has ended."""
        if (events := self._events.get(event.id)) is not None:
            events.put_nowait(event)

    def get(self, model: str) -> "HostGate":
        """Return the gate of a model."""
        return HostGate(self, model)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Send a request that its gate has admitted; see `ModelClient`."""
        request_id = _admitted_id.get()
        self._send(Send(id=request_id, request=request))
        while True:
            match await self._events[request_id].get():
                case Delta(delta=delta):
                    yield delta
                case Replied(reply=reply):
                    yield reply
                    return
                case Failed() as failed:
                    raise _to_error(failed)
                case _:
                    pass

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Ask the program; see `ModelClient`."""
        with self._open() as (request_id, events):
            self._send(LookUpLimits(id=request_id, model=model))
            event = await events.get()
            return event.limits if isinstance(event, LimitsFound) else None

    def _open(self) -> "_OpenRequest":
        self._last_id += 1
        return _OpenRequest(self._last_id, self._events, self._send)

    @asynccontextmanager
    async def admit(self, model: str, on_paused: OnPaused) -> AsyncGenerator[Admission]:
        """Wait until the gate in the program admits a request; see `RequestGate.admit`."""
        with self._open() as (request_id, events):
            self._send(Admit(id=request_id, model=model))
            while True:
                match await events.get():
                    case Paused(paused=paused):
                        on_paused(paused)
                    case Failed() as failed:
                        raise _to_error(failed)
                    case Admitted():
                        break
                    case _:
                        pass
            _admitted_id.set(request_id)
            yield Admission(0)


class HostGate:
    """The gate of one model, as a host sees it."""

    def __init__(self, host_model: HostModel, model: str) -> None:
        """Stand for the gate of this model in the program."""
        self._host_model = host_model
        self._model = model

    @asynccontextmanager
    async def admit(self, on_paused: OnPaused) -> AsyncGenerator[Admission]:
        """Wait until a request may be sent; see `RequestGate.admit`."""
        async with self._host_model.admit(self._model, on_paused) as admission:
            yield admission

    def confirm(self, admission: Admission) -> None:
        """Note that a reply has begun; the real gate knows."""
        admission.is_confirmed = True


class _OpenRequest:
    """A request with its queue of answers; the program forgets it when it is left."""

    def __init__(
        self,
        request_id: int,
        events: dict[int, "asyncio.Queue[ModelEvent]"],
        send: Callable[[ModelCall], None],
    ) -> None:
        self._id, self._events, self._send = request_id, events, send

    def __enter__(self) -> tuple[int, "asyncio.Queue[ModelEvent]"]:
        queue = self._events[self._id] = asyncio.Queue[ModelEvent]()
        return self._id, queue

    def __exit__(self, *_: object) -> None:
        del self._events[self._id]
        self._send(Cancel(id=self._id))


def _to_error(failed: Failed) -> ModelError:
    return ModelError(
        failed.reason,
        failed.detail,
        is_retryable=failed.is_retryable,
        retry_after_s=failed.retry_after_s,
    )
