"""An agent's jobs: every way in which a request or a call can end is a message."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import JsonValue

from actors.agents.effect_handlers.model_jobs import ModelRequestJob
from actors.agents.effect_handlers.tool_jobs import plan_call, run_call, to_tool_failed
from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    ToolFailed,
    ToolPlanned,
    ToolSucceeded,
)
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.paths.workspace import Workspace
from actors.runtime.actor import JobFailure
from actors.tools.command_runner import CommandResult
from actors.tools.tool import AnyTool, Arguments, TargetChangedError, Tool, ToolContext, ToolError
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.model_events import ModelLimitsFound
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import TextDelta, ThinkingDelta
from tests.actors.agents.turn.message_builders import USAGE

pytestmark = pytest.mark.quick

REQUEST = ModelRequest(model="m", system="s", tools=(), messages=(), max_tokens=1)
REPLY = Reply(content=(TextBlock(text="hi"),), stop_reason="end_turn", usage=USAGE, model="m")
PLAN = CallPlan(title="count", requests=())


class CountArguments(Arguments):
    to: int
    say: str = ""


async def plan(arguments: CountArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001
    if arguments.say == "refuse":
        message = "cannot count"
        raise ToolError(message)
    return PLAN


async def run(
    arguments: CountArguments,
    plan: CallPlan,  # noqa: ARG001
    context: ToolContext,  # noqa: ARG001
) -> ToolOutput:
    if arguments.say == "drift":
        message = "it moved"
        raise TargetChangedError(message)
    if arguments.say == "refuse":
        message = "cannot count"
        raise ToolError(message)
    return ToolOutput(text=str(arguments.to))


TOOLS: dict[str, AnyTool] = {
    "count": Tool("count", "Count.", CountArguments, reads_only=True, plan=plan, run=run)
}


class MissingProcesses:
    async def run(self, command: str, cwd: Path, timeout_s: float, outputs: Path) -> CommandResult:
        raise NotImplementedError


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(Workspace(tmp_path, tmp_path), {}, MissingProcesses(), tmp_path, str)


@dataclass
class PreparedModel:
    """A model that says what it is told to, and knows whether it was heard out."""

    items: tuple[ReplyDelta | Reply | ModelError, ...]
    closed: bool = field(default=False)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        assert request is REQUEST
        for item in self.items:
            if isinstance(item, ModelError):
                raise item
            yield item
        self.closed = True

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        raise NotImplementedError


def exchanged(*items: ReplyDelta | Reply | ModelError) -> tuple[list[object], object]:
    """Everything that was said before the end, and the end."""
    said: list[object] = []
    exchange = ModelRequestJob(PreparedModel(items), REQUEST, 7, said.append)
    return said, asyncio.run(exchange.run())


def test_a_reply_is_told_as_it_streams_and_then_whole() -> None:
    said, end = exchanged(
        ReplyDelta(thinking="hm"), ReplyDelta(text="h"), ReplyDelta(text="i"), REPLY
    )

    assert said == [ThinkingDelta(text="hm"), TextDelta(text="h"), TextDelta(text="i")]
    assert end == ModelReplied(
        request_number=7, content=REPLY.content, stop_reason="end_turn", usage=USAGE, model="m"
    )


def test_a_stream_is_heard_out_so_that_its_connection_closes() -> None:
    script = PreparedModel((ReplyDelta(text="hi"), REPLY))
    asyncio.run(ModelRequestJob(script, REQUEST, 1, lambda _: None).run())

    assert script.closed


def test_a_fault_keeps_its_reason_and_what_had_arrived() -> None:
    _, end = exchanged(ReplyDelta(text="I "), ReplyDelta(text="wi"), ModelError("cut_off", "gone"))

    assert end == ModelFailed(
        request_number=7,
        reason="cut_off",
        detail="gone",
        partial_text="I wi",
        usage=Usage(requests=1),
    )


def test_a_stream_without_a_reply_is_a_fault() -> None:
    _, end = exchanged(ReplyDelta(text="I wi"))

    assert isinstance(end, ModelFailed)
    assert (end.reason, end.partial_text) == ("protocol", "I wi")


@pytest.mark.parametrize(
    ("failure", "reason"),
    [(JobFailure("cancelled"), "cancelled"), (JobFailure("raised", "KeyError: 'x'"), "protocol")],
)
def test_an_exchange_that_was_cut_keeps_what_had_arrived(failure: JobFailure, reason: str) -> None:
    script = PreparedModel((ReplyDelta(text="I wi"),))
    exchange = ModelRequestJob(script, REQUEST, 7, lambda _: None)
    asyncio.run(exchange.run())

    end = exchange.on_failure(failure)
    assert (end.request_number, end.reason, end.partial_text) == (7, reason, "I wi")


# Calls.


def planned(context: ToolContext, name: str = "count", **use: JsonValue) -> object:
    block = ToolUseBlock.model_validate({"id": "c1", "name": name, **use})
    return asyncio.run(plan_call(block, TOOLS, context))


def ran(context: ToolContext, arguments: dict[str, JsonValue]) -> object:
    use = ToolUseBlock(id="c1", name="count", input=arguments)
    return asyncio.run(run_call(use, PLAN, TOOLS, context))


def refused(detail: str) -> ToolFailed:
    return ToolFailed(call_id="c1", reason="rejected", detail=detail)


def test_a_call_is_planned_with_the_arguments_it_was_given(context: ToolContext) -> None:
    assert planned(context, input={"to": 3}) == ToolPlanned(call_id="c1", plan=PLAN)
    assert ran(context, {"to": 3}) == ToolSucceeded(call_id="c1", output=ToolOutput(text="3"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "to: Field required"),
        ({"to": "3"}, "to: Input should be a valid integer"),
        ({"to": 3.0}, "to: Input should be a valid integer"),
        ({"to": True}, "to: Input should be a valid integer"),
        ({"to": 3, "from": 1}, "from: Extra inputs are not permitted"),
    ],
)
def test_arguments_are_taken_strictly_or_not_at_all(
    context: ToolContext, arguments: dict[str, JsonValue], problem: str
) -> None:
    expected = refused(f"Not run: invalid arguments for count: {problem}")

    assert planned(context, input=arguments) == expected
    assert ran(context, arguments) == expected


def test_a_call_whose_input_was_not_one_object_never_runs(context: ToolContext) -> None:
    """Even where the tool would take no arguments at all."""
    told = planned(context, input={"to": 3}, input_error="cut off")

    assert told == refused("Not run: the arguments are not a JSON object (cut off).")


def test_an_unknown_tool_is_told_with_those_there_are(context: ToolContext) -> None:
    assert planned(context, "sum") == refused("There is no tool 'sum'. Available tools: count.")


def test_what_a_tool_refuses_is_for_the_model_to_read(context: ToolContext) -> None:
    assert planned(context, input={"to": 3, "say": "refuse"}) == refused("cannot count")
    assert ran(context, {"to": 3, "say": "refuse"}) == refused("cannot count")


def test_a_target_that_moved_is_no_refusal(context: ToolContext) -> None:
    drifted = ToolFailed(call_id="c1", reason="target_changed", detail="it moved")

    assert ran(context, {"to": 3, "say": "drift"}) == drifted


def test_a_call_cut_by_us_and_one_cut_by_a_fault_are_told_apart() -> None:
    cancelled = to_tool_failed("c1", JobFailure("cancelled"))
    crashed = to_tool_failed("c1", JobFailure("raised", "KeyError: 'x'"))

    assert cancelled == ToolFailed(call_id="c1", reason="cancelled", detail="interrupted")
    assert crashed == ToolFailed(call_id="c1", reason="crashed", detail="KeyError: 'x'")
