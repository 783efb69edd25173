"""The `task` tool: delegates work to a subagent and returns its last message."""

from dataclasses import replace
from typing import cast

from pydantic import AliasChoices, Field, JsonValue

from actors.tools import tool_list
from actors.tools.argument_parsing import parse_arguments
from actors.tools.subagent_types import SpawnOptions, SubagentType
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import AnyTool, Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, SubagentTask, ToolOutput

MAX_DESCRIPTION_CHARS = 200
MAX_PROMPT_CHARS = 200_000

DESCRIPTION = f"""\
Delegate a task to a subagent that has its own conversation; its last message is the result. To \
run subagents in parallel, make several task calls in one message.
A subagent sees nothing of this conversation. Its prompt (at most {MAX_PROMPT_CHARS:,} characters) \
must contain everything it needs, including what to report back. The result includes a task_id; \
pass it in a later call to continue with the same subagent and what it has learned. The user does \
not see the result, so tell them what matters.
With background, the call returns at once and the subagent works while you continue. You are \
notified when it ends, also if you have ended your turn: continue with other work or end your \
turn, and do not poll or wait.
Do not delegate what you can do in two or three calls, or reading a file whose path you know. \
Check a subagent's work as you would check your own."""


class TaskArguments(Arguments):
    """What the model sends."""

    description: str = Field(
        min_length=1,
        max_length=MAX_DESCRIPTION_CHARS,
        description="A summary of three to five words, shown to the user.",
    )
    prompt: str = Field(
        min_length=1, max_length=MAX_PROMPT_CHARS, description="The complete task description."
    )
    subagent_type: str = Field(
        min_length=1, description="One of the types in this tool's description."
    )
    task_id: str | None = Field(
        default=None,
        description="The task_id of an earlier task to continue; omit it to start a new subagent.",
    )
    background: bool = Field(
        default=False,
        validation_alias=AliasChoices("background", "run_in_background"),
        description="Return at once; a notification has the result when the subagent ends.",
    )


async def plan(arguments: TaskArguments, context: ToolContext) -> CallPlan:
    """Check that the subagent may be started or continued."""
    if not arguments.prompt.strip():
        message = "the prompt is blank; a subagent sees nothing but its prompt"
        raise ToolError(message)
    subagent_type = context.spawn_options.find(arguments.subagent_type)
    if subagent_type is None:
        raise ToolError(_format_unknown_type(arguments.subagent_type, context.spawn_options))
    if arguments.task_id is not None:
        _require_available(arguments.task_id, subagent_type.name, context)
    is_background = arguments.background or subagent_type.background
    if is_background and not context.spawn_options.allows_background:
        raise ToolError(_format_no_background(subagent_type))
    description = escape_control_characters(arguments.description)
    task = SubagentTask(
        agent_type=subagent_type.name,
        description=description,
        prompt=arguments.prompt,
        task_id=arguments.task_id or "",
        one_shot=subagent_type.one_shot,
        is_background=is_background,
        bubbles=subagent_type.bubbles,
    )
    request = PermissionRequest(permission="task", target=subagent_type.name)
    title = f"task {subagent_type.name}: {description}"
    return CallPlan(
        title=title, full_text=f"{title}\n\n{arguments.prompt}", requests=(request,), task=task
    )


async def run(arguments: TaskArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Fail: the agent starts the subagent itself and never runs the call.

    Raises:
        ToolError: always.
    """
    message = "no subagent was started; do the work yourself and say so"
    raise ToolError(message)


def make_task_tool(spawn_options: SpawnOptions) -> AnyTool | None:
    """Return the tool with these subagent types in its description; None if there are none."""
    if not spawn_options.subagent_types:
        return None
    types = "\n".join(
        f"- {subagent_type.name}: {subagent_type.description}"
        for subagent_type in spawn_options.subagent_types
    )
    return replace(TASK, description=f"{DESCRIPTION}\n\nSubagent types:\n{types}")


def format_no_subagents(options: SpawnOptions) -> str:
    """Return the error for a `task` call of an agent that is not offered the tool."""
    return f"No subagent can be started: {options.unavailable_reason}. Do the work yourself."


def format_busy(task_id: str) -> str:
    """Return the error for a subagent that has not ended its task."""
    return f"{task_id} is still working on its task; wait for its result"


def _format_no_background(subagent_type: SubagentType) -> str:
    advice = (
        f"start another type, since {subagent_type.name} always runs in the background"
        if subagent_type.background
        else "call task without background"
    )
    return (
        "This agent ends with its task, so it cannot start background tasks, whose results it "
        f"would not see; {advice}."
    )


def get_prompt(tool_input: dict[str, JsonValue]) -> str:
    """Return the prompt in the input of a call that was started.

    Raises:
        ToolError: the input is not valid.
    """
    arguments, _ = parse_arguments(TASK, tool_input)
    return cast("TaskArguments", arguments).prompt


def _format_unknown_type(name: str, options: SpawnOptions) -> str:
    available = ", ".join(subagent_type.name for subagent_type in options.subagent_types)
    return f"There is no subagent type {name!r}. Available: {available}."


def _require_available(task_id: str, type_name: str, context: ToolContext) -> None:
    subagent = context.existing_subagents.get(task_id)
    if subagent is None:
        existing = ", ".join(context.existing_subagents) or "none"
        message = (
            f"There is no task_id {task_id!r}. Your existing tasks: {existing}. "
            "Omit task_id to start a new subagent."
        )
        raise ToolError(message)
    if subagent.is_busy:
        raise ToolError(format_busy(task_id))
    if subagent.subagent_type != type_name:
        message = (
            f"{task_id} has the type {subagent.subagent_type}, not {type_name}; "
            f"set subagent_type to {subagent.subagent_type}"
        )
        raise ToolError(message)


TASK = Tool(
    tool_list.TASK,
    description=DESCRIPTION,
    arguments=TaskArguments,
    plan=plan,
    run=run,
)
