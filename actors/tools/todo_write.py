"""The tool `todo_write`: the agent's ledger of what is to be done, shown to the person."""

from pydantic import Field

from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.todos import Todo, TodoStatus
from messages.tool_calls import CallPlan, ToolOutput

MAX_TODOS = 50
MAX_TODO_CHARS = 500

DESCRIPTION = f"""\
Keep a list of what is to be done, for work of three steps or more; the user sees it. Send the \
whole list each time, at most {MAX_TODOS}; it replaces the last one. Have one item in_progress \
while you work, and mark each completed as soon as it is, not before. Not for a single step."""


class TodoItem(Arguments):
    """One thing to be done."""

    content: str = Field(
        min_length=1, max_length=MAX_TODO_CHARS, description="What is to be done, in one line."
    )
    status: TodoStatus


class TodoWriteArguments(Arguments):
    """What the model sends."""

    todos: list[TodoItem] = Field(max_length=MAX_TODOS, description="The whole list, in order.")


async def plan(arguments: TodoWriteArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (as all plans)
    """Check the list; nothing outside the session is touched."""
    if any(not item.content.strip() for item in arguments.todos):
        message = "an item of the list says nothing"
        raise ToolError(message)
    request = PermissionRequest(permission="todo_write", target="*")
    return CallPlan(title=f"todo_write {_counts(arguments)}", requests=(request,))


async def run(arguments: TodoWriteArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (as all runs)
    """Hand the list over; the turn records it."""
    todos = tuple(
        Todo(content=" ".join(item.content.split()), status=item.status) for item in arguments.todos
    )
    return ToolOutput(text=f"The list is kept: {_counts(arguments)}.", todos=todos)


def _counts(arguments: TodoWriteArguments) -> str:
    done = sum(item.status == "completed" for item in arguments.todos)
    return f"{done} of {len(arguments.todos)} done"


TODO_WRITE = Tool(
    name="todo_write",
    description=DESCRIPTION,
    arguments=TodoWriteArguments,
    reads_only=False,
    plan=plan,
    run=run,
)
