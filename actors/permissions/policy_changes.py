"""Pure functions for policy changes: a grant, a revocation, a mode, or replaced rules.

A change that loosens takes effect when it is on disk. One that tightens takes effect immediately.
"""

from dataclasses import replace
from typing import TypeAlias, assert_never

from actors.permissions.grants import find_grant_problem, get_grants, with_grants, without_grant
from actors.permissions.mode_order import is_stricter
from actors.permissions.policy_recovery import with_replaced_rules
from actors.permissions.rule_matching import find_source_problem
from messages.base import Message
from messages.permissions import (
    ChangeMode,
    ChangeModeFailed,
    GrantRevoked,
    GrantStored,
    ModeChanged,
    ReplaceRules,
    ReplaceRulesFailed,
    RevokeGrant,
    RevokeGrantFailed,
    RulesReplaced,
    SessionSettings,
    StoreGrant,
    StoreGrantFailed,
)
from messages.policy import Policy, ToolDeclaration

PolicyUpdate: TypeAlias = StoreGrant | RevokeGrant | ChangeMode | ReplaceRules


def find_update_problem(update: PolicyUpdate, tools: tuple[ToolDeclaration, ...]) -> str:
    """Return why an update is invalid, or an empty string."""
    match update:
        case ReplaceRules():
            return find_source_problem(update.sources, tools)
        case StoreGrant():
            problems = (find_grant_problem(rule, tools) for rule in update.rules)
            return next((problem for problem in problems if problem), "")
        case RevokeGrant() | ChangeMode():
            return ""
        case _:
            assert_never(update)


def is_tightening(update: PolicyUpdate, policy: Policy) -> bool:
    """Whether an update restricts the policy and therefore takes effect immediately."""
    match update:
        case RevokeGrant():
            return update.rule in get_grants(policy, update.scope)
        case ChangeMode():
            return is_stricter(update.mode, policy.mode)
        case StoreGrant() | ReplaceRules():
            return False
        case _:
            assert_never(update)


def apply_update(policy: Policy, update: PolicyUpdate) -> Policy:
    """Return the changed policy with the next policy version."""
    match update:
        case ReplaceRules():
            return with_replaced_rules(policy, update)
        case StoreGrant():
            return with_grants(policy, update.rules, update.scope)
        case RevokeGrant():
            return without_grant(policy, update.rule, update.scope)
        case ChangeMode():
            return replace(policy, mode=update.mode, policy_version=policy.policy_version + 1)
        case _:
            assert_never(update)


def is_project_update(update: PolicyUpdate) -> bool:
    """Whether an update is stored in the project's grants and not in the session file."""
    return isinstance(update, StoreGrant | RevokeGrant) and update.scope == "project"


def build_session_settings(policy: Policy, replaced_rules: ReplaceRules | None) -> SessionSettings:
    """Build the record of what the session file stores of a policy."""
    return SessionSettings(mode=policy.mode, grants=policy.grants, replaced_rules=replaced_rules)


def build_success_reply(update: PolicyUpdate, policy_version: int) -> Message:
    """Build the reply for an update that is on disk and in effect."""
    match update:
        case ReplaceRules():
            return RulesReplaced(policy_version=policy_version)
        case StoreGrant():
            return GrantStored(id=update.id, policy_version=policy_version)
        case RevokeGrant():
            return GrantRevoked(rule=update.rule, scope=update.scope, policy_version=policy_version)
        case ChangeMode():
            return ModeChanged(mode=update.mode, policy_version=policy_version)
        case _:
            assert_never(update)


def build_failure_reply(update: PolicyUpdate, detail: str, policy: Policy) -> Message:
    """Build the reply for an update that could not be written; `policy` is the one in effect."""
    match update:
        case ReplaceRules():
            return ReplaceRulesFailed(detail=detail)
        case StoreGrant():
            return StoreGrantFailed(id=update.id, detail=detail)
        case RevokeGrant():
            return RevokeGrantFailed(rule=update.rule, scope=update.scope, detail=detail)
        case ChangeMode():
            in_effect = update.mode == policy.mode
            return ChangeModeFailed(mode=update.mode, detail=detail, in_effect=in_effect)
        case _:
            assert_never(update)
