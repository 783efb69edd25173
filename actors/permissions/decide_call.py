"""The decision on one tool call, shared by the engine and `greenroom permissions check`."""

from dataclasses import dataclass, replace

from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.permissions.access import Access
from actors.permissions.access_resolution import resolve_accesses
from actors.permissions.call_analysis import analyze_call
from actors.permissions.decide import combine_decisions, decide_access
from actors.permissions.decision import AccessDecision
from actors.permissions.grant_binding import GrantBinding
from actors.permissions.rule_index import get_rule_index
from messages.policy import (
    CommandSandbox,
    FileReadPolicy,
    PermissionProfile,
    PermissionRequest,
    Policy,
)


@dataclass(frozen=True, slots=True)
class CallDecision:
    """The decision on a tool call and the decisions that it was combined from."""

    decision: AccessDecision
    access_decisions: tuple[tuple[Access, AccessDecision], ...]
    """Each access that a rule could match, with its decision."""
    unmatched_files: tuple[tuple[str, str], ...] = ()
    """Permission and target of the other files; no rule can match them."""
    read_policy: FileReadPolicy | None = None
    """Set for tools that open many files."""
    changes_nothing: bool = False
    """The call is known to only read, whatever the rules say about it."""
    sandbox: CommandSandbox | None = None
    """The sandbox that a command runs in; None: none."""

    @property
    def resolved_requests(self) -> tuple[PermissionRequest, ...]:
        """List everything that the call would do, without duplicates."""
        decided = ((access.permission, access.target) for access, _ in self.access_decisions)
        pairs = dict.fromkeys((*decided, *self.unmatched_files))
        return tuple(PermissionRequest(permission=name, target=target) for name, target in pairs)

    @property
    def notable_decisions(self) -> tuple[tuple[Access, AccessDecision], ...]:
        """List the decisions to show, without those that could have restricted but did not."""
        return tuple(
            (access, decision)
            for access, decision in self.access_decisions
            if access.rule_scope == "all" or decision.action != "allow"
        )


def decide_call(
    requests: tuple[PermissionRequest, ...],
    workspace_paths: WorkspacePaths,
    policy: Policy,
    chain: tuple[PermissionProfile, ...],
) -> CallDecision:
    """Decide one tool call. Read the file system to follow links, and change nothing.

    There are three passes: analyze the text of each request, resolve the paths, decide each access.
    """
    workspace_paths = replace(workspace_paths, added_folders=policy.added_directories)
    rule_index = get_rule_index(policy, chain, [request.permission for request in requests])
    analyzed = analyze_call(requests)
    resolved = resolve_accesses(analyzed, PathResolver(workspace_paths), rule_index)
    grants = GrantBinding(analyzed, workspace_paths, policy)
    decisions = tuple(
        [
            (access, decide_access(grants.add_digest(access), rule_index))
            for access in resolved.accesses
        ]
    )
    opens_many_files = any(
        rule_index.get_category(request.permission) == "search" for request in requests
    )
    read_policy = FileReadPolicy(policy=policy, profile_chain=chain) if opens_many_files else None
    return CallDecision(
        grants.bind(combine_decisions(decisions)),
        decisions,
        resolved.unmatched_files,
        read_policy,
        changes_nothing=resolved.changes_nothing,
    )
