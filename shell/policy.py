"""What verdicts go by, in lines for a person. Pure."""

from collections.abc import Iterable

from messages.rules import Policy, Rule
from shell.visible import exact_line


def policy_lines(policy: Policy) -> str:
    """List the mode, each source's rules in their order, grants and what is protected."""
    parts = [f"mode {policy.mode}"]
    for source in policy.sources:
        note = "" if source.trusted else " (not trusted: its allow says nothing)"
        parts.append(_rules(f"{source.name}{note}", source.rules))
    parts.append(_rules("built in, where no source speaks", policy.defaults))
    parts.append(_rules("granted in this session", policy.grants))
    if policy.added:
        parts.append("\n".join(["folders that count as inside", *map(_indented, policy.added)]))
    parts.append("protected files ask each time; within a source the last rule that fits counts")
    return "\n".join(parts)


def _rules(name: str, rules: Iterable[Rule]) -> str:
    told = [_rule(rule) for rule in rules] or ["  none"]
    return "\n".join([exact_line(name), *told])


def _rule(rule: Rule) -> str:
    only = f" (agent {rule.agent})" if rule.agent else ""
    return f"  {rule.action:<5} {exact_line(f'{rule.permission} {rule.pattern}{only}')}"


def _indented(text: str) -> str:
    return "  " + exact_line(text)
