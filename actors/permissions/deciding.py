"""One call, from what its tool says to the verdict; the same for the engine and for explaining."""

from dataclasses import dataclass, replace

from actors.permissions.expanding import expand
from actors.permissions.judgement import Judgement
from actors.permissions.judging import decide, judged
from actors.permissions.matters import Matter
from actors.permissions.places import Ground
from actors.permissions.rulebook import rulebook_of
from messages.rules import PermissionRequest, Policy, Profile, ReadRules

OPENING_MANY = frozenset({"glob", "grep"})


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and how it came about."""

    judgement: Judgement
    matters: tuple[tuple[Matter, Judgement], ...]
    """What the call would do that rules may speak of, and what was decided of each."""
    unheard: tuple[tuple[str, str], ...] = ()
    """The files beside these, by permission and target: no rule speaks of them."""
    reads: ReadRules | None = None
    """For tools that open many files."""

    @property
    def parts(self) -> tuple[PermissionRequest, ...]:
        """What the call came to, each once."""
        decided = ((matter.permission, matter.target) for matter, _ in self.matters)
        each = dict.fromkeys((*decided, *self.unheard))
        return tuple(PermissionRequest(permission=name, target=target) for name, target in each)


def decide_call(
    requests: tuple[PermissionRequest, ...],
    ground: Ground,
    policy: Policy,
    chain: tuple[Profile, ...],
) -> Decision:
    """Judge one call; looks at the file system to follow links, and changes nothing."""
    ground = replace(ground, added=policy.added)
    book = rulebook_of(policy, chain)
    found = expand(requests, ground, book)
    each = tuple([(matter, decide(matter, book)) for matter in found.matters])
    many = any(request.permission in OPENING_MANY for request in requests)
    reads = ReadRules(policy=policy, chain=chain) if many else None
    return Decision(judged(each), each, found.unheard, reads)
