"""The policy and reports about it, as text for the user. Pure."""

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
from shell.view.approval_panel import describe_binding
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
    """List the mode, the rules of each source in order, the grants and the added folders.

    `max_mode` is the loosest mode of the active agent.
    """
    effective_mode = find_strictest_mode(policy.mode, max_mode)
    later = "" if effective_mode == policy.mode else f", then {policy.mode}"
    parts = [f"mode {effective_mode}{later}"]
    for source in policy.sources:
        note = "" if source.trusted else " (not trusted: its allow rules are ignored)"
        parts.append(_format_rules(f"{source.name}{note}", source.rules))
    parts.append(_format_rules("built-in defaults, where no source has a rule", policy.defaults))
    parts.append(_format_grants("granted for this session", policy.grants, 1))
    first = len(policy.grants) + 1
    parts.append(_format_grants("granted for this project", policy.project_grants, first))
    if list_grants(policy):
        parts.append("Use /permissions revoke N to revoke a grant.")
    if policy.added_directories:
        folders = map(_indent, policy.added_directories)
        parts.append("\n".join(["folders added to the workspace", *folders]))
    parts.append("Protected files always ask. Within a source, the last matching rule wins.")
    return "\n".join(parts)


def list_grants(policy: Policy) -> tuple[tuple[GrantScope, Rule], ...]:
    """List the user's grants in the order in which they are numbered."""
    session_grants: list[tuple[GrantScope, Rule]] = [("session", rule) for rule in policy.grants]
    project_grants: list[tuple[GrantScope, Rule]] = [
        ("project", rule) for rule in policy.project_grants
    ]
    return (*session_grants, *project_grants)


def format_policy_report(event: PolicyReport) -> tuple[str, str]:
    """Return the outcome of a user's question or change, as text and tone."""
    match event:
        case DecisionExplained():
            return format_decision_explanation(event), "plain"
        case RulesReplaced():
            text = f"The rules were reloaded and apply now (policy version {event.policy_version})."
            return text, "plain"
        case ReplaceRulesFailed():
            return f"The rules were not replaced: {event.detail}.", "warn"
        case GrantRevoked():
            return f"Revoked {_format_grant(event.rule, event.scope)}.", "plain"
        case RevokeGrantFailed():
            grant = _format_grant(event.rule, event.scope)
            text = f"Revoked {grant} for this run only; it could not be deleted from disk"
            return f"{text}: {event.detail}.", "bad"
        case StoreGrantFailed():
            return f"The grant was not saved, so you will be asked again: {event.detail}.", "warn"
        case _:
            assert_never(event)


def format_decision_explanation(explained: DecisionExplained) -> str:
    """Return how the last call was decided, request by request."""
    decision = explained.decision
    if decision is None or explained.agent is None:
        return "No call has been evaluated yet."
    chain = AGENT_CHAIN_SEPARATOR.join(explained.agent.segments)
    lines = [f"{chain}: {decision.action}: {sanitize_line_strict(decision.reason)}"]
    for evaluated in explained.evaluated_requests:
        request = evaluated.request
        target = sanitize_line_strict(f"{request.permission} {request.target}")
        lines.append(f"  {evaluated.action:<5} {target} · {sanitize_line_strict(evaluated.reason)}")
    return "\n".join([*lines, f"  (policy version {decision.policy_version})"])


def _format_grant(rule: Rule, scope: GrantScope) -> str:
    text = sanitize_line_strict(f"{rule.permission} {rule.pattern}")
    scope_text = "this session" if scope == "session" else "this project"
    return f"`{text}` ({scope_text}{describe_binding(rule)})"


def _format_grants(title: str, rules: tuple[Rule, ...], first: int) -> str:
    lines = [
        f"  {number}  {_format_rule(rule).strip()}" for number, rule in enumerate(rules, first)
    ]
    return "\n".join([title, *(lines or ["  none"])])


def _format_rules(title: str, rules: Iterable[Rule]) -> str:
    lines = [_format_rule(rule) for rule in rules] or ["  none"]
    return "\n".join([sanitize_line_strict(title), *lines])


def _format_rule(rule: Rule) -> str:
    agent = f" (agent {rule.agent})" if rule.agent else ""
    text = sanitize_line_strict(f"{rule.permission} {rule.pattern}{agent}")
    return f"  {rule.action:<5} {text}{describe_binding(rule)}"


def _indent(text: str) -> str:
    return "  " + sanitize_line_strict(text)
