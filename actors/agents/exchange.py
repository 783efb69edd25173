"""The jobs of an agent that have to do with its model and with waiting."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from actors.models.client import ModelClient, ModelError, ModelRequest, Reply, Streamed
from actors.models.names import limits_of
from actors.runtime.actor import Failure
from messages.content import Usage
from messages.models import (
    LONGEST_S,
    ModelFailed,
    ModelLimitsFound,
    ModelReplied,
    RetryDelayElapsed,
    TurnTimerStopped,
)
from messages.turns import Delta, TextDelta, ThinkingDelta, ToolInputDelta

ASKED = Usage(requests=1)
"""A request of which the server counted nothing."""


@dataclass
class ModelRequestJob:
    """One request to the model; keeps what arrived, should it not come to its end."""

    model: ModelClient
    request: ModelRequest
    number: int
    say: Callable[[Delta], None]
    _parts: list[str] = field(default_factory=list[str])
    _usage: Usage = ASKED

    async def run(self) -> ModelReplied | ModelFailed:
        """Stream the reply; every expected way it can end is a message."""
        reply: Reply | None = None
        try:
            async for item in self.model.stream(self.request):  # to its end, so that it closes
                if isinstance(item, Reply):
                    reply = item
                else:
                    self._streamed(item)
        except ModelError as error:
            return self._failed(error)
        if reply is None:
            return self._failed(ModelError("protocol", "the stream ended without a reply"))
        return self._replied(reply)

    def failed(self, failure: Failure) -> ModelFailed:
        """Say how it ended without an outcome of its own."""
        if failure.kind == "cancelled":
            return self._failed(ModelError("cancelled", "interrupted"))
        problem = f"the model client failed: {failure.detail}"
        return self._failed(ModelError("protocol", problem))

    def _failed(self, error: ModelError) -> ModelFailed:
        return ModelFailed(
            request=self.number,
            reason=error.reason,
            detail=error.detail,
            partial="".join(self._parts),
            usage=self._usage,
            retry=error.retry,
            retry_after_s=error.retry_after_s,
        )

    def _streamed(self, item: Streamed) -> None:
        self._usage = item.usage or self._usage
        if item.thinking:
            self.say(ThinkingDelta(text=item.thinking))
        if item.text:
            self._parts.append(item.text)
            self.say(TextDelta(text=item.text))
        if item.tool_input_chars:
            self.say(ToolInputDelta(chars=item.tool_input_chars))

    def _replied(self, reply: Reply) -> ModelReplied:
        return ModelReplied(
            request=self.number,
            content=reply.content,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            model=reply.model,
        )


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """A wait before a request is sent again; it ends in the same way when it is cut short."""

    request: int
    wait_s: float

    async def run(self) -> RetryDelayElapsed:
        """Wait."""
        await asyncio.sleep(self.wait_s)
        return self.cut_short()

    def cut_short(self, _failure: Failure | None = None) -> RetryDelayElapsed:
        """Say that it is over."""
        return RetryDelayElapsed(request=self.request)


@dataclass
class TurnTimer:
    """The clock of a turn's time limit, from one start to its stop."""

    turn: int
    left_s: float
    _began_s: float | None = None
    _held_s: float | None = None

    async def run(self) -> TurnTimerStopped:
        """Wait until the time is up."""
        clock = asyncio.get_running_loop().time
        self._began_s = clock()
        try:
            await asyncio.sleep(self.left_s)
        finally:
            self._held_s = clock()
        return TurnTimerStopped(turn=self.turn, left_s=0)

    def held(self, _failure: Failure) -> TurnTimerStopped:
        """Say how much time is left."""
        ran_s = (self._held_s or 0.0) - (self._began_s or 0.0)
        left_s = min(max(self.left_s - ran_s, 0.001), LONGEST_S)
        return TurnTimerStopped(turn=self.turn, left_s=left_s)


@dataclass(frozen=True, slots=True)
class LimitsLookup:
    """What a model takes, asked of its server; the answer is only good to have."""

    client: ModelClient
    model: str

    async def run(self) -> ModelLimitsFound:
        """Ask; a server that does not say leaves us with what we know."""
        return await self.client.measure(self.model) or limits_of(self.model)

    def failed(self, _failure: Failure) -> ModelLimitsFound:
        """Go by what we know."""
        return limits_of(self.model)
