"""Calls judged in a few words."""

from pathlib import Path

from actors.permissions.deciding import CallDecision, decide_call
from actors.permissions.defaults import BUILT_IN
from actors.permissions.places import WorkspacePaths
from actors.permissions.project_grants import ProjectGrants
from messages.rules import Action, PermissionProfile, PermissionRequest, Policy, Rule, RuleSource

GROUND = WorkspacePaths(root="/nowhere/project", cwd="/nowhere/project", home="/nowhere/home")
BUILD = PermissionProfile(agent="build")
STORE = ProjectGrants(Path("/nowhere/state/grants.json"), Path("/nowhere/project"))


def asking(permission: str, target: str) -> PermissionRequest:
    return PermissionRequest(permission=permission, target=target)


def rule(permission: str, pattern: str, action: Action = "allow", agent: str | None = None) -> Rule:
    return Rule(permission=permission, pattern=pattern, action=action, agent=agent)


def user(*rules: Rule) -> RuleSource:
    return RuleSource(name="user rules", rules=rules)


def project(*rules: Rule, trusted: bool = True) -> RuleSource:
    return RuleSource(name="project rules", rules=rules, trusted=trusted)


def by_rules(*rules: Rule) -> Policy:
    """One source and nothing else, as `permissions check --rules` judges."""
    return Policy(sources=(RuleSource(name="rules", rules=rules),), protected=None)


def decided(
    *call: tuple[str, str],
    policy: Policy | None = None,
    chain: tuple[PermissionProfile, ...] = (BUILD,),
    ground: WorkspacePaths = GROUND,
) -> CallDecision:
    requests = tuple(asking(*each) for each in call)
    return decide_call(requests, ground, policy or Policy(defaults=BUILT_IN), chain)


def verdict(
    permission: str,
    target: str,
    policy: Policy | None = None,
    chain: tuple[PermissionProfile, ...] = (BUILD,),
    ground: WorkspacePaths = GROUND,
) -> Action:
    return decided((permission, target), policy=policy, chain=chain, ground=ground).judgement.action
