"""What the rules say of something, for each agent on its own."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_

from actors.permissions import defaults
from actors.permissions.judgement import Judgement, by, strictest
from actors.permissions.matters import Matter
from actors.permissions.rules import PATHS, ReadyRule, fold, has_tool, matches, ready
from messages.rules import Policy, Profile, Rule, Source

Voices = tuple[tuple[Source, tuple[ReadyRule, ...]], ...]
_SILENT = Judgement("allow", "", by_default=True)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules as they are for one chain, sorted once and heard for each matter."""

    policy: Policy
    chain: tuple[Profile, ...]
    spoken: tuple[dict[str, Voices], ...]
    """For each of the chain: by permission, each source's rules, the last first."""
    unspoken: dict[str, tuple[ReadyRule, ...]]
    """The defaults by permission, the last first."""


class _Same:
    """A policy and a chain that are told apart by identity: to compare them takes too long."""

    def __init__(self, policy: Policy, chain: tuple[Profile, ...]) -> None:
        self.policy = policy
        self.chain = chain

    def __hash__(self) -> int:
        return hash((id(self.policy), *map(id, self.chain)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Same)
            and self.policy is other.policy
            and len(self.chain) == len(other.chain)
            and all(map(is_, self.chain, other.chain))
        )


def tightening_reads(book: Rulebook) -> tuple[ReadyRule, ...]:
    """List every rule that may ask about or deny reading a file, the built-in ones too."""
    voices = (voice for spoken in book.spoken for voice in spoken.get("read", ()))
    rules = (*(each for _, rules in voices for each in rules), *book.unspoken.get("read", ()))
    return tuple(each for each in rules if not each.allows)


def rulebook_of(policy: Policy, chain: tuple[Profile, ...]) -> Rulebook:
    """Sort the rules for a chain; for the same policy and profiles only once."""
    return _rulebook(_Same(policy, chain))


@lru_cache(16)
def _rulebook(same: _Same) -> Rulebook:
    policy, chain = same.policy, same.chain
    return Rulebook(
        policy,
        chain,
        spoken=tuple(_voices(_sources(policy, profile), profile.agent) for profile in chain),
        unspoken={name: tuple(map(ready, rules)) for name, rules in _sorted(policy.defaults)},
    )


def _voices(sources: tuple[Source, ...], agent: str) -> dict[str, Voices]:
    found: dict[str, list[tuple[Source, tuple[ReadyRule, ...]]]] = {}
    for source in sources:
        own = tuple(rule for rule in source.rules if rule.agent in (None, agent))
        for name, rules in _sorted(own):
            found.setdefault(name, []).append((source, tuple(map(ready, rules))))
    return {name: tuple(voices) for name, voices in found.items()}


def _sorted(rules: tuple[Rule, ...]) -> Iterable[tuple[str, list[Rule]]]:
    by_name: dict[str, list[Rule]] = {}
    for rule in reversed(rules):
        by_name.setdefault(rule.permission, []).append(rule)
    return by_name.items()


def _sources(policy: Policy, profile: Profile) -> tuple[Source, ...]:
    own = profile.rules
    if own is None:
        return policy.sources
    return (*policy.sources, replace(own, trusted=own.trusted and not profile.of_project))


def heard(matter: Matter, book: Rulebook, at: int) -> Judgement:
    """Hear the rules as they are for one agent of the chain, on its own."""
    if matter.weight == "full":
        lacking = _lacks_tool(matter, book.chain[: at + 1])
        if lacking:
            return Judgement("deny", lacking, source=f"definition {book.chain[at].agent}")
    said = _spoken(matter, book, at)
    return strictest(said) if said else _unspoken(matter, book, at)


def _spoken(matter: Matter, book: Rulebook, at: int) -> list[Judgement]:
    said: list[Judgement] = []
    for source, rules in book.spoken[at].get(matter.request.permission, ()):
        rule = _first_match(rules, matter, folds=matter.folded)
        if rule is None or (rule.action == "allow" and not source.trusted):
            continue
        if matter.weight != "denies" or rule.action == "deny":
            said.append(by(rule, source.name))
    return said


def _first_match(rules: tuple[ReadyRule, ...], matter: Matter, *, folds: bool) -> Rule | None:
    """Find the first rule that speaks of a matter.

    An allow hears only the target itself, and outside the workspace needs an absolute pattern; the
    others hear every spelling of it.
    """
    target = matter.request.target
    texts = (target, *matter.also)
    folded = tuple(map(fold, texts)) if folds else None
    is_near = matter.inside and not target.startswith("/")
    for each in rules:
        if each.allows:
            if (is_near or each.far) and each.whole(target):
                return each.rule
        elif each.tightens(texts, folded):
            return each.rule
    return None


def _unspoken(matter: Matter, book: Rulebook, at: int) -> Judgement:
    """Decide where no source of an agent speaks: by the built-in defaults, which never deny."""
    if matter.weight == "denies":
        return _SILENT
    rule = _default(matter, book)
    if matter.weight == "tightens":
        return _SILENT if rule is None or rule.action != "ask" else _by_default(rule)
    if rule is not None:
        return _by_default(rule)
    if matter.harmless is not None and book.policy.defaults:
        return _harmless(matter, matter.harmless, book, at)
    return Judgement("ask", _why_unspoken(matter, book.policy), by_default=True)


def _by_default(rule: Rule) -> Judgement:
    return by(rule, defaults.SOURCE, by_default=True)


def _default(matter: Matter, book: Rulebook) -> Rule | None:
    """Find the default that speaks; added folders are as the workspace, and case never matters."""
    rules = book.unspoken.get(matter.request.permission)
    if not rules:
        return None
    added = book.policy.added
    target = matter.request.target
    within = next((each for each in added if target.startswith(f"{each}/")), None)
    if within is not None:
        named = replace(matter.request, target=target[len(within) + 1 :])
        matter = matter._replace(request=named)
    elif target in added:
        matter = matter._replace(request=replace(matter.request, target="."))
    return _first_match(rules, matter, folds=True)


def _harmless(matter: Matter, reads: tuple[Matter, ...], book: Rulebook, at: int) -> Judgement:
    """Allow a command that only reads, if this agent may read all that it reads."""
    if matter.trusted_only and not book.policy.trusted:
        return Judgement("ask", "the folder is not trusted, and git may start what it says there")
    for read in reads:
        said = _spoken(read, book, at)
        judged = strictest(said) if said else _unspoken(read, book, at)
        if judged.action != "allow" or read.floor:
            why = read.floor or f"it reads {read.request.target}: {judged.reason}"
            return Judgement("ask", why, rule=judged.rule, source=judged.source, by_default=True)
    return Judgement("allow", "harmless command (built-in default)", by_default=True)


def _why_unspoken(matter: Matter, policy: Policy) -> str:
    request = matter.request
    if request.permission in PATHS and not matter.inside:
        return f"{request.target} is outside the workspace"
    where = defaults.SOURCE if policy.defaults else "no rule speaks of it"
    return f"{request.permission} asks unless it is allowed ({where})"


def _lacks_tool(matter: Matter, below: tuple[Profile, ...]) -> str:
    """Say that an agent has no such tool; one above may hand on what it lacks itself."""
    profile = below[-1]
    hands_on = len(below) > 1 and not profile.of_project
    handed = hands_on and any(matches(name, matter.tool) for name in profile.delegates)
    if handed or has_tool(profile, matter.tool):
        return ""
    return f"{profile.agent} has no tool {matter.tool}"
