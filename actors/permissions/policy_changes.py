"""What changes verdicts: a grant, a revocation, a mode, rules read anew. Pure.

A change that loosens holds once it is on disk; one that tightens holds at once.
"""

from dataclasses import replace
from typing import assert_never

from actors.permissions.grants import find_grant_problem, get_grants, with_grants, without_grant
from actors.permissions.mode_order import is_stricter
from actors.permissions.policy_recovery import with_replaced_rules
from actors.permissions.rules import find_source_problem
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
from messages.policy import Policy

PolicyUpdate = StoreGrant | RevokeGrant | ChangeMode | ReplaceRules


def find_update_problem(update: PolicyUpdate) -> str:
    """Say why a change cannot be made, whatever the disk says; empty: it can."""
    match update:
        case ReplaceRules():
            return find_source_problem(update.sources)
        case StoreGrant():
            return next((why for rule in update.rules if (why := find_grant_problem(rule))), "")
        case RevokeGrant() | ChangeMode():
            return ""
        case _:
            assert_never(update)


def is_tightening(update: PolicyUpdate, policy: Policy) -> bool:
    """Whether a change takes something away at once: that need not wait for the disk."""
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
    """Make the change, in the next generation."""
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
    """Whether it goes into the project's store, not into the session."""
    return isinstance(update, StoreGrant | RevokeGrant) and update.scope == "project"


def build_session_settings(policy: Policy, loaded: ReplaceRules | None) -> SessionSettings:
    """Write down what the session keeps of a policy."""
    return SessionSettings(mode=policy.mode, grants=policy.grants, replaced_rules=loaded)


def build_success_reply(update: PolicyUpdate, generation: int) -> Message:
    """Say that a change is on disk and holds."""
    match update:
        case ReplaceRules():
            return RulesReplaced(policy_version=generation)
        case StoreGrant():
            return GrantStored(id=update.id, policy_version=generation)
        case RevokeGrant():
            return GrantRevoked(rule=update.rule, scope=update.scope, policy_version=generation)
        case ChangeMode():
            return ModeChanged(mode=update.mode, policy_version=generation)
        case _:
            assert_never(update)


def build_failure_reply(update: PolicyUpdate, detail: str, policy: Policy) -> Message:
    """Say that a change is not on disk; `policy` is what holds."""
    match update:
        case ReplaceRules():
            return ReplaceRulesFailed(detail=detail)
        case StoreGrant():
            return StoreGrantFailed(id=update.id, detail=detail)
        case RevokeGrant():
            return RevokeGrantFailed(rule=update.rule, scope=update.scope, detail=detail)
        case ChangeMode():
            holds = update.mode == policy.mode
            return ChangeModeFailed(mode=update.mode, detail=detail, in_effect=holds)
        case _:
            assert_never(update)
