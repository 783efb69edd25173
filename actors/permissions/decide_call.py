"""One call, from what its tool says to the verdict; the same for the engine and for explaining."""

from dataclasses import dataclass, replace

from actors.paths.resolve import WorkspacePaths
from actors.permissions.access import Access
from actors.permissions.access_analysis import analyze_requests
from actors.permissions.decide import combine_decisions, decide_access
from actors.permissions.decision import AccessDecision
from actors.permissions.rule_index import get_rule_index
from messages.policy import FileReadPolicy, PermissionProfile, PermissionRequest, Policy

MULTI_FILE_TOOLS = frozenset({"glob", "grep"})


@dataclass(frozen=True, slots=True)
class CallDecision:
    """A verdict and how it came about."""

    decision: AccessDecision
    access_decisions: tuple[tuple[Access, AccessDecision], ...]
    """What the call would do that rules may speak of, and what was decided of each."""
    unmatched_files: tuple[tuple[str, str], ...] = ()
    """The files beside these, by permission and target: no rule speaks of them."""
    read_policy: FileReadPolicy | None = None
    """For tools that open many files."""

    @property
    def parts(self) -> tuple[PermissionRequest, ...]:
        """What the call came to, each once."""
        decided = ((matter.permission, matter.target) for matter, _ in self.access_decisions)
        each = dict.fromkeys((*decided, *self.unmatched_files))
        return tuple(PermissionRequest(permission=name, target=target) for name, target in each)


def decide_call(
    requests: tuple[PermissionRequest, ...],
    workspace_paths: WorkspacePaths,
    policy: Policy,
    chain: tuple[PermissionProfile, ...],
) -> CallDecision:
    """Judge one call; looks at the file system to follow links, and changes nothing."""
    workspace_paths = replace(workspace_paths, added_folders=policy.added_directories)
    book = get_rule_index(policy, chain)
    found = analyze_requests(requests, workspace_paths, book)
    each = tuple([(matter, decide_access(matter, book)) for matter in found.accesses])
    many = any(request.permission in MULTI_FILE_TOOLS for request in requests)
    reads = FileReadPolicy(policy=policy, profile_chain=chain) if many else None
    return CallDecision(combine_decisions(each), each, found.unmatched_files, reads)
