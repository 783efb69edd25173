"""The `task_stop` tool: stops a background task."""

from pydantic import Field

from actors.tools import tool_list
from actors.tools.task_output import TASK_ID_NAMES, find_background_task
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = """\
Stop a background task and everything it started. Use it only if the result is no longer needed; \
work that is still needed may take long. A notification follows when it has ended."""


class TaskStopArguments(Arguments):
    """What the model sends."""

    task_id: str = Field(
        min_length=1, validation_alias=TASK_ID_NAMES, description="The task_id of the task."
    )


async def plan(arguments: TaskStopArguments, context: ToolContext) -> CallPlan:
    """Check that the task is running."""
    if not find_background_task(arguments.task_id, context).is_busy:
        message = f"{arguments.task_id} has ended; there is nothing to stop."
        raise ToolError(message)
    request = PermissionRequest(permission="task_stop", target="*")
    return CallPlan(title=f"task_stop {arguments.task_id}", requests=(request,))


async def run(arguments: TaskStopArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Return the task to stop; the turn stops it."""
    text = f"{arguments.task_id} is being stopped; a notification follows when it has ended."
    return ToolOutput(text=text, task_to_stop=arguments.task_id)


TASK_STOP = Tool(
    tool_list.TASK_STOP,
    description=DESCRIPTION,
    arguments=TaskStopArguments,
    plan=plan,
    run=run,
)
