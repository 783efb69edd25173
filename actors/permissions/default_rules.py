"""What holds where no rule speaks: looking about inside the workspace, and nothing that acts."""

from messages.policy import Rule

_READING = ("read", "ls", "glob", "grep")
_OWN = ("todo_write", "task", "task_output", "task_stop", "help")
_SECRET = ("*/.env", "*/.env.*", "*/.env/*", ".env", ".env.*", ".env/*")
_EXAMPLE = (".env.example", "*/.env.example")
_PLANS = ".greenroom/plans/*.md"

DEFAULT_RULES = (
    *(Rule(permission=name, pattern="*", action="allow") for name in (*_READING, *_OWN)),
    *(Rule(permission="read", pattern=pattern, action="ask") for pattern in _SECRET),
    *(Rule(permission="read", pattern=pattern, action="allow") for pattern in _EXAMPLE),
    *(Rule(permission=name, pattern=_PLANS, action="allow") for name in ("write", "edit")),
)
"""Harmless commands are allowed beside these; everything else asks."""
DEFAULT_SOURCE = "built-in default"
