"""What rules and decisions need to know about each built-in tool; the tools refer to it.

Loads no tool, because `permissions check` and the configuration need the list before anything slow
is imported.
"""

from messages.policy import ToolDeclaration

READ = ToolDeclaration(name="read", category="read", default_action="allow", reads_only=True)
LS = ToolDeclaration(name="ls", category="read", default_action="allow", reads_only=True)
GLOB = ToolDeclaration(name="glob", category="search", default_action="allow", reads_only=True)
GREP = ToolDeclaration(name="grep", category="search", default_action="allow", reads_only=True)
WRITE = ToolDeclaration(name="write", category="change", default_action="ask", reads_only=False)
EDIT = ToolDeclaration(name="edit", category="change", default_action="ask", reads_only=False)
BASH = ToolDeclaration(name="bash", category="command", default_action="ask", reads_only=False)
TODO_WRITE = ToolDeclaration(
    name="todo_write", category="internal", default_action="allow", reads_only=False
)
QUESTION = ToolDeclaration(name="question", category="ask", default_action="ask", reads_only=False)
PLAN_ENTER = ToolDeclaration(
    name="plan_enter", category="ask", default_action="ask", reads_only=False
)
PLAN_EXIT = ToolDeclaration(
    name="plan_exit", category="ask", default_action="ask", reads_only=False
)
HELP = ToolDeclaration(name="help", category="internal", default_action="allow", reads_only=True)
TASK = ToolDeclaration(name="task", category="internal", default_action="allow", reads_only=True)
TASK_OUTPUT = ToolDeclaration(
    name="task_output", category="internal", default_action="allow", reads_only=True
)
TASK_STOP = ToolDeclaration(
    name="task_stop", category="internal", default_action="allow", reads_only=False
)

TOOL_LIST = (
    READ,
    LS,
    GLOB,
    GREP,
    WRITE,
    EDIT,
    BASH,
    TODO_WRITE,
    QUESTION,
    PLAN_ENTER,
    PLAN_EXIT,
    HELP,
    TASK,
    TASK_OUTPUT,
    TASK_STOP,
)
"""In the order in which requests list them; the order is part of the cached prefix."""
COMMAND_TOOLS = frozenset(tool.name for tool in TOOL_LIST if tool.category == "command")
