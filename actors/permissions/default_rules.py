"""The built-in rules: reading inside the workspace is allowed, everything with an effect asks."""

from messages.policy import Rule

_READ_TOOLS = ("read", "ls", "glob", "grep")
_INTERNAL_TOOLS = ("todo_write", "task", "task_output", "task_stop", "help")
_SECRET_FILES = ("*/.env", "*/.env.*", "*/.env/*", ".env", ".env.*", ".env/*")
_EXAMPLE_FILES = (".env.example", "*/.env.example")
_PLAN_FILES = ".greenroom/plans/*.md"

DEFAULT_RULES = (
    *(
        Rule(permission=name, pattern="*", action="allow")
        for name in (*_READ_TOOLS, *_INTERNAL_TOOLS)
    ),
    *(Rule(permission="read", pattern=pattern, action="ask") for pattern in _SECRET_FILES),
    *(Rule(permission="read", pattern=pattern, action="allow") for pattern in _EXAMPLE_FILES),
    *(Rule(permission=name, pattern=_PLAN_FILES, action="allow") for name in ("write", "edit")),
)
"""Used where no rule source matches. Read-only commands are allowed too; everything else asks."""
DEFAULT_SOURCE = "built-in default"
