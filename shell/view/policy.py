"""What verdicts go by, in lines for a person. Pure."""

from collections.abc import Iterable
from typing import assert_never

from actors.permissions.modes import strictest_mode
from messages.permissions import (
    DecisionExplained,
    GrantRevoked,
    ReplaceRulesFailed,
    RevokeGrantFailed,
    RulesReplaced,
    StoreGrantFailed,
)
from messages.rules import GrantScope, PermissionMode, Policy, Rule
from shell.view.ink import CHAIN
from shell.visible import exact_line

Told = (
    DecisionExplained
    | RulesReplaced
    | ReplaceRulesFailed
    | GrantRevoked
    | RevokeGrantFailed
    | StoreGrantFailed
)


def policy_lines(policy: Policy, ceiling: PermissionMode) -> str:
    """List the mode, each source's rules in their order, grants and what is protected.

    `ceiling` is the loosest mode of the agent that has the session.
    """
    at_work = strictest_mode(policy.mode, ceiling)
    below = "" if at_work == policy.mode else f", and {policy.mode} after it"
    parts = [f"mode {at_work}{below}"]
    for source in policy.sources:
        note = "" if source.trusted else " (not trusted: its allow says nothing)"
        parts.append(_rules(f"{source.name}{note}", source.rules))
    parts.append(_rules("built in, where no source speaks", policy.defaults))
    parts.append(_numbered("granted in this session", policy.grants, 1))
    first = len(policy.grants) + 1
    parts.append(_numbered("granted for this project", policy.project_grants, first))
    if granted_of(policy):
        parts.append("/permissions revoke N takes one back")
    if policy.added:
        parts.append("\n".join(["folders that count as inside", *map(_indented, policy.added)]))
    parts.append("protected files ask each time; within a source the last rule that fits counts")
    return "\n".join(parts)


def granted_of(policy: Policy) -> tuple[tuple[GrantScope, Rule], ...]:
    """List what a person granted, as it is numbered."""
    of_session: list[tuple[GrantScope, Rule]] = [("session", rule) for rule in policy.grants]
    of_project: list[tuple[GrantScope, Rule]] = [
        ("project", rule) for rule in policy.project_grants
    ]
    return (*of_session, *of_project)


def told_of(event: Told) -> tuple[str, str]:
    """Say what came of what the person wanted to know or to change, and in which tone."""
    match event:
        case DecisionExplained():
            return call_lines(event), "plain"
        case RulesReplaced():
            text = f"The rules were read anew and hold now (generation {event.policy_version})."
            return text, "plain"
        case ReplaceRulesFailed():
            return f"The old rules stay: {event.detail}.", "warn"
        case GrantRevoked():
            return f"{_named(event.rule, event.scope)} is taken back.", "plain"
        case RevokeGrantFailed():
            told = f"{_named(event.rule, event.scope)} holds no longer in this run, but"
            return f"{told} could not be taken off the disk: {event.detail}.", "bad"
        case StoreGrantFailed():
            return f"That could not be kept, and counts as once: {event.detail}.", "warn"
        case _:
            assert_never(event)


def call_lines(explained: DecisionExplained) -> str:
    """Say what decided of the last call, part by part."""
    verdict = explained.decision
    if verdict is None or explained.agent is None:
        return "No call was judged yet."
    who = CHAIN.join(explained.agent.names)
    lines = [f"{who}: {verdict.action}: {exact_line(verdict.reason)}"]
    for part in explained.evaluated_requests:
        what = exact_line(f"{part.request.permission} {part.request.target}")
        lines.append(f"  {part.action:<5} {what} · {exact_line(part.reason)}")
    return "\n".join([*lines, f"  (generation {verdict.policy_version})"])


def _named(rule: Rule, scope: GrantScope) -> str:
    what = exact_line(f"{rule.permission} {rule.pattern}")
    return f"`{what}` ({'this session' if scope == 'session' else 'this project'})"


def _numbered(name: str, rules: tuple[Rule, ...], first: int) -> str:
    told = [f"  {at}  {_rule(rule).strip()}" for at, rule in enumerate(rules, first)]
    return "\n".join([name, *(told or ["  none"])])


def _rules(name: str, rules: Iterable[Rule]) -> str:
    told = [_rule(rule) for rule in rules] or ["  none"]
    return "\n".join([exact_line(name), *told])


def _rule(rule: Rule) -> str:
    only = f" (agent {rule.agent})" if rule.agent else ""
    return f"  {rule.action:<5} {exact_line(f'{rule.permission} {rule.pattern}{only}')}"


def _indented(text: str) -> str:
    return "  " + exact_line(text)
