"""Jobs of tool calls: planning and running a tool, without access to the actor."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from actors.agents.turn.self_messages import (
    PlanFileChecked,
    ToolFailed,
    ToolPlanned,
    ToolSucceeded,
)
from actors.runtime.actor import JobFailure
from actors.tools.argument_parsing import parse_arguments
from actors.tools.command_runner import CommandCancelledError
from actors.tools.plan_mode import WRONG_MODE_TEXTS, has_plan
from actors.tools.task import TASK, format_no_subagents
from actors.tools.tool import (
    AnyTool,
    Arguments,
    TargetChangedError,
    ToolContext,
    ToolError,
    UnreadFileError,
)
from messages.content import ToolUseBlock
from messages.tool_calls import CallPlan
from messages.turns import CommandOutput


async def plan_call(
    tool_use: ToolUseBlock, tools: dict[str, AnyTool], context: ToolContext
) -> ToolPlanned | ToolFailed:
    """Determine what a call would do, without side effects."""
    try:
        tool, arguments, note = resolve_tool(tool_use, tools, context)
    except ToolError as error:
        return ToolFailed(call_id=tool_use.id, reason="rejected", detail=str(error))
    try:
        plan = await tool.plan(arguments, context)
    except UnreadFileError as error:
        plan = error.plan
    except ToolError as error:
        detail = f"{error}\n{note}" if note else str(error)
        return ToolFailed(call_id=tool_use.id, reason="rejected", detail=detail)
    if note:
        plan = plan.model_copy(update={"argument_note": note})
    return ToolPlanned(call_id=tool_use.id, plan=plan)


async def run_call(
    tool_use: ToolUseBlock, plan: CallPlan, tools: dict[str, AnyTool], context: ToolContext
) -> ToolSucceeded | ToolFailed:
    """Run a call exactly as planned."""
    try:
        tool, arguments, _ = resolve_tool(tool_use, tools, context)
        return ToolSucceeded(call_id=tool_use.id, output=await tool.run(arguments, plan, context))
    except ToolError as error:
        return ToolFailed(call_id=tool_use.id, reason="rejected", detail=str(error))
    except TargetChangedError as error:
        return ToolFailed(call_id=tool_use.id, reason="target_changed", detail=str(error))
    except CommandCancelledError as error:
        return ToolFailed(call_id=tool_use.id, reason="cancelled", detail=error.output.rstrip("\n"))


def report_output(send: Callable[[CommandOutput], None], call_id: str) -> Callable[[str], None]:
    """Return a function that sends the end of a call's output so far."""
    return lambda text: send(CommandOutput(call_id=call_id, text=text))


def to_tool_failed(call_id: str, failure: JobFailure) -> ToolFailed:
    """Return the outcome of a call's job that was cancelled or raised."""
    if failure.kind == "cancelled":
        return ToolFailed(call_id=call_id, reason="cancelled", detail="")
    return ToolFailed(call_id=call_id, reason="crashed", detail=failure.detail)


async def check_plan_file(agent: str, plan_file: Path) -> PlanFileChecked:
    """Check whether a plan was written."""
    plan_exists = await asyncio.to_thread(has_plan, plan_file)
    return PlanFileChecked(agent=agent, plan_exists=plan_exists)


def to_plan_file_missing(agent: str, _failure: JobFailure) -> PlanFileChecked:
    """Return the outcome of a failed check: continue as if there were no plan."""
    return PlanFileChecked(agent=agent, plan_exists=False)


def resolve_tool(
    tool_use: ToolUseBlock, tools: dict[str, AnyTool], context: ToolContext
) -> tuple[AnyTool, Arguments, str]:
    """Return the tool, its validated arguments, and a note on those that were ignored.

    Raises:
        ToolError: the tool does not exist, or the arguments are invalid; says what is expected.
    """
    tool = tools.get(tool_use.name)
    if tool is None and tool_use.name == TASK.name:
        raise ToolError(format_no_subagents(context.spawn_options))
    if tool is None and tool_use.name in WRONG_MODE_TEXTS:
        raise ToolError(WRONG_MODE_TEXTS[tool_use.name])
    if tool is None:
        message = f"There is no tool {tool_use.name!r}. Available tools: {', '.join(tools)}."
        raise ToolError(message)
    if tool_use.input_error:
        message = f"Not run: the arguments are not a JSON object ({tool_use.input_error})."
        raise ToolError(message)
    return tool, *parse_arguments(tool, tool_use.input)
