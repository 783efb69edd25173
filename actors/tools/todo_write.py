"""The `todo_write` tool: replaces the agent's to-do list, which the user sees."""

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from actors.tools import tool_list
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.todos import Todo, TodoStatus
from messages.tool_calls import CallPlan, ToolOutput

MAX_TODOS = 50
MAX_TODO_CHARS = 500

DESCRIPTION = f"""\
Keep a to-do list for a task of three or more steps; the user sees it. Each call replaces the \
whole list, so always send every item (at most {MAX_TODOS}). While you work, keep exactly one item \
in_progress, and mark an item completed as soon as it is done, not before. Do not use it for a \
single step."""


class TodoItem(Arguments):
    """One item of the list."""

    content: str = Field(
        min_length=1,
        max_length=MAX_TODO_CHARS,
        description=f"What to do, on one line of at most {MAX_TODO_CHARS} characters.",
    )
    status: TodoStatus = Field(description="The item's progress.")
    active_form: SkipJsonSchema[str] = Field(default="", validation_alias="activeForm")
    """Sent by models that know other coding agents; not used."""


class TodoWriteArguments(Arguments):
    """What the model sends."""

    todos: list[TodoItem] = Field(
        max_length=MAX_TODOS, description="The complete list, in the order of work."
    )


async def plan(arguments: TodoWriteArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (every plan has this signature)
    """Check the list; nothing outside the session is touched."""
    if any(not item.content.strip() for item in arguments.todos):
        message = "an item of the list is blank"
        raise ToolError(message)
    request = PermissionRequest(permission="todo_write", target="*")
    return CallPlan(title=f"todo_write {_format_progress(arguments)}", requests=(request,))


async def run(arguments: TodoWriteArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Return the list; the turn records it."""
    todos = tuple(
        Todo(content=" ".join(item.content.split()), status=item.status) for item in arguments.todos
    )
    return ToolOutput(text=f"To-do list updated: {_format_progress(arguments)}.", todos=todos)


def _format_progress(arguments: TodoWriteArguments) -> str:
    completed = sum(item.status == "completed" for item in arguments.todos)
    return f"{completed} of {len(arguments.todos)} completed"


TODO_WRITE = Tool(
    tool_list.TODO_WRITE,
    description=DESCRIPTION,
    arguments=TodoWriteArguments,
    plan=plan,
    run=run,
)
