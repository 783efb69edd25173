"""The gate that all model requests of a session pass: it knows the limits of the provider.

Without it, each agent of a tree would find out on its own that the provider limits requests. A
limit is one of a model, so there is a gate for each model; the server and the credentials are the
same for the whole session. An open gate lets requests pass without waiting. A request that hits a
limit pauses the gate. When the pause is over, the first waiting request is the *probe*: all others
keep waiting until it gets the first event of its reply (the gate opens, and they follow one after
the other), hits the limit again (a longer pause), or ends without an answer (the next one probes).
A *final* limit, such as a usage limit, is not waited for: waiting and new requests fail with the
service's own message. After a short time, one request may check whether it still applies.

Used from one event loop, like the model client.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from actors.models.backoff import LIMIT_BACKOFF, TEMPORARY_LIMITS
from actors.models.model_client import ModelError
from messages.failure_reasons import MAX_DURATION_S, MAX_RETRY_WAIT_S
from messages.turns import RequestPaused

PROBE_TIMEOUT_S = 60.0
"""If a probe has no answer after this time, the next request probes too."""
FINAL_LIMIT_S = 30.0
"""How long a final limit fails all requests before one may check it again."""
MAX_LIMITED_S = 900.0
"""A temporary limit that lasts this long becomes final."""
RELEASE_INTERVAL_S, MAX_RELEASE_S = 0.05, 10.0
"""Average time between two requests that an opened gate releases, each at a random time; with many
of them shorter, so that all follow within about `MAX_RELEASE_S`."""

OnPaused = Callable[[RequestPaused], None]


@dataclass(slots=True)
class Admission:
    """Permission to send one request."""

    generation: int
    """Number of pauses of the gate until it was given."""
    is_confirmed: bool = False
    """The server has begun to reply."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Why and until when the gate is closed."""

    error: ModelError
    until_s: float
    """Then the next request probes; while a probe runs, the end of its time."""
    is_final: bool = False


class Gate(Protocol):
    """What a request passes before it is sent. `RequestGate` implements it."""

    def admit(self, on_paused: OnPaused) -> AbstractAsyncContextManager[Admission]:
        """Wait until a request may be sent; send it in the context."""
        ...

    def confirm(self, admission: Admission) -> None:
        """Note that the server has begun to reply."""
        ...


class Gates(Protocol):
    """The gates of a session. `RequestGates` implements it."""

    def get(self, model: str) -> Gate:
        """Return the gate of a model."""
        ...


class RequestGates:
    """The gates of a session, one for each model."""

    def __init__(self, random: Random) -> None:
        """Start with open gates; `random` spreads the requests that they release."""
        self._random = random
        self._gates: dict[str, RequestGate] = {}

    def get(self, model: str) -> "RequestGate":
        """Return the gate of a model."""
        gate = self._gates.get(model)
        if gate is None:
            gate = self._gates[model] = RequestGate(self._random)
        return gate


class RequestGate:
    """The gate of one model."""

    def __init__(self, random: Random) -> None:
        """Start open."""
        self._random = random
        self._pause: Pause | None = None
        self._last_error = ModelError("rate_limited", "")
        self._waiters: dict[asyncio.Future[Admission], OnPaused] = {}
        self._timer: asyncio.TimerHandle | None = None
        """Lets the first waiting request pass."""
        self._generation = 0
        self._failure_count = 0
        """Pauses since the last complete reply."""
        self._limited_since_s = 0.0

    @asynccontextmanager
    async def admit(self, on_paused: OnPaused) -> AsyncGenerator[Admission]:
        """Wait until a request may be sent; send it in the context.

        `on_paused` reports the wait, and again whenever its end changes.

        Raises:
            ModelError: a final limit was reached.
        """
        admission = self._try_enter() or await self._wait(on_paused)
        try:
            yield admission
        except ModelError as error:
            self._on_failed(admission, error)
            raise
        else:
            if self._pause is None:
                self._failure_count = 0
        finally:
            self._on_left(admission)

    def confirm(self, admission: Admission) -> None:
        """Open the gate if the request is its probe: the server has begun to reply."""
        admission.is_confirmed = True
        if self._pause is not None and admission.generation == self._generation:
            self._pause = None
            self._set_timer()

    def _try_enter(self) -> Admission | None:
        """Return an admission, or None if the request must wait."""
        pause, now_s = self._pause, _now_s()
        if pause is not None and pause.is_final and now_s < pause.until_s:
            raise _copy_error(pause.error)
        if self._waiters or (pause is not None and now_s < pause.until_s):
            return None
        return self._admit_next()

    async def _wait(self, on_paused: OnPaused) -> Admission:
        future: asyncio.Future[Admission] = asyncio.get_running_loop().create_future()
        self._waiters[future] = on_paused
        if self._timer is None:
            self._set_timer()
        on_paused(self._describe_pause())
        try:
            return await future
        except asyncio.CancelledError:
            # It was admitted just before it was cancelled, perhaps as the probe.
            if future.done() and not future.cancelled() and future.exception() is None:
                self._on_left(future.result())
            raise
        finally:
            self._waiters.pop(future, None)

    def _admit_next(self) -> Admission:
        """Admit a request; while the gate is paused, it is the probe."""
        if self._pause is not None:
            self._pause = replace(self._pause, until_s=_now_s() + PROBE_TIMEOUT_S)
        return Admission(self._generation)

    def _on_failed(self, admission: Admission, error: ModelError) -> None:
        now_s = _now_s()
        is_temporary = error.reason in TEMPORARY_LIMITS
        if error.reason == "usage_limit" or (
            is_temporary and error.retry_after_s > MAX_RETRY_WAIT_S
        ):
            self._fail_all(error)
        elif is_temporary and self._pause and admission.generation != self._generation:
            # It was sent before the pause, so it says nothing new but how long to wait.
            until_s = max(self._pause.until_s, now_s + error.retry_after_s)
            self._start_pause(replace(self._pause, until_s=until_s))
        elif is_temporary:
            self._limited_since_s = self._limited_since_s if self._failure_count else now_s
            if now_s - self._limited_since_s >= MAX_LIMITED_S:
                error.is_retryable = False
                self._fail_all(error)
                return
            jitter = self._random.random()
            delay_s = error.retry_after_s or LIMIT_BACKOFF.get_delay_s(self._failure_count, jitter)
            self._failure_count += 1
            self._generation += 1
            self._start_pause(Pause(error, now_s + delay_s))

    def _start_pause(self, pause: Pause) -> None:
        self._pause, self._last_error = pause, pause.error
        self._set_timer()
        paused = self._describe_pause()
        for on_paused in self._waiters.values():
            on_paused(paused)

    def _fail_all(self, error: ModelError) -> None:
        """Start a final pause: every waiting request fails."""
        self._pause = Pause(error, _now_s() + FINAL_LIMIT_S, is_final=True)
        self._last_error = error
        self._generation += 1
        self._failure_count = 0
        waiters, self._waiters = self._waiters, {}
        for future in waiters:
            if not future.done():
                future.set_exception(_copy_error(error))
        self._set_timer()

    def _on_left(self, admission: Admission) -> None:
        """If a probe ends without an answer, let the next request probe."""
        pause = self._pause
        is_open_probe = not admission.is_confirmed and admission.generation == self._generation
        if pause is not None and is_open_probe:
            self._pause = replace(pause, until_s=min(pause.until_s, _now_s()))
            self._set_timer()

    def _set_timer(self) -> None:
        """Set when the first waiting request passes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiters:
            return
        if self._pause is not None:
            due_s = self._pause.until_s
        else:
            interval_s = min(RELEASE_INTERVAL_S, MAX_RELEASE_S / len(self._waiters))
            due_s = _now_s() + interval_s * 2 * self._random.random()
        self._timer = asyncio.get_running_loop().call_at(due_s, self._release_first)

    def _release_first(self) -> None:
        self._timer = None
        first = next((future for future in self._waiters if not future.done()), None)
        if first is not None:
            del self._waiters[first]
            first.set_result(self._admit_next())
            self._set_timer()

    def _describe_pause(self) -> RequestPaused:
        """Return what a waiting request reports; the wait is 0 if its end is not known."""
        wait_s = self._pause.until_s - _now_s() if self._pause else 0.0
        return RequestPaused(
            reason=self._last_error.reason,
            detail=self._last_error.detail,
            wait_s=round(min(max(wait_s, 0.0), MAX_DURATION_S), 3),
        )


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _copy_error(error: ModelError) -> ModelError:
    """Return the same error for another request: an exception is raised once."""
    return ModelError(error.reason, error.detail)
