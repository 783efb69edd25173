"""Jobs of an agent: every outcome of a request or call is a message."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

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
from actors.models.request_gate import RequestGate
from actors.paths.workspace import Workspace
from actors.runtime.actor import JobFailure
from actors.sandbox.policy import Confinement
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.plan_mode import WRONG_MODE_TEXTS
from actors.tools.tool import AnyTool, Arguments, TargetChangedError, Tool, ToolContext, ToolError
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.model_limits import ModelLimitsFound
from messages.policy import ToolDeclaration
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import ReplyActivity, RequestInfo, TextDelta, ThinkingDelta
from tests.actors.agents.turn.message_builders import USAGE

pytestmark = pytest.mark.quick

REQUEST = ModelRequest(model="m", system="s", tools=(), messages=(), max_tokens=1)
INFO = RequestInfo(number=7, prefix="p", max_tokens=1)
REPLY = Reply(content=(TextBlock(text="hi"),), stop_reason="end_turn", usage=USAGE, model="m")
PLAN = CallPlan(title="count", requests=())


class CountArguments(Arguments):
    to: int
    say: str = ""


async def plan(arguments: CountArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001
    if arguments.say == "reject":
        message = "cannot count"
        raise ToolError(message)
    return PLAN


async def run(
    arguments: CountArguments,
    plan: CallPlan,  # noqa: ARG001
    context: ToolContext,  # noqa: ARG001
) -> ToolOutput:
    if arguments.say == "change":
        message = "it moved"
        raise TargetChangedError(message)
    if arguments.say == "reject":
        message = "cannot count"
        raise ToolError(message)
    return ToolOutput(text=str(arguments.to))


COUNT = ToolDeclaration(name="count", category="internal", default_action="allow", reads_only=True)
TOOLS: dict[str, AnyTool] = {
    "count": Tool(COUNT, "Count.", CountArguments, plan=plan, run=run),
}


class MissingProcesses:
    async def run(
        self,
        command: str,
        cwd: Path,
        timeout_s: float,
        output: OutputTarget,
        sandbox: Confinement | None = None,
    ) -> CommandResult:
        raise NotImplementedError


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(Workspace(tmp_path, tmp_path), {}, MissingProcesses(), tmp_path, str)


@dataclass
class PreparedModel:
    """A model with a prepared stream; knows whether the stream was read to its end."""

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


def make_gate() -> RequestGate:
    return RequestGate(Random(1))  # noqa: S311  (must be repeatable)


def run_request(*items: ReplyDelta | Reply | ModelError) -> tuple[list[object], object]:
    """Run a request; return its deltas and its outcome."""
    deltas: list[object] = []
    job = ModelRequestJob(PreparedModel(items), REQUEST, INFO, make_gate(), deltas.append)
    end = asyncio.run(job.run())
    assert end.request == INFO.model_copy(update={"duration_s": end.request.duration_s})
    return deltas, end.model_copy(update={"request": INFO})


def test_a_reply_is_reported_as_deltas_and_then_complete() -> None:
    deltas, end = run_request(
        ReplyDelta(thinking="hm"), ReplyDelta(text="h"), ReplyDelta(text="i"), REPLY
    )

    assert deltas == [ThinkingDelta(text="hm"), TextDelta(text="h"), TextDelta(text="i")]
    assert end == ModelReplied(
        request=INFO, content=REPLY.content, stop_reason="end_turn", usage=USAGE, model="m"
    )


def test_pings_are_reported_as_activity_but_not_each() -> None:
    deltas, _ = run_request(ReplyDelta(), ReplyDelta(), ReplyDelta(text="h"), ReplyDelta(), REPLY)

    assert deltas == [ReplyActivity(), TextDelta(text="h")]


def test_a_stream_is_read_to_its_end() -> None:
    model = PreparedModel((ReplyDelta(text="hi"), REPLY))
    asyncio.run(ModelRequestJob(model, REQUEST, INFO, make_gate(), lambda _: None).run())

    assert model.closed


def test_a_failed_stream_keeps_its_reason_and_text() -> None:
    _, end = run_request(
        ReplyDelta(text="I "), ReplyDelta(text="wi"), ModelError("stream_interrupted", "gone")
    )

    assert end == ModelFailed(
        request=INFO,
        reason="stream_interrupted",
        detail="gone",
        partial_text="I wi",
        usage=Usage(requests=1),
    )


def test_a_stream_without_a_reply_is_a_failure() -> None:
    _, end = run_request(ReplyDelta(text="I wi"))

    assert isinstance(end, ModelFailed)
    assert (end.reason, end.partial_text) == ("protocol_error", "I wi")


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (JobFailure("cancelled"), "cancelled"),
        (JobFailure("raised", "KeyError: 'x'"), "protocol_error"),
    ],
)
def test_an_interrupted_request_keeps_its_text(failure: JobFailure, reason: str) -> None:
    model = PreparedModel((ReplyDelta(text="I wi"),))
    job = ModelRequestJob(model, REQUEST, INFO, make_gate(), lambda _: None)
    asyncio.run(job.run())

    end = job.on_failure(failure)
    assert (end.request_number, end.reason, end.partial_text) == (7, reason, "I wi")


# Calls


def run_plan_job(context: ToolContext, name: str = "count", **fields: JsonValue) -> object:
    block = ToolUseBlock.model_validate({"id": "c1", "name": name, **fields})
    return asyncio.run(plan_call(block, TOOLS, context))


def run_call_job(context: ToolContext, arguments: dict[str, JsonValue]) -> object:
    tool_use = ToolUseBlock(id="c1", name="count", input=arguments)
    return asyncio.run(run_call(tool_use, PLAN, TOOLS, context))


def make_rejected(detail: str) -> ToolFailed:
    return ToolFailed(call_id="c1", reason="rejected", detail=detail)


def test_a_call_is_planned_and_run_with_its_arguments(context: ToolContext) -> None:
    assert run_plan_job(context, input={"to": 3}) == ToolPlanned(call_id="c1", plan=PLAN)
    assert run_call_job(context, {"to": 3}) == ToolSucceeded(
        call_id="c1", output=ToolOutput(text="3")
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "to: Field required"),
        ({"to": "3"}, "to: Input should be a valid integer"),
        ({"to": 3.0}, "to: Input should be a valid integer"),
        ({"to": True}, "to: Input should be a valid integer"),
        ({"to": "3", "from": 1}, "to: Input should be a valid integer"),
    ],
)
def test_arguments_are_validated_strictly(
    context: ToolContext, arguments: dict[str, JsonValue], problem: str
) -> None:
    expected = make_rejected(f"Not run: invalid arguments for count: {problem}")

    assert run_plan_job(context, input=arguments) == expected
    assert run_call_job(context, arguments) == expected


def test_the_plan_names_the_unknown_arguments_of_a_call(context: ToolContext) -> None:
    note = "[ignored unknown arguments: from; count takes: to, say]"
    plan = PLAN.model_copy(update={"argument_note": note})
    assert run_plan_job(context, input={"to": 3, "from": 1}) == ToolPlanned(call_id="c1", plan=plan)
    assert run_call_job(context, {"to": 3, "from": 1}) == ToolSucceeded(
        call_id="c1", output=ToolOutput(text="3")
    )
    rejected = run_plan_job(context, input={"to": 3, "from": 1, "say": "reject"})
    assert rejected == make_rejected(f"cannot count\n{note}")


def test_a_call_with_malformed_input_never_runs(context: ToolContext) -> None:
    """This also applies to a tool without required arguments."""
    outcome = run_plan_job(context, input={"to": 3}, input_error="cut off")

    assert outcome == make_rejected("Not run: the arguments are not a JSON object (cut off).")


def test_an_unknown_tool_error_lists_the_available_tools(context: ToolContext) -> None:
    assert run_plan_job(context, "sum") == make_rejected(
        "There is no tool 'sum'. Available tools: count."
    )


def test_the_plan_tool_of_the_other_mode_says_so(context: ToolContext) -> None:
    assert run_plan_job(context, "plan_exit") == make_rejected(WRONG_MODE_TEXTS["plan_exit"])


def test_a_tool_error_becomes_a_rejected_call(context: ToolContext) -> None:
    assert run_plan_job(context, input={"to": 3, "say": "reject"}) == make_rejected("cannot count")
    assert run_call_job(context, {"to": 3, "say": "reject"}) == make_rejected("cannot count")


def test_a_changed_target_is_not_a_rejection(context: ToolContext) -> None:
    failed = ToolFailed(call_id="c1", reason="target_changed", detail="it moved")

    assert run_call_job(context, {"to": 3, "say": "change"}) == failed


def test_cancelled_and_crashed_calls_are_distinguished() -> None:
    cancelled = to_tool_failed("c1", JobFailure("cancelled"))
    crashed = to_tool_failed("c1", JobFailure("raised", "KeyError: 'x'"))

    assert cancelled == ToolFailed(call_id="c1", reason="cancelled", detail="")
    assert crashed == ToolFailed(call_id="c1", reason="crashed", detail="KeyError: 'x'")
