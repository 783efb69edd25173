"""The rules as they are for one chain of agents, sorted once and heard for each matter."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_

from actors.permissions import defaults
from actors.permissions.judgement import AccessDecision, by
from actors.permissions.matters import RuleScope
from actors.permissions.modes import strictest_mode
from actors.permissions.protected import Protection
from actors.permissions.rules import CompiledRule, fold, ready
from messages.rules import PermissionMode, PermissionProfile, Policy, Rule, RuleSource

Spoken = tuple[CompiledRule, AccessDecision]
"""A rule, and what is decided where it speaks."""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules for one permission from one place, the last first."""

    rules: tuple[Spoken, ...]
    general: tuple[Spoken, ...]
    """From the first on that may match any text."""
    needles: tuple[str, ...]
    """A text that holds none of these is matched by none of the rules before."""
    trusted: bool = True
    """False: an allow of these says nothing."""

    def for_texts(self, texts: tuple[str, ...]) -> tuple[Spoken, ...]:
        """Pass over rules that cannot match any of these."""
        if not self.needles:
            return self.rules
        return self.rules if _may_hold(texts, self.needles) else self.general


Voices = tuple[RuleGroup, ...]


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """What verdicts about one chain go by."""

    policy: Policy
    chain: tuple[PermissionProfile, ...]
    spoken: tuple[dict[str, Voices], ...]
    """For each of the chain: by permission, each source's rules."""
    unspoken: dict[str, RuleGroup]
    """The defaults by permission."""
    mode: PermissionMode
    """The session's, or the strictest that a definition in the chain may work in."""
    read_only: PermissionProfile | None
    """The nearest of the chain that only reads."""
    quiet: dict[tuple[str, RuleScope], tuple[str, ...]]
    """What no text is matched without, by any rule of the chain that counts for a permission and a
    weight, the built-in ones too."""
    protection: Protection
    """What the policy protects, and what is protected by its name."""
    tightening: dict[str, tuple[CompiledRule, ...]]
    """By permission, every rule that may ask about something or deny it, the built-in ones too."""

    def tightens(self, permission: str, texts: tuple[str, ...]) -> bool:
        """Whether a rule asks about one of these, or denies it; case never matters."""
        if self.is_silent(permission, "tightens", texts):
            return False
        folded = tuple(map(fold, texts))
        return any(rule.tightens(texts, folded) for rule in self.tightening.get(permission, ()))

    def is_silent(self, permission: str, weight: RuleScope, texts: tuple[str, ...]) -> bool:
        """Whether no rule that counts can speak of this, by a look at its letters alone."""
        needles = self.quiet.get((permission, weight), ())
        return "" not in needles and not _may_hold(texts, needles)


class _Same:
    """A policy and a chain that are told apart by identity: to compare them takes too long."""

    def __init__(self, policy: Policy, chain: tuple[PermissionProfile, ...]) -> None:
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


def rulebook_of(policy: Policy, chain: tuple[PermissionProfile, ...]) -> RuleIndex:
    """Sort the rules for a chain; for the same policy and profiles only once."""
    return _rulebook(_Same(policy, chain))


@lru_cache(16)
def _rulebook(same: _Same) -> RuleIndex:
    policy, chain = same.policy, same.chain
    modes: list[PermissionMode] = [each.mode for each in chain]
    spoken = tuple(_voices(_sources(policy, profile), profile.agent) for profile in chain)
    unspoken = {
        name: _voice([(ready(each), by(each, defaults.SOURCE, by_default=True)) for each in rules])
        for name, rules in _sorted(policy.defaults)
    }
    books: tuple[dict[str, Voices], ...] = (
        *spoken,
        {name: (voice,) for name, voice in unspoken.items()},
    )
    return RuleIndex(
        policy,
        chain,
        spoken=spoken,
        unspoken=unspoken,
        quiet=_quiet(books),
        protection=Protection(policy.protected or ()),
        tightening=_tightening(books),
        mode=strictest_mode(policy.mode, *modes),
        read_only=next((each for each in chain if each.read_only), None),
    )


def _voices(sources: tuple[RuleSource, ...], agent: str) -> dict[str, Voices]:
    found: dict[str, list[RuleGroup]] = {}
    for source in sources:
        own = tuple(rule for rule in source.rules if rule.agent in (None, agent))
        for name, rules in _sorted(own):
            spoken = [(ready(rule), by(rule, source.name)) for rule in rules]
            found.setdefault(name, []).append(_voice(spoken, trusted=source.trusted))
    return {name: tuple(voices) for name, voices in found.items()}


def _voice(spoken: list[Spoken], *, trusted: bool = True) -> RuleGroup:
    needles = [each.needle for each, _ in spoken]
    special = needles.index("") if "" in needles else len(needles)
    return RuleGroup(tuple(spoken), tuple(spoken[special:]), _fewest(needles[:special]), trusted)


def _quiet(
    books: Iterable[dict[str, Voices]],
) -> dict[tuple[str, RuleScope], tuple[str, ...]]:
    needles: dict[tuple[str, RuleScope], list[str]] = {}
    for name, voices in (pair for book in books for pair in book.items()):
        for rule in (each for voice in voices for each, _ in voice.rules):
            if rule.rule.action == "deny":
                needles.setdefault((name, "denies"), []).append(rule.needle)
            if rule.rule.action != "allow":
                needles.setdefault((name, "tightens"), []).append(rule.needle)
            needles.setdefault((name, "full"), []).append(rule.needle)
    return {key: _fewest(found) for key, found in needles.items()}


def _tightening(books: Iterable[dict[str, Voices]]) -> dict[str, tuple[CompiledRule, ...]]:
    rules: dict[str, list[CompiledRule]] = {}
    for name, voices in (pair for book in books for pair in book.items()):
        spoken = (each for voice in voices for each, _ in voice.rules)
        rules.setdefault(name, []).extend(each for each in spoken if not each.allows)
    return {name: tuple(found) for name, found in rules.items()}


def _fewest(needles: list[str]) -> tuple[str, ...]:
    """Leave out what is only found where another is found too."""
    each = dict.fromkeys(needles)
    return tuple(one for one in each if not any(other in one for other in each if other != one))


def _may_hold(texts: tuple[str, ...], needles: tuple[str, ...]) -> bool:
    """Look at all texts as one: what is found across two of them is a needless doubt, no more."""
    together = "\0".join(texts)
    if not together.isascii():
        return True
    lower = together.lower()
    return any(map(lower.__contains__, needles))


def _sorted(rules: tuple[Rule, ...]) -> Iterable[tuple[str, list[Rule]]]:
    by_name: dict[str, list[Rule]] = {}
    for rule in reversed(rules):
        by_name.setdefault(rule.permission, []).append(rule)
    return by_name.items()


def _sources(policy: Policy, profile: PermissionProfile) -> tuple[RuleSource, ...]:
    own = profile.rules
    if own is None:
        return policy.sources
    return (*policy.sources, replace(own, trusted=own.trusted and not profile.of_project))
