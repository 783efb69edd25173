"""One call, from what its tool says to the verdict; the same for the engine and for explaining."""

from dataclasses import dataclass, replace

from actors.permissions.expanding import expand
from actors.permissions.judgement import AccessDecision
from actors.permissions.judging import decide, judged
from actors.permissions.matters import Access
from actors.permissions.places import WorkspacePaths
from actors.permissions.rulebook import rulebook_of
from messages.rules import FileReadPolicy, PermissionProfile, PermissionRequest, Policy

OPENING_MANY = frozenset({"glob", "grep"})


@dataclass(frozen=True, slots=True)
class CallDecision:
    """A verdict and how it came about."""

    judgement: AccessDecision
    matters: tuple[tuple[Access, AccessDecision], ...]
    """What the call would do that rules may speak of, and what was decided of each."""
    unheard: tuple[tuple[str, str], ...] = ()
    """The files beside these, by permission and target: no rule speaks of them."""
    read_policy: FileReadPolicy | None = None
    """For tools that open many files."""

    @property
    def parts(self) -> tuple[PermissionRequest, ...]:
        """What the call came to, each once."""
        decided = ((matter.permission, matter.target) for matter, _ in self.matters)
        each = dict.fromkeys((*decided, *self.unheard))
        return tuple(PermissionRequest(permission=name, target=target) for name, target in each)


def decide_call(
    requests: tuple[PermissionRequest, ...],
    ground: WorkspacePaths,
    policy: Policy,
    chain: tuple[PermissionProfile, ...],
) -> CallDecision:
    """Judge one call; looks at the file system to follow links, and changes nothing."""
    ground = replace(ground, added=policy.added)
    book = rulebook_of(policy, chain)
    found = expand(requests, ground, book)
    each = tuple([(matter, decide(matter, book)) for matter in found.matters])
    many = any(request.permission in OPENING_MANY for request in requests)
    reads = FileReadPolicy(policy=policy, chain=chain) if many else None
    return CallDecision(judged(each), each, found.unheard, reads)
