"""What a rule speaks of, and what is wrong with one."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from messages.policy import Action, PermissionProfile, PermissionRequest, Rule, RuleSource

STRICTNESS: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}

PATH_PERMISSIONS = frozenset({"read", "ls", "write", "edit", "glob", "grep"})
"""Permissions whose target is a path."""
FILE_CHANGE_PERMISSIONS = frozenset({"write", "edit"})
FILE_READ_PERMISSIONS = frozenset({"read", "ls", "glob", "grep"})
ASK_PERMISSIONS = frozenset({"question", "plan_enter", "plan_exit"})
"""Category ask: they are questions themselves, so nothing answers them but a person."""
INTERNAL_PERMISSIONS = frozenset(
    {"todo_write", "task", "task_output", "task_stop", "help", *ASK_PERMISSIONS}
)
PERMISSIONS = frozenset({"bash", *PATH_PERMISSIONS, *INTERNAL_PERMISSIONS})

_MCP = re.compile(r"mcp__[A-Za-z0-9_.-]+__[A-Za-z0-9_.-]+")
_AGENT = re.compile(r"[a-z0-9][a-z0-9-]{0,47}")
_CACHED = 4_096


def find_rule_problem(rule: Rule) -> str:
    """Say what is wrong with a rule; empty: nothing."""
    if rule.permission not in PERMISSIONS and not is_mcp_tool_name(rule.permission):
        known = ", ".join(sorted(PERMISSIONS))
        return f"there is no permission {rule.permission!r}; known: {known}, mcp__<server>__<tool>"
    if not rule.pattern:
        return "the pattern is empty and would match nothing; for everything write *"
    if rule.action not in get_args(Action):
        return f"there is no action {rule.action!r}; known: {', '.join(get_args(Action))}"
    if rule.agent is not None and not _AGENT.fullmatch(rule.agent):
        return f"{rule.agent!r} is no agent's name"
    return ""


def find_source_problem(sources: Iterable[RuleSource]) -> str:
    """Say what is wrong with the first wrong rule of some sources; empty: nothing."""
    found = ((source, find_rule_problem(rule)) for source in sources for rule in source.rules)
    return next((f"{source.name}: {text}" for source, text in found if text), "")


def is_mcp_tool_name(name: str) -> bool:
    """Whether a name is that of a tool of some server."""
    return _MCP.fullmatch(name) is not None


def find_rule_warnings(rules: tuple[Rule, ...]) -> tuple[str, ...]:
    """Say what rules of one source do not do though they look as if they did."""
    told = (_not_covered(rule, rules) or _not_special(rule) for rule in rules)
    return tuple(text for text in told if text)


def _not_covered(rule: Rule, rules: tuple[Rule, ...]) -> str:
    if rule.permission != "edit" or rule.action == "allow":
        return ""
    if any(other.permission == "write" and other.pattern == rule.pattern for other in rules):
        return ""
    return f"{format_rule(rule)}: it does not speak of write; add the same rule for write"


def _not_special(rule: Rule) -> str:
    if rule.permission in PATH_PERMISSIONS and rule.pattern.startswith(("~", "$", "./")):
        return f"{format_rule(rule)}: only * is special in a pattern; write the path out"
    return ""


def format_rule(rule: Rule) -> str:
    """Write a rule as a person reads it."""
    return f"{rule.action} {rule.permission} {rule.pattern}"


def is_match(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    """Whether a pattern matches a whole text; `folded`: as a file system that ignores case does."""
    if ignore_case:
        pattern, text = fold_case(pattern), fold_case(text)
    return compile_pattern(pattern)(text)


def is_ask_or_deny_match(rule: Rule, text: str, *, ignore_case: bool = False) -> bool:
    """Whether an ask or deny speaks of a text: for commands, ` *` at the end also of none."""
    return compile_rule(rule).has_ask_or_deny_match(
        (text,), (fold_case(text),) if ignore_case else None
    )


def is_internal(requests: Iterable[PermissionRequest]) -> bool:
    """Whether a call has no path and no command, so that judging it can wait for nothing."""
    return all(request.permission in INTERNAL_PERMISSIONS for request in requests)


def has_tool(profile: PermissionProfile, name: str) -> bool:
    """Whether an agent has a tool; the one predicate for offering, running and judging."""
    had = "*" in profile.tools or any(is_match(pattern, name) for pattern in profile.tools)
    if not had or not profile.disallowed_tools:
        return had
    return not any(is_match(pattern, name) for pattern in profile.disallowed_tools)


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule made ready to be matched often."""

    rule: Rule
    match: Callable[[str], bool]
    match_folded: Callable[[str], bool]
    """For folded texts."""
    match_bare_command: Callable[[str], bool] | None
    """For commands that end in ` *`: without it."""
    is_allow: bool
    can_match_outside: bool
    """It may speak of paths outside the workspace; what is no path is nowhere."""
    required_substring: str
    """In lower case: without it no ASCII text is matched; empty: nothing is needed."""

    def has_ask_or_deny_match(
        self, texts: tuple[str, ...], folded_texts: tuple[str, ...] | None
    ) -> bool:
        """Whether it speaks of any of these; `folded` are the same texts, where case is nothing."""
        for text in texts if folded_texts is None else folded_texts:
            if (self.match if folded_texts is None else self.match_folded)(text):
                return True
        return self.match_bare_command is not None and any(
            self.match_bare_command(text) for text in texts
        )


@lru_cache(_CACHED)
def compile_rule(rule: Rule) -> CompiledRule:
    """Make a rule ready."""
    bare = rule.permission == "bash" and rule.pattern.endswith(" *")
    pieces = (rule.pattern[:-2] if bare else rule.pattern).split("*")
    return CompiledRule(
        rule,
        match=compile_pattern(rule.pattern),
        match_folded=compile_pattern(fold_case(rule.pattern)),
        match_bare_command=compile_pattern(rule.pattern[:-2]) if bare else None,
        is_allow=rule.action == "allow",
        can_match_outside=rule.permission not in PATH_PERMISSIONS or rule.pattern.startswith("/"),
        required_substring=max(pieces, key=len).lower() if rule.pattern.isascii() else "",
    )


def fold_case(path: str) -> str:
    """Write a path as file systems compare it that ignore case."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@lru_cache(_CACHED)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Match piece by piece from the left: never more than once over the text."""
    first, *rest = pattern.split("*")
    if not rest:
        return first.__eq__
    *middle, last = rest
    if not middle and not last:
        return lambda text: text.startswith(first)
    if not middle and not first:
        return lambda text: text.endswith(last)

    def matched(text: str) -> bool:
        if not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for piece in middle:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return at <= end

    return matched
