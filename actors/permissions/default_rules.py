"""The built-in rules: reading inside the workspace is allowed, everything with an effect asks."""

from messages.policy import Rule, ToolDeclaration

_SECRET_FILES = ("*/.env", "*/.env.*", "*/.env/*", ".env", ".env.*", ".env/*")
_EXAMPLE_FILES = (".env.example", "*/.env.example")
_PLAN_FILES = ".greenroom/plans/*.md"
FILE_RULES = (
    *(Rule(permission="read", pattern=pattern, action="ask") for pattern in _SECRET_FILES),
    *(Rule(permission="read", pattern=pattern, action="allow") for pattern in _EXAMPLE_FILES),
)
"""Files that differ from the tool's default; the last match wins."""
DEFAULT_SOURCE = "built-in default"


def build_default_rules(tools: tuple[ToolDeclaration, ...]) -> tuple[Rule, ...]:
    """Return the rules that apply where no rule source matches; without a match a call asks.

    Read-only commands are allowed too.
    """
    return (
        *(
            Rule(permission=tool.name, pattern="*", action="allow")
            for tool in tools
            if tool.default_action == "allow"
        ),
        *FILE_RULES,
        *(
            Rule(permission=tool.name, pattern=_PLAN_FILES, action="allow")
            for tool in tools
            if tool.category == "change"
        ),
    )
