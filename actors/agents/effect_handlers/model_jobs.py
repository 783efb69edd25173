"""Jobs of an agent that call the model, look up its limits or wait."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from actors.models.model_client import ModelClient, ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.model_names import get_default_limits
from actors.models.request_gate import Admission, Gate
from actors.runtime.actor import JobFailure
from messages.content import Usage
from messages.failure_reasons import MAX_DURATION_S
from messages.model_limits import ModelLimitsFound
from messages.turns import (
    Delta,
    ReplyActivity,
    RequestInfo,
    RequestPaused,
    RequestResumed,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
)

ACTIVITY_INTERVAL_S = 5.0
"""Shortest time between two reports that a reply without text to show goes on."""
RequestEvent = Delta | RequestPaused | RequestResumed
"""What a running request reports."""
ONE_REQUEST = Usage(requests=1)
"""Usage of a request for which the server reported none."""


@dataclass
class ModelRequestJob:
    """One model request; keeps what has arrived in case the stream ends early."""

    client: ModelClient
    request: ModelRequest
    info: RequestInfo
    """Describes the request; its duration is added."""
    gate: Gate
    on_event: Callable[[RequestEvent], None]
    _texts: list[str] = field(default_factory=list[str])
    _usage: Usage = Usage()  # noqa: RUF009  (frozen, so it may be shared)
    _is_paused: bool = False
    _get_time_s: Callable[[], float] = float
    _sent_at_s: float = 0.0
    _last_activity_s: float = float("-inf")

    async def run(self) -> ModelReplied | ModelFailed:
        """Stream the reply; return a message for every expected outcome."""
        self._get_time_s = asyncio.get_running_loop().time
        self._sent_at_s = self._get_time_s()
        try:
            async with self.gate.admit(self._on_paused) as admission:
                reply = await self._stream(admission)
        except ModelError as error:
            return self._build_failed(error)
        if reply is None:
            return self._build_failed(
                ModelError("protocol_error", "the stream ended without a reply")
            )
        return self._build_replied(reply)

    async def _stream(self, admission: Admission) -> Reply | None:
        if self._is_paused:
            self.on_event(RequestResumed())
        self._usage, self._sent_at_s = ONE_REQUEST, self._get_time_s()
        reply: Reply | None = None
        async for item in self.client.stream(self.request):  # read to the end, so it closes
            if not admission.is_confirmed:
                self.gate.confirm(admission)
            if isinstance(item, Reply):
                reply = item
            else:
                self._on_reply_delta(item)
        return reply

    def _on_paused(self, paused: RequestPaused) -> None:
        self._is_paused = True
        self.on_event(paused)

    def on_failure(self, failure: JobFailure) -> ModelFailed:
        """Return the outcome of a job that was cancelled or raised."""
        if failure.kind == "cancelled":
            return self._build_failed(ModelError("cancelled", "interrupted"))
        problem = f"the model client failed: {failure.detail}"
        return self._build_failed(ModelError("protocol_error", problem))

    def _on_reply_delta(self, item: ReplyDelta) -> None:
        self._usage = item.usage or self._usage
        if item.thinking:
            self.on_event(ThinkingDelta(text=item.thinking))
        if item.text:
            self._texts.append(item.text)
            self.on_event(TextDelta(text=item.text))
        if item.tool_input_chars:
            self.on_event(ToolInputDelta(char_count=item.tool_input_chars))
        if not (item.thinking or item.text or item.tool_input_chars):
            self._report_activity()

    def _report_activity(self) -> None:
        now_s = self._get_time_s()
        if now_s - self._last_activity_s >= ACTIVITY_INTERVAL_S:
            self._last_activity_s = now_s
            self.on_event(ReplyActivity())

    def _build_failed(self, error: ModelError) -> ModelFailed:
        return ModelFailed(
            request=self._measure(),
            reason=error.reason,
            detail=error.detail,
            partial_text="".join(self._texts),
            usage=self._usage,
            retry=error.is_retryable,
            retry_after_s=error.retry_after_s,
        )

    def _build_replied(self, reply: Reply) -> ModelReplied:
        return ModelReplied(
            request=self._measure(),
            content=reply.content,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            model=reply.model,
            compaction_block=reply.compaction_block,
        )

    def _measure(self) -> RequestInfo:
        """Return the request with its duration so far."""
        duration_s = round(min(self._get_time_s() - self._sent_at_s, MAX_DURATION_S), 3)
        return self.info.model_copy(update={"duration_s": duration_s})


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """The delay before a request is retried; cancelling it ends the delay early."""

    request_number: int
    delay_s: float

    async def run(self) -> RetryDelayElapsed:
        """Wait for the delay."""
        await asyncio.sleep(self.delay_s)
        return self.on_failure()

    def on_failure(self, _failure: JobFailure | None = None) -> RetryDelayElapsed:
        """Return the outcome, the same whether the delay elapsed or was cancelled."""
        return RetryDelayElapsed(request_number=self.request_number)


@dataclass
class TurnTimer:
    """The timer of a turn's time limit, from one start to its end or pause."""

    turn: int
    remaining_s: float
    _started_at_s: float | None = None
    _stopped_at_s: float | None = None

    async def run(self) -> TurnTimerStopped:
        """Wait until the time is up."""
        get_time_s = asyncio.get_running_loop().time
        self._started_at_s = get_time_s()
        try:
            await asyncio.sleep(self.remaining_s)
        finally:
            self._stopped_at_s = get_time_s()
        return TurnTimerStopped(turn=self.turn, remaining_s=0)

    def on_failure(self, _failure: JobFailure) -> TurnTimerStopped:
        """Return the outcome of a paused timer, with the remaining time."""
        elapsed_s = (self._stopped_at_s or 0.0) - (self._started_at_s or 0.0)
        # Never 0, which means that the time is up.
        remaining_s = min(max(self.remaining_s - elapsed_s, 0.001), MAX_DURATION_S)
        return TurnTimerStopped(turn=self.turn, remaining_s=remaining_s)


@dataclass(frozen=True, slots=True)
class LimitsLookup:
    """Looks up a model's limits on its server; falls back to our defaults."""

    client: ModelClient
    model: str

    async def run(self) -> ModelLimitsFound:
        """Return the server's limits, or our defaults if it reports none."""
        return await self.client.look_up_limits(self.model) or get_default_limits(self.model)

    def on_failure(self, _failure: JobFailure) -> ModelLimitsFound:
        """Return our defaults."""
        return get_default_limits(self.model)
