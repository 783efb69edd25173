"""What a project's files allow, so that the user is asked again when it grows. Pure.

Only rules allow anything; nothing in a project's files starts a program by itself yet.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from messages.policy import Rule

Allowances: TypeAlias = Mapping[str, tuple[str, ...]]
"""By file: a digest of each rule, in order, with `+` before those of allow rules."""
ProjectRules: TypeAlias = Mapping[str, tuple[Rule, ...]]
"""By file, relative to the workspace root: its rules in order, the last match wins."""

MAX_SHOWN_RULES = 15
"""Rules that the trust question lists."""
MAX_RULES_IN_NOTICE = 3
MAX_SHOWN_CHARS = 100
"""Length of a pattern in the trust question."""
_DIGEST_CHARS = 16
_BROADEST_PERMISSIONS = ("*", "bash")


class AllowRule(NamedTuple):
    """An allow rule of a project, and the file that it is in."""

    rule: Rule
    file: str


def compute_allowances(rules: ProjectRules) -> Allowances:
    """Return what to store when the user trusts a project with these rules."""
    return {file: tuple(map(_digest, in_file)) for file, in_file in rules.items()}


def list_allow_rules(rules: ProjectRules) -> tuple[AllowRule, ...]:
    """List the allow rules of a project."""
    return tuple(
        AllowRule(rule, file)
        for file, in_file in rules.items()
        for rule in in_file
        if rule.action == "allow"
    )


def list_new_allow_rules(rules: ProjectRules, approved: Allowances) -> tuple[AllowRule, ...]:
    """List the allow rules that are new, or that a later rule no longer limits."""
    return tuple(
        AllowRule(rule, file)
        for file, in_file in rules.items()
        for rule in _list_new_rules(in_file, approved.get(file, ()))
    )


def format_allow_rules(allow_rules: Iterable[AllowRule], max_rules: int) -> list[str]:
    """Return a line for each rule, the broadest first, and the number of those left out."""
    ordered = sorted(allow_rules, key=_get_breadth)
    lines = list(dict.fromkeys(_format_rule(rule) for rule in ordered))
    more = len(lines) - max_rules
    return lines[:max_rules] + ([f"and {more:,} more"] if more > 0 else [])


def _list_new_rules(rules: tuple[Rule, ...], approved: tuple[str, ...]) -> list[Rule]:
    digests = [_digest(rule) for rule in rules]
    # If a rule occurs twice, its last place decides, because the last match wins.
    now = {digest: index for index, digest in enumerate(digests)}
    # For each approved rule: the first place where a rule that limits it is now; -1: nowhere.
    limited_until: dict[str, int] = {}
    first_limit = len(rules)
    for digest in reversed(approved):
        if digest.startswith("+"):
            limited_until.setdefault(digest, first_limit)
        else:
            first_limit = min(first_limit, now.get(digest, -1))
    return [
        rule
        for index, (rule, digest) in enumerate(zip(rules, digests, strict=True))
        if rule.action == "allow" and index == now[digest] and limited_until.get(digest, -1) < index
    ]


def _digest(rule: Rule) -> str:
    text = json.dumps([rule.permission, rule.pattern, rule.action, rule.agent])
    digest = sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
    return f"{'+' if rule.action == 'allow' else '-'}{digest}"


def _get_breadth(allow_rule: AllowRule) -> tuple[bool, int]:
    """Return a sort key: rules for commands first, then those with the shortest patterns."""
    rule = allow_rule.rule
    is_broad = rule.permission in _BROADEST_PERMISSIONS
    return not is_broad, len(rule.pattern.replace("*", ""))


def _format_rule(allow_rule: AllowRule) -> str:
    rule, file = allow_rule
    agent = f", agent {rule.agent}" if rule.agent else ""
    tool = "every tool" if rule.permission == "*" else rule.permission
    is_long = len(rule.pattern) > MAX_SHOWN_CHARS
    pattern = f"{rule.pattern[:MAX_SHOWN_CHARS]}…" if is_long else rule.pattern
    return f"{tool} {pattern} ({file}{agent})"
