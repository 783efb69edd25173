"""What changes verdicts: a grant, a revocation, a mode, rules read anew. Pure.

A change that loosens holds once it is on disk; one that tightens holds at once.
"""

from dataclasses import replace
from typing import assert_never

from actors.permissions.granting import granted, granting, revoking, unstorable
from actors.permissions.modes import is_stricter
from actors.permissions.remembering import loading
from actors.permissions.rules import first_problem
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
from messages.rules import Policy

PolicyUpdate = StoreGrant | RevokeGrant | ChangeMode | ReplaceRules


def wrong_with(change: PolicyUpdate) -> str:
    """Say why a change cannot be made, whatever the disk says; empty: it can."""
    match change:
        case ReplaceRules():
            return first_problem(change.sources)
        case StoreGrant():
            return next((why for rule in change.rules if (why := unstorable(rule))), "")
        case RevokeGrant() | ChangeMode():
            return ""
        case _:
            assert_never(change)


def tightens(change: PolicyUpdate, policy: Policy) -> bool:
    """Whether a change takes something away at once: that need not wait for the disk."""
    match change:
        case RevokeGrant():
            return change.rule in granted(policy, change.scope)
        case ChangeMode():
            return is_stricter(change.mode, policy.mode)
        case StoreGrant() | ReplaceRules():
            return False
        case _:
            assert_never(change)


def changed(policy: Policy, change: PolicyUpdate) -> Policy:
    """Make the change, in the next generation."""
    match change:
        case ReplaceRules():
            return loading(policy, change)
        case StoreGrant():
            return granting(policy, change.rules, change.scope)
        case RevokeGrant():
            return revoking(policy, change.rule, change.scope)
        case ChangeMode():
            return replace(policy, mode=change.mode, policy_version=policy.policy_version + 1)
        case _:
            assert_never(change)


def is_of_project(change: PolicyUpdate) -> bool:
    """Whether it goes into the project's store, not into the session."""
    return isinstance(change, StoreGrant | RevokeGrant) and change.scope == "project"


def config_of(policy: Policy, loaded: ReplaceRules | None) -> SessionSettings:
    """Write down what the session keeps of a policy."""
    return SessionSettings(mode=policy.mode, grants=policy.grants, replaced_rules=loaded)


def done(change: PolicyUpdate, generation: int) -> Message:
    """Say that a change is on disk and holds."""
    match change:
        case ReplaceRules():
            return RulesReplaced(policy_version=generation)
        case StoreGrant():
            return GrantStored(id=change.id, policy_version=generation)
        case RevokeGrant():
            return GrantRevoked(rule=change.rule, scope=change.scope, policy_version=generation)
        case ChangeMode():
            return ModeChanged(mode=change.mode, policy_version=generation)
        case _:
            assert_never(change)


def failed(change: PolicyUpdate, detail: str, policy: Policy) -> Message:
    """Say that a change is not on disk; `policy` is what holds."""
    match change:
        case ReplaceRules():
            return ReplaceRulesFailed(detail=detail)
        case StoreGrant():
            return StoreGrantFailed(id=change.id, detail=detail)
        case RevokeGrant():
            return RevokeGrantFailed(rule=change.rule, scope=change.scope, detail=detail)
        case ChangeMode():
            holds = change.mode == policy.mode
            return ChangeModeFailed(mode=change.mode, detail=detail, holds=holds)
        case _:
            assert_never(change)
