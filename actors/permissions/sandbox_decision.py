"""Which sandbox a command runs in, and which questions the sandbox makes needless."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from actors.paths.resolve import WorkspacePaths
from actors.permissions.access import Access
from actors.permissions.decide import MINIMUM_ASK_SOURCE
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.decision import AccessDecision
from actors.permissions.directory_scan import DirectoryScan
from actors.permissions.rule_index import RuleIndex, get_rule_index
from actors.permissions.rule_matching import OUTSIDE_PERMISSION
from messages.policy import (
    CommandSandbox,
    PermissionProfile,
    PermissionRequest,
    Policy,
    WorkspaceAccess,
)

SANDBOX_SOURCE = "sandbox"
MAX_SCANNED_ENTRIES = 50_000
"""Files of the workspace that are checked against read rules before a command runs unasked."""


class DecisionInputs(NamedTuple):
    """What the decision on a call depends on."""

    requests: tuple[PermissionRequest, ...]
    wanted: WorkspaceAccess
    """What the model says that a command needs."""
    workspace_paths: WorkspacePaths
    policy: Policy
    chain: tuple[PermissionProfile, ...]


DecideCall: TypeAlias = Callable[
    [
        tuple[PermissionRequest, ...],
        WorkspacePaths,
        Policy,
        tuple[PermissionProfile, ...],
    ],
    CallDecision,
]


def decide_with_sandbox(
    inputs: DecisionInputs, has_sandbox: Callable[[], bool], decide: DecideCall = decide_call
) -> CallDecision:
    """Decide a call, and choose the sandbox of a command.

    `has_sandbox` is called only for commands, because the first answer takes time.
    """
    requests, wanted, workspace_paths, policy, chain = inputs
    is_command = any(request.permission == "bash" for request in requests)
    is_sandboxed = is_command and has_sandbox()
    if not is_sandboxed:
        # Without a sandbox, there is no outside to ask about.
        inside = tuple(request for request in requests if request.permission != OUTSIDE_PERMISSION)
        return decide(inside, workspace_paths, policy, chain)
    decided = decide(requests, workspace_paths, policy, chain)
    if any(request.permission == OUTSIDE_PERMISSION for request in requests):
        return decided
    rule_index = get_rule_index(policy, chain, [request.permission for request in requests])
    folders = (workspace_paths.root, *policy.added_directories)
    return _choose_sandbox(decided, wanted, rule_index, folders)


def _choose_sandbox(
    decided: CallDecision, wanted: WorkspaceAccess, rule_index: RuleIndex, folders: tuple[str, ...]
) -> CallDecision:
    """Choose the sandbox of a command, and allow the command if the sandbox is reason enough.

    `folders` are the workspace's.
    """
    action = decided.decision.action
    is_auto_edit = rule_index.effective_mode == "auto-edit"
    if action == "allow":
        access: WorkspaceAccess = "read-only" if decided.changes_nothing else "writable"
        return replace(decided, sandbox=CommandSandbox(access=access))
    if action == "deny":
        return decided
    asking = [pair for pair in decided.access_decisions if pair[1].action == "ask"]
    may_lift = wanted == "read-only" or is_auto_edit
    if may_lift and all(_is_confined(*pair, rule_index) for pair in asking):
        hidden = _find_guarded_files(rule_index, folders)
        if hidden is not None:
            access = "writable" if is_auto_edit else "read-only"
            reason = f"it runs in the sandbox, with the workspace {access} and without a network"
            allowed = AccessDecision("allow", reason, source=SANDBOX_SOURCE)
            sandbox = CommandSandbox(access=access, hidden_files=hidden)
            return replace(decided, decision=allowed, sandbox=sandbox)
    if any(access.protection_reason for access, _ in asking):
        # The sandbox protects the same paths, so what the user approves must run without it.
        return decided
    return replace(decided, sandbox=CommandSandbox(access="writable"))


def _is_confined(access: Access, decision: AccessDecision, rule_index: RuleIndex) -> bool:
    """Whether an ask has no other cause than our own defaults, which the sandbox replaces."""
    is_plan_mode = rule_index.effective_mode == "plan"
    if access.protection_reason or access.category == "ask" or access.is_implied:
        return False
    if decision.always_ask and not is_plan_mode:  # plan mode asks because a command may write
        return False
    # A default rule that asks names a file with secrets.
    is_own_default = decision.by_default and decision.rule is None
    return is_own_default or decision.source == MINIMUM_ASK_SOURCE


def _find_guarded_files(rule_index: RuleIndex, folders: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the files in the workspace that a read rule asks about or denies; None: too many."""
    scan = DirectoryScan(MAX_SCANNED_ENTRIES)
    root = rule_index.policy.workspace_root
    found: list[str] = []
    for folder in folders:
        listing = scan.list_files(folder, "all")
        if listing.problem:
            return None
        targets = [(path.removeprefix(f"{root}/"),) for path in listing.files]
        restricted = rule_index.find_restricted(("read",), targets)
        pairs = zip(listing.files, restricted, strict=True)
        found += [path for path, is_restricted in pairs if is_restricted]
    return tuple(found)
