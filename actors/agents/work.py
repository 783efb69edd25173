"""The jobs of an agent: what is slow, over ports, without access to the actor."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import ValidationError

from actors.models.client import ModelClient, ModelError, ModelRequest, Reply, Streamed
from actors.runtime.actor import Failure
from actors.tools.tool import AnyTool, Arguments, Drifted, PeekError, ToolContext, ToolError
from messages.content import ToolUseBlock
from messages.models import ModelFailed, ModelFailureReason, ModelReplied
from messages.tools import Plan, ToolFailed, ToolPlanned, ToolSucceeded
from messages.turns import MessageDelta, ThinkingDelta


@dataclass
class Exchange:
    """One request to the model; keeps the text that arrived, should it not come to its end."""

    model: ModelClient
    request: ModelRequest
    number: int
    say: Callable[[MessageDelta | ThinkingDelta], None]
    _parts: list[str] = field(default_factory=list[str])

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
            return self._failed(error.reason, error.detail)
        if reply is None:
            return self._failed("protocol", "the stream ended without a reply")
        return self._replied(reply)

    def failed(self, failure: Failure) -> ModelFailed:
        """Say how it ended without an outcome of its own."""
        if failure.kind == "cancelled":
            return self._failed("cancelled", "interrupted")
        return self._failed("protocol", f"the model client failed: {failure.detail}")

    def _failed(self, reason: ModelFailureReason, detail: str) -> ModelFailed:
        partial = "".join(self._parts)
        return ModelFailed(request=self.number, reason=reason, detail=detail, partial=partial)

    def _streamed(self, item: Streamed) -> None:
        if item.thinking:
            self.say(ThinkingDelta(text=item.thinking))
        if item.text:
            self._parts.append(item.text)
            self.say(MessageDelta(text=item.text))

    def _replied(self, reply: Reply) -> ModelReplied:
        return ModelReplied(
            request=self.number,
            content=reply.content,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            model=reply.model,
        )


async def plan_call(
    use: ToolUseBlock, tools: dict[str, AnyTool], context: ToolContext
) -> ToolPlanned | ToolFailed:
    """Find out what a call would touch, without touching anything."""
    try:
        tool, arguments = understand(use, tools)
        return ToolPlanned(call_id=use.id, plan=await tool.plan(arguments, context))
    except PeekError as error:
        return ToolPlanned(call_id=use.id, plan=error.plan)
    except ToolError as error:
        return ToolFailed(call_id=use.id, reason="refused", detail=str(error))


async def run_call(
    use: ToolUseBlock, plan: Plan, tools: dict[str, AnyTool], context: ToolContext
) -> ToolSucceeded | ToolFailed:
    """Carry out exactly the plan."""
    try:
        tool, arguments = understand(use, tools)
        return ToolSucceeded(call_id=use.id, output=await tool.run(arguments, plan, context))
    except ToolError as error:
        return ToolFailed(call_id=use.id, reason="refused", detail=str(error))
    except Drifted as error:
        return ToolFailed(call_id=use.id, reason="drifted", detail=str(error))


def call_failed(call_id: str, failure: Failure) -> ToolFailed:
    """Say how a call's work ended without an outcome of its own."""
    if failure.kind == "cancelled":
        return ToolFailed(call_id=call_id, reason="cancelled", detail="interrupted")
    return ToolFailed(call_id=call_id, reason="crashed", detail=failure.detail)


def understand(use: ToolUseBlock, tools: dict[str, AnyTool]) -> tuple[AnyTool, Arguments]:
    """Find the tool and check its arguments.

    Raises:
        ToolError: no such tool, or arguments that it does not take; says what it takes.
    """
    tool = tools.get(use.name)
    if tool is None:
        message = f"There is no tool {use.name!r}. Available: {', '.join(tools)}."
        raise ToolError(message)
    if use.malformed:
        message = f"Not run: the arguments are not one JSON object ({use.malformed})."
        raise ToolError(message)
    try:
        return tool, tool.arguments.model_validate(use.input)
    except ValidationError as error:
        message = f"Not run: wrong arguments for {use.name}: {_problems(error)}"
        raise ToolError(message) from None


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)
    )
