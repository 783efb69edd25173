"""Match rules and check them for problems."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from messages.policy import (
    Action,
    PermissionProfile,
    PermissionRequest,
    Rule,
    RuleSource,
    ToolCategory,
    ToolDeclaration,
)

STRICTNESS: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}

PATH_CATEGORIES: frozenset[ToolCategory] = frozenset({"read", "search", "change"})
"""Categories of tools whose target is a path."""
FILE_READ_CATEGORIES: frozenset[ToolCategory] = frozenset({"read", "search"})
INTERNAL_CATEGORIES: frozenset[ToolCategory] = frozenset({"internal", "ask"})
"""Categories of tools that use neither files nor commands."""
OUTSIDE_PERMISSION = "outside"
"""Running a command without the sandbox; the target is the command."""
INHERENT_CATEGORIES: dict[str, ToolCategory] = {
    "bash": "command",
    OUTSIDE_PERMISSION: "external",
    "read": "read",
    "write": "change",
}
"""The permissions that commands consist of, by category; they exist without any tool."""

_MCP_PREFIX = "mcp__"
_MCP_TOOL_NAME = re.compile(r"mcp__[A-Za-z0-9_.-]+__[A-Za-z0-9_.-]+")
_AGENT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,47}")
_CACHE_SIZE = 4_096


def get_categories(tools: Iterable[ToolDeclaration]) -> dict[str, ToolCategory]:
    """Return the category of each known permission."""
    return {**INHERENT_CATEGORIES, **{tool.name: tool.category for tool in tools}}


def find_rule_problem(rule: Rule, tools: tuple[ToolDeclaration, ...]) -> str:
    """Return why a rule is invalid, or an empty string."""
    permission, categories = rule.permission, get_categories(tools)
    is_wildcard = "*" in permission
    is_valid = is_mcp_tool_name(permission) or permission in categories
    if not (_can_match_permission(permission, categories) if is_wildcard else is_valid):
        problem = "no permission matches" if is_wildcard else "unknown permission"
        known = ", ".join(sorted(categories))
        return f"{problem} {permission!r}; known: {known}, mcp__<server>__<tool>"
    if not rule.pattern:
        return "the pattern is empty and matches nothing; use * to match everything"
    if rule.action not in get_args(Action):
        return f"unknown action {rule.action!r}; known: {', '.join(get_args(Action))}"
    if rule.agent is not None and not _AGENT_NAME.fullmatch(rule.agent):
        return f"{rule.agent!r} is not a valid agent name"
    return ""


def find_source_problem(sources: Iterable[RuleSource], tools: tuple[ToolDeclaration, ...]) -> str:
    """Return what is wrong with the first invalid rule of some sources, or an empty string."""
    problems = (
        (source, find_rule_problem(rule, tools)) for source in sources for rule in source.rules
    )
    return next((f"{source.name}: {problem}" for source, problem in problems if problem), "")


def _can_match_permission(pattern: str, known: Iterable[str]) -> bool:
    start = pattern.partition("*")[0]
    can_match_mcp_tool = start.startswith(_MCP_PREFIX) or _MCP_PREFIX.startswith(start)
    return can_match_mcp_tool or any(is_match(pattern, permission) for permission in known)


def is_mcp_tool_name(name: str) -> bool:
    """Whether a name has the form of an MCP server's tool."""
    return _MCP_TOOL_NAME.fullmatch(name) is not None


def format_rule(rule: Rule) -> str:
    """Format a rule for the user."""
    return f"{rule.action} {rule.permission} {rule.pattern}"


def is_match(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    """Whether a pattern matches a whole text; `ignore_case` compares as some file systems do."""
    if ignore_case:
        pattern, text = fold_case(pattern), fold_case(text)
    return compile_pattern(pattern)(text)


def is_internal(requests: Iterable[PermissionRequest], tools: Iterable[ToolDeclaration]) -> bool:
    """Whether a call involves no path and no command, so that evaluating it cannot block."""
    internal = {tool.name for tool in tools if tool.category in INTERNAL_CATEGORIES}
    return all(request.permission in internal for request in requests)


def has_tool(profile: PermissionProfile, name: str) -> bool:
    """Whether an agent's own definition gives it a tool."""
    is_listed = "*" in profile.tools or any(is_match(pattern, name) for pattern in profile.tools)
    if not is_listed or not profile.disallowed_tools:
        return is_listed
    return not any(is_match(pattern, name) for pattern in profile.disallowed_tools)


def can_use_tool(profile: PermissionProfile, name: str, *, is_ancestor: bool) -> bool:
    """Whether an agent may use a tool, or may start agents that do.

    An ancestor may delegate tools that it lacks itself. Offering and evaluating use this function.
    """
    can_delegate = is_ancestor and not profile.from_project
    return has_tool(profile, name) or (
        can_delegate and any(is_match(pattern, name) for pattern in profile.delegates)
    )


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule prepared for matching many texts."""

    rule: Rule
    match: Callable[[str], bool]
    match_folded: Callable[[str], bool]
    """For texts with folded case."""
    match_bare_command: Callable[[str], bool] | None
    """For a command pattern that ends in ` *`: matches without that ending."""
    is_allow: bool
    is_absolute: bool
    """The pattern may match paths outside the workspace, or the permission is not about paths."""
    required_substring: str
    """In lower case; ASCII texts without it cannot match. Empty: nothing is required."""

    def has_ask_or_deny_match(
        self, texts: tuple[str, ...], folded_texts: tuple[str, ...] | None
    ) -> bool:
        """Whether an ask or deny rule matches one of the texts.

        For commands, ` *` at the end also matches without arguments. `folded_texts` are the same
        texts with folded case, where case is ignored.
        """
        for text in texts if folded_texts is None else folded_texts:
            if (self.match if folded_texts is None else self.match_folded)(text):
                return True
        return self.match_bare_command is not None and any(
            self.match_bare_command(text) for text in texts
        )


@lru_cache(_CACHE_SIZE)
def compile_rule(rule: Rule) -> CompiledRule:
    """Prepare a rule for matching."""
    has_bare_form = rule.permission == "bash" and rule.pattern.endswith(" *")
    literals = (rule.pattern[:-2] if has_bare_form else rule.pattern).split("*")
    return CompiledRule(
        rule,
        match=compile_pattern(rule.pattern),
        match_folded=compile_pattern(fold_case(rule.pattern)),
        match_bare_command=compile_pattern(rule.pattern[:-2]) if has_bare_form else None,
        is_allow=rule.action == "allow",
        is_absolute=rule.pattern.startswith("/"),
        required_substring=max(literals, key=len).lower() if rule.pattern.isascii() else "",
    )


def fold_case(path: str) -> str:
    """Convert a path to the form that case-insensitive file systems compare."""
    if path.isascii():
        return path.lower()
    # Composed again, because folding may decompose characters.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@lru_cache(_CACHE_SIZE)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a matcher that reads the text once, from left to right, without backtracking."""
    first, *rest = pattern.split("*")
    if not rest:
        return first.__eq__
    *middle, last = rest
    if not middle and not last:
        return lambda text: text.startswith(first)
    if not middle and not first:
        return lambda text: text.endswith(last)

    def match(text: str) -> bool:
        if not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for literal in middle:
            found = text.find(literal, at, end)
            if found < 0:
                return False
            at = found + len(literal)
        return at <= end

    return match
