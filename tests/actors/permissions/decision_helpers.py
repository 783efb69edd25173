"""Short ways to build rules and decide calls in tests."""

from pathlib import Path

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.default_rules import build_default_rules
from actors.permissions.project_grants import ProjectGrantStore
from actors.tools.tool_list import TOOL_LIST
from messages.policy import Action, PermissionProfile, PermissionRequest, Policy, Rule, RuleSource

DEFAULT_RULES = build_default_rules(TOOL_LIST)
DEFAULT_POLICY = Policy(tools=TOOL_LIST, defaults=DEFAULT_RULES)
WORKSPACE_PATHS = WorkspacePaths(
    root="/nowhere/project", cwd="/nowhere/project", home="/nowhere/home"
)
BUILD_PROFILE = PermissionProfile(agent="build")
GRANT_STORE = ProjectGrantStore(
    Path("/nowhere/state/grants.json"), Path("/nowhere/project"), TOOL_LIST
)


def permission_request(permission: str, target: str) -> PermissionRequest:
    return PermissionRequest(permission=permission, target=target)


def rule(permission: str, pattern: str, action: Action = "allow", agent: str | None = None) -> Rule:
    return Rule(permission=permission, pattern=pattern, action=action, agent=agent)


def user_rules(*rules: Rule) -> RuleSource:
    return RuleSource(name="user rules", rules=rules)


def project_rules(*rules: Rule, trusted: bool = True) -> RuleSource:
    return RuleSource(name="project rules", rules=rules, trusted=trusted)


def rules_only_policy(*rules: Rule) -> Policy:
    """Build a policy with only one rule source, as `permissions check --rules` does."""
    return Policy(
        sources=(RuleSource(name="rules", rules=rules),), tools=TOOL_LIST, protected_paths=None
    )


def decide_requests(
    *requests: tuple[str, str],
    policy: Policy | None = None,
    chain: tuple[PermissionProfile, ...] = (BUILD_PROFILE,),
    workspace_paths: WorkspacePaths = WORKSPACE_PATHS,
) -> CallDecision:
    return decide_call(
        tuple(permission_request(*request) for request in requests),
        workspace_paths,
        policy or DEFAULT_POLICY,
        chain,
    )


def decide_action(
    permission: str,
    target: str,
    policy: Policy | None = None,
    chain: tuple[PermissionProfile, ...] = (BUILD_PROFILE,),
    workspace_paths: WorkspacePaths = WORKSPACE_PATHS,
) -> Action:
    return decide_requests(
        (permission, target), policy=policy, chain=chain, workspace_paths=workspace_paths
    ).decision.action
