"""What verdicts go by, in lines for a person. Pure."""

from collections.abc import Iterable
from typing import assert_never

from actors.permissions.mode_order import find_strictest_mode
from messages.permissions import (
    DecisionExplained,
    GrantRevoked,
    ReplaceRulesFailed,
    RevokeGrantFailed,
    RulesReplaced,
    StoreGrantFailed,
)
from messages.policy import GrantScope, PermissionMode, Policy, Rule
from shell.text.sanitize import sanitize_line_strict
from shell.view.styled_text import AGENT_CHAIN_SEPARATOR

PolicyReport = (
    DecisionExplained
    | RulesReplaced
    | ReplaceRulesFailed
    | GrantRevoked
    | RevokeGrantFailed
    | StoreGrantFailed
)


def format_policy(policy: Policy, max_mode: PermissionMode) -> str:
    """List the mode, each source's rules in their order, grants and what is protected.

    `ceiling` is the loosest mode of the agent that has the session.
    """
    at_work = find_strictest_mode(policy.mode, max_mode)
    below = "" if at_work == policy.mode else f", and {policy.mode} after it"
    parts = [f"mode {at_work}{below}"]
    for source in policy.sources:
        note = "" if source.trusted else " (not trusted: its allow says nothing)"
        parts.append(_rules(f"{source.name}{note}", source.rules))
    parts.append(_rules("built in, where no source speaks", policy.defaults))
    parts.append(_numbered("granted in this session", policy.grants, 1))
    first = len(policy.grants) + 1
    parts.append(_numbered("granted for this project", policy.project_grants, first))
    if list_grants(policy):
        parts.append("/permissions revoke N takes one back")
    if policy.added_directories:
        parts.append(
            "\n".join(["folders that count as inside", *map(_indented, policy.added_directories)])
        )
    parts.append("protected files ask each time; within a source the last rule that fits counts")
    return "\n".join(parts)


def list_grants(policy: Policy) -> tuple[tuple[GrantScope, Rule], ...]:
    """List what a person granted, as it is numbered."""
    of_session: list[tuple[GrantScope, Rule]] = [("session", rule) for rule in policy.grants]
    of_project: list[tuple[GrantScope, Rule]] = [
        ("project", rule) for rule in policy.project_grants
    ]
    return (*of_session, *of_project)


def format_policy_report(event: PolicyReport) -> tuple[str, str]:
    """Say what came of what the person wanted to know or to change, and in which tone."""
    match event:
        case DecisionExplained():
            return format_decision_explanation(event), "plain"
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


def format_decision_explanation(explained: DecisionExplained) -> str:
    """Say what decided of the last call, part by part."""
    verdict = explained.decision
    if verdict is None or explained.agent is None:
        return "No call was judged yet."
    who = AGENT_CHAIN_SEPARATOR.join(explained.agent.segments)
    lines = [f"{who}: {verdict.action}: {sanitize_line_strict(verdict.reason)}"]
    for part in explained.evaluated_requests:
        what = sanitize_line_strict(f"{part.request.permission} {part.request.target}")
        lines.append(f"  {part.action:<5} {what} · {sanitize_line_strict(part.reason)}")
    return "\n".join([*lines, f"  (generation {verdict.policy_version})"])


def _named(rule: Rule, scope: GrantScope) -> str:
    what = sanitize_line_strict(f"{rule.permission} {rule.pattern}")
    return f"`{what}` ({'this session' if scope == 'session' else 'this project'})"


def _numbered(name: str, rules: tuple[Rule, ...], first: int) -> str:
    told = [f"  {at}  {_rule(rule).strip()}" for at, rule in enumerate(rules, first)]
    return "\n".join([name, *(told or ["  none"])])


def _rules(name: str, rules: Iterable[Rule]) -> str:
    told = [_rule(rule) for rule in rules] or ["  none"]
    return "\n".join([sanitize_line_strict(name), *told])


def _rule(rule: Rule) -> str:
    only = f" (agent {rule.agent})" if rule.agent else ""
    return f"  {rule.action:<5} {sanitize_line_strict(f'{rule.permission} {rule.pattern}{only}')}"


def _indented(text: str) -> str:
    return "  " + sanitize_line_strict(text)
