"""The `task_output` tool: how a background task is going, or how it ended."""

from pydantic import AliasChoices, Field

from actors.tools import tool_list
from actors.tools.subagent_types import ExistingSubagent
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = """\
Read the status and the last text of a background task, without waiting. You are notified when it \
ends: do not poll; use this only when you need to know now, for example because the user asks."""
TASK_ID_NAMES = AliasChoices("task_id", "taskId", "bash_id", "shell_id")


class TaskOutputArguments(Arguments):
    """What the model sends."""

    task_id: str = Field(
        min_length=1, validation_alias=TASK_ID_NAMES, description="The task_id of the task."
    )


async def plan(arguments: TaskOutputArguments, context: ToolContext) -> CallPlan:
    """Check that the task exists."""
    find_background_task(arguments.task_id, context)
    request = PermissionRequest(permission="task_output", target="*")
    return CallPlan(title=f"task_output {arguments.task_id}", requests=(request,))


async def run(arguments: TaskOutputArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Return the status and the last text."""
    return ToolOutput(text=find_background_task(arguments.task_id, context).text)


def find_background_task(task_id: str, context: ToolContext) -> ExistingSubagent:
    """Return a background task of this agent.

    Raises:
        ToolError: there is none with this `task_id`; lists the ones that exist.
    """
    tasks = {
        name: subagent
        for name, subagent in context.existing_subagents.items()
        if subagent.is_background
    }
    if task_id not in tasks:
        message = (
            f"There is no background task {task_id!r}. Background tasks: "
            f"{', '.join(tasks) or 'none'}."
        )
        raise ToolError(message)
    return tasks[task_id]


TASK_OUTPUT = Tool(
    tool_list.TASK_OUTPUT,
    description=DESCRIPTION,
    arguments=TaskOutputArguments,
    plan=plan,
    run=run,
)
