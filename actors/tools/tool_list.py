"""The built-in tools, as what rules and decisions need to know of them.

Loads no tool, because `permissions check` and the configuration need the list before anything slow
is imported. `toolbox` loads the tools themselves and fails if one declares something else.
"""

from messages.policy import ToolDeclaration

TOOL_LIST = (
    ToolDeclaration(name="read", category="read", default_action="allow", reads_only=True),
    ToolDeclaration(name="ls", category="read", default_action="allow", reads_only=True),
    ToolDeclaration(name="glob", category="search", default_action="allow", reads_only=True),
    ToolDeclaration(name="grep", category="search", default_action="allow", reads_only=True),
    ToolDeclaration(name="write", category="change", default_action="ask", reads_only=False),
    ToolDeclaration(name="edit", category="change", default_action="ask", reads_only=False),
    ToolDeclaration(name="bash", category="command", default_action="ask", reads_only=False),
    ToolDeclaration(
        name="todo_write", category="internal", default_action="allow", reads_only=False
    ),
    ToolDeclaration(name="question", category="ask", default_action="ask", reads_only=False),
    ToolDeclaration(name="plan_enter", category="ask", default_action="ask", reads_only=False),
    ToolDeclaration(name="plan_exit", category="ask", default_action="ask", reads_only=False),
    ToolDeclaration(name="help", category="internal", default_action="allow", reads_only=True),
    ToolDeclaration(name="task", category="internal", default_action="allow", reads_only=True),
)
"""In the order in which requests list them; the order is part of the cached prefix."""
PLANNED_TOOLS = (
    ToolDeclaration(
        name="task_output", category="internal", default_action="allow", reads_only=True
    ),
    ToolDeclaration(
        name="task_stop", category="internal", default_action="allow", reads_only=False
    ),
)
"""Tools of background tasks, which do not exist yet; rules may name them already."""
DECLARED_TOOLS = (*TOOL_LIST, *PLANNED_TOOLS)
