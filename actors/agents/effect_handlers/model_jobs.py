"""The jobs of an agent that have to do with its model and with waiting."""

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
from actors.runtime.actor import JobFailure
from messages.content import Usage
from messages.model_events import MAX_DURATION_S, ModelLimitsFound
from messages.turns import Delta, TextDelta, ThinkingDelta, ToolInputDelta

ONE_REQUEST = Usage(requests=1)
"""A request of which the server counted nothing."""


@dataclass
class ModelRequestJob:
    """One request to the model; keeps what arrived, should it not come to its end."""

    client: ModelClient
    request: ModelRequest
    request_number: int
    on_delta: Callable[[Delta], None]
    _parts: list[str] = field(default_factory=list[str])
    _usage: Usage = ONE_REQUEST

    async def run(self) -> ModelReplied | ModelFailed:
        """Stream the reply; every expected way it can end is a message."""
        reply: Reply | None = None
        try:
            async for item in self.client.stream(self.request):  # to its end, so that it closes
                if isinstance(item, Reply):
                    reply = item
                else:
                    self._streamed(item)
        except ModelError as error:
            return self._failed(error)
        if reply is None:
            return self._failed(ModelError("protocol", "the stream ended without a reply"))
        return self._replied(reply)

    def on_failure(self, failure: JobFailure) -> ModelFailed:
        """Say how it ended without an outcome of its own."""
        if failure.kind == "cancelled":
            return self._failed(ModelError("cancelled", "interrupted"))
        problem = f"the model client failed: {failure.detail}"
        return self._failed(ModelError("protocol", problem))

    def _failed(self, error: ModelError) -> ModelFailed:
        return ModelFailed(
            request_number=self.request_number,
            reason=error.reason,
            detail=error.detail,
            partial_text="".join(self._parts),
            usage=self._usage,
            retry=error.is_retryable,
            retry_after_s=error.retry_after_s,
        )

    def _streamed(self, item: ReplyDelta) -> None:
        self._usage = item.usage or self._usage
        if item.thinking:
            self.on_delta(ThinkingDelta(text=item.thinking))
        if item.text:
            self._parts.append(item.text)
            self.on_delta(TextDelta(text=item.text))
        if item.tool_input_chars:
            self.on_delta(ToolInputDelta(char_count=item.tool_input_chars))

    def _replied(self, reply: Reply) -> ModelReplied:
        return ModelReplied(
            request_number=self.request_number,
            content=reply.content,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            model=reply.model,
        )


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """A wait before a request is sent again; it ends in the same way when it is cut short."""

    request_number: int
    delay_s: float

    async def run(self) -> RetryDelayElapsed:
        """Wait."""
        await asyncio.sleep(self.delay_s)
        return self.on_failure()

    def on_failure(self, _failure: JobFailure | None = None) -> RetryDelayElapsed:
        """Say that it is over."""
        return RetryDelayElapsed(request_number=self.request_number)


@dataclass
class TurnTimer:
    """The clock of a turn's time limit, from one start to its stop."""

    turn: int
    remaining_s: float
    _began_s: float | None = None
    _held_s: float | None = None

    async def run(self) -> TurnTimerStopped:
        """Wait until the time is up."""
        clock = asyncio.get_running_loop().time
        self._began_s = clock()
        try:
            await asyncio.sleep(self.remaining_s)
        finally:
            self._held_s = clock()
        return TurnTimerStopped(turn=self.turn, remaining_s=0)

    def on_failure(self, _failure: JobFailure) -> TurnTimerStopped:
        """Say how much time is left."""
        ran_s = (self._held_s or 0.0) - (self._began_s or 0.0)
        left_s = min(max(self.remaining_s - ran_s, 0.001), MAX_DURATION_S)
        return TurnTimerStopped(turn=self.turn, remaining_s=left_s)


@dataclass(frozen=True, slots=True)
class LimitsLookup:
    """What a model takes, asked of its server; the answer is only good to have."""

    client: ModelClient
    model: str

    async def run(self) -> ModelLimitsFound:
        """Ask; a server that does not say leaves us with what we know."""
        return await self.client.look_up_limits(self.model) or get_default_limits(self.model)

    def on_failure(self, _failure: JobFailure) -> ModelLimitsFound:
        """Go by what we know."""
        return get_default_limits(self.model)
