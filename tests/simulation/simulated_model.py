"""A model that says anything, in order or not, and fails in every way a provider can."""

import asyncio
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import get_args

from pydantic import JsonValue

from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.model_names import get_default_limits
from messages.content import ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from messages.model_events import ModelFailureReason, ModelLimitsFound
from tests.simulation.in_memory_workspace import CHANGE_TOOL, FILE_NAMES, LOOK_TOOL

REQUEST_USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)
ODD_STOP_REASONS = ("max_tokens", "refusal", "pause_turn", "end_turn", "tool_use", "stop_sequence")
MAX_ROUNDS = 5
"""Requests in one turn, after which the model ends it."""


class SimulatedModel:
    """The port of the model; what it may do is drawn anew for each request."""

    def __init__(
        self,
        random: Random,
        on_request: Callable[[ModelRequest], None],
        on_tool_use: Callable[[str, ToolUseBlock], None],
        cancel_delay_s: float = 0.0,
        ask_chance: float = 0.0,
    ) -> None:
        """`asked` hears of each request, `meant` of each call's tag; `deaf_s`: it ends so late.

        `curious`: so many of its calls look at what a person is asked about.
        """
        self._random = random
        self._asked = on_request
        self._meant = on_tool_use
        self._deaf_s = cancel_delay_s
        self._curious = ask_chance
        self._calls = 0
        self.is_armed = False
        self.violates_port = True
        """Some faults are no client's that keeps to the port: no reply, another exception."""
        self.ends_turns = False
        """Every turn is brought to its end."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Say something, then reply; see `ModelClient`."""
        self._asked(request)
        try:
            await self._pause()
            for _ in range(self._random.choice((0, 1, 3))):
                yield ReplyDelta(text="so ")
                await self._pause()
                self._maybe_fail()
            if self.is_armed and self.violates_port and self._random.random() < 0.03:
                return
            yield self._reply(request)
        finally:
            if self._deaf_s and self._random.random() < 0.6:
                await asyncio.shield(asyncio.sleep(self._deaf_s))

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Say what the model takes, late or never; see `ModelClient`."""
        await self._pause()
        return None if self._random.random() < 0.5 else get_default_limits(model)

    async def _pause(self) -> None:
        longest_s = 30.0 if self.is_armed and self._random.random() < 0.02 else 0.5
        await asyncio.sleep(self._random.random() * longest_s)

    def _maybe_fail(self) -> None:
        if not self.is_armed:
            return
        chance = self._random.random()
        if chance < 0.1:
            reasons: tuple[ModelFailureReason, ...] = get_args(ModelFailureReason)
            again = self._random.random() < 0.8
            raise ModelError(self._random.choice(reasons), "planted", is_retryable=again)
        if self.violates_port and chance < 0.105:
            message = "planted in the model's client"
            raise RuntimeError(message)

    def _reply(self, request: ModelRequest) -> Reply:
        thought, text = ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I will")
        some: list[ContentBlock] = [
            each for each in (thought, text, TextBlock(text=" ")) if self._random.random() < 0.4
        ]
        most = 0 if self.ends_turns or count_rounds(request) >= MAX_ROUNDS else 4
        uses = [self._use() for _ in range(min(most, self._random.choice((0, 1, 2, 3, 4, 4))))]
        if self.is_armed and len(uses) > 1 and self._random.random() < 0.03:
            uses[1] = uses[0]
        content = (*some, *uses) or (text,)
        end = "tool_use" if uses else "end_turn"
        if self.is_armed and self._random.random() < 0.04:
            end = self._random.choice(ODD_STOP_REASONS)
        return Reply(content=content, stop_reason=end, usage=REQUEST_USAGE, model="simulated")

    def _use(self) -> ToolUseBlock:
        self._calls += 1
        tag = f"e{self._calls}"
        name, arguments = self._random.choice((self._look, self._change, self._bash))(tag)
        if self._curious and self._random.random() < self._curious:
            name, arguments = self._look_at(tag, ".env")
        if self.is_armed and self._random.random() < 0.03:
            if self._random.random() < 0.5:
                name = "fly"
            else:
                arguments["up"] = True
        use = ToolUseBlock(id=f"call-{self._calls}", name=name, input=arguments)
        self._meant(tag, use)
        return use

    def _look(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        return self._look_at(tag, self._random.choice(FILE_NAMES))

    def _look_at(self, tag: str, path: str) -> tuple[str, dict[str, JsonValue]]:
        return LOOK_TOOL, {"tag": tag, "path": path}

    def _change(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        text = f"{self._random.randrange(4)}\n"
        return CHANGE_TOOL, {"tag": tag, "path": self._random.choice(FILE_NAMES), "text": text}

    def _bash(self, tag: str) -> tuple[str, dict[str, JsonValue]]:
        seconds = self._random.choice(("0.1", "1", "4"))
        how = self._random.choice(("", "", " as deaf", " as failing"))
        arguments: dict[str, JsonValue] = {"command": f"work {tag} for {seconds}{how}"}
        if self._random.random() < 0.2:
            arguments["timeout_s"] = 0.5
        return "bash", arguments


def count_rounds(request: ModelRequest) -> int:
    """Count the requests of the turn so far: its assistant messages since the person spoke."""
    count = 0
    for message in reversed(request.messages):
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        kinds = [block["type"] for block in blocks if isinstance(block, dict)]
        if message["role"] == "user" and "tool_result" not in kinds:
            break
        count += message["role"] == "assistant"
    return count
