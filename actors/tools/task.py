"""The tool `task`: hand work to a subagent, and read its answer."""

from dataclasses import replace

from pydantic import Field

from actors.tools.subagent_types import SpawnOptions
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import AnyTool, Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, SubagentTask, ToolOutput

MAX_DESCRIPTION_CHARS = 200
MAX_PROMPT_CHARS = 200_000

DESCRIPTION = f"""\
Hand a piece of work to a subagent with a conversation of its own, and get its last message back \
as the result. Several task calls in one message run side by side. A subagent sees nothing of this \
conversation: its prompt, at most {MAX_PROMPT_CHARS} characters, must say everything, also what to \
report. The result names a task_id; call again with it to let the same subagent go on with what it \
knows. The user does not see the result: tell them what matters. Do not use it for what two or \
three calls of your own would do, nor to read a file whose path you know. Check its work as you \
would check your own."""


class TaskArguments(Arguments):
    """What the model sends."""

    description: str = Field(
        min_length=1,
        max_length=MAX_DESCRIPTION_CHARS,
        description="Three to five words that the user sees.",
    )
    prompt: str = Field(min_length=1, max_length=MAX_PROMPT_CHARS, description="The whole task.")
    subagent_type: str = Field(min_length=1, description="One of the types listed above.")
    task_id: str | None = Field(
        default=None, description="An earlier task's, to go on with it; else leave it out."
    )


async def plan(arguments: TaskArguments, context: ToolContext) -> CallPlan:
    """Check whom it is for."""
    if not arguments.prompt.strip():
        message = "the prompt says nothing; a subagent sees only its prompt"
        raise ToolError(message)
    kind = context.spawn_options.find(arguments.subagent_type)
    if kind is None:
        raise ToolError(_unknown(arguments.subagent_type, context.spawn_options))
    if arguments.task_id is not None:
        _check_known(arguments.task_id, kind.name, context)
    task = SubagentTask(
        agent_type=kind.name,
        description=escape_control_characters(arguments.description),
        prompt=arguments.prompt,
        task_id=arguments.task_id or "",
        one_shot=kind.one_shot,
    )
    request = PermissionRequest(permission="task", target=kind.name)
    title = f"task {kind.name}: {escape_control_characters(arguments.description)}"
    return CallPlan(
        title=title, full_text=f"{title}\n\n{arguments.prompt}", requests=(request,), task=task
    )


async def run(arguments: TaskArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (as all runs)
    """Never reached: the agent starts the subagent itself.

    Raises:
        ToolError: always.
    """
    message = "no subagent was started; do the work yourself and say so"
    raise ToolError(message)


def make_task_tool(spawn_options: SpawnOptions) -> AnyTool | None:
    """Describe the tool to an agent that may start these; None: it may start nobody."""
    if not spawn_options.subagent_types:
        return None
    types = "\n".join(f"- {kind.name}: {kind.description}" for kind in spawn_options.subagent_types)
    return replace(TASK, description=f"{DESCRIPTION}\n\nTypes:\n{types}")


def _unknown(name: str, offer: SpawnOptions) -> str:
    if not offer.subagent_types:
        return f"No subagent can be started: {offer.unavailable_reason}. Do the work yourself."
    available = ", ".join(kind.name for kind in offer.subagent_types)
    return f"There is no subagent type {name!r} for this agent to start. Available: {available}."


def _check_known(task_id: str, kind: str, context: ToolContext) -> None:
    known = context.existing_subagents.get(task_id)
    if known is None:
        there = ", ".join(context.existing_subagents) or "none"
        message = (
            f"There is no task_id {task_id!r}. This agent's tasks so far: {there}. "
            "Leave task_id out to start a new one."
        )
        raise ToolError(message)
    if known.is_busy:
        message = f"{task_id} is still at its task; wait for its result"
        raise ToolError(message)
    if known.subagent_type != kind:
        message = f"{task_id} is of type {known.subagent_type}, not {kind}"
        raise ToolError(message)


TASK = Tool(
    name="task",
    description=DESCRIPTION,
    arguments=TaskArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
