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
    Config,
    GrantNotRevoked,
    GrantNotStored,
    GrantRevoked,
    GrantStored,
    LoadRules,
    ModeChanged,
    ModeNotChanged,
    RevokeGrant,
    RulesLoaded,
    RulesNotLoaded,
    StoreGrant,
)
from messages.rules import Policy

Change = StoreGrant | RevokeGrant | ChangeMode | LoadRules


def wrong_with(change: Change) -> str:
    """Say why a change cannot be made, whatever the disk says; empty: it can."""
    match change:
        case LoadRules():
            return first_problem(change.sources)
        case StoreGrant():
            return next((why for rule in change.rules if (why := unstorable(rule))), "")
        case RevokeGrant() | ChangeMode():
            return ""
        case _:
            assert_never(change)


def tightens(change: Change, policy: Policy) -> bool:
    """Whether a change takes something away at once: that need not wait for the disk."""
    match change:
        case RevokeGrant():
            return change.rule in granted(policy, change.scope)
        case ChangeMode():
            return is_stricter(change.mode, policy.mode)
        case StoreGrant() | LoadRules():
            return False
        case _:
            assert_never(change)


def changed(policy: Policy, change: Change) -> Policy:
    """Make the change, in the next generation."""
    match change:
        case LoadRules():
            return loading(policy, change)
        case StoreGrant():
            return granting(policy, change.rules, change.scope)
        case RevokeGrant():
            return revoking(policy, change.rule, change.scope)
        case ChangeMode():
            return replace(policy, mode=change.mode, generation=policy.generation + 1)
        case _:
            assert_never(change)


def is_of_project(change: Change) -> bool:
    """Whether it goes into the project's store, not into the session."""
    return isinstance(change, StoreGrant | RevokeGrant) and change.scope == "project"


def config_of(policy: Policy, loaded: LoadRules | None) -> Config:
    """Write down what the session keeps of a policy."""
    return Config(mode=policy.mode, grants=policy.grants, loaded=loaded)


def done(change: Change, generation: int) -> Message:
    """Say that a change is on disk and holds."""
    match change:
        case LoadRules():
            return RulesLoaded(generation=generation)
        case StoreGrant():
            return GrantStored(id=change.id, generation=generation)
        case RevokeGrant():
            return GrantRevoked(rule=change.rule, scope=change.scope, generation=generation)
        case ChangeMode():
            return ModeChanged(mode=change.mode, generation=generation)
        case _:
            assert_never(change)


def failed(change: Change, detail: str, policy: Policy) -> Message:
    """Say that a change is not on disk; `policy` is what holds."""
    match change:
        case LoadRules():
            return RulesNotLoaded(detail=detail)
        case StoreGrant():
            return GrantNotStored(id=change.id, detail=detail)
        case RevokeGrant():
            return GrantNotRevoked(rule=change.rule, scope=change.scope, detail=detail)
        case ChangeMode():
            holds = change.mode == policy.mode
            return ModeNotChanged(mode=change.mode, detail=detail, holds=holds)
        case _:
            assert_never(change)
