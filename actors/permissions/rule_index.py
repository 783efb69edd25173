"""The rules as they are for one chain of agents, sorted once and heard for each matter."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_

from actors.permissions import default_rules
from actors.permissions.access import RuleScope
from actors.permissions.decision import AccessDecision, decide_by_rule
from actors.permissions.mode_order import find_strictest_mode
from actors.permissions.protected_paths import ProtectedPaths
from actors.permissions.rules import CompiledRule, compile_rule, fold_case
from messages.policy import PermissionMode, PermissionProfile, Policy, Rule, RuleSource

IndexedRule = tuple[CompiledRule, AccessDecision]
"""A rule, and what is decided where it speaks."""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules for one permission from one place, the last first."""

    rules: tuple[IndexedRule, ...]
    catch_all_rules: tuple[IndexedRule, ...]
    """From the first on that may match any text."""
    required_substrings: tuple[str, ...]
    """A text that holds none of these is matched by none of the rules before."""
    trusted: bool = True
    """False: an allow of these says nothing."""

    def select_rules(self, texts: tuple[str, ...]) -> tuple[IndexedRule, ...]:
        """Pass over rules that cannot match any of these."""
        if not self.required_substrings:
            return self.rules
        return self.rules if _may_hold(texts, self.required_substrings) else self.catch_all_rules


RuleGroups = tuple[RuleGroup, ...]


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """What verdicts about one chain go by."""

    policy: Policy
    chain: tuple[PermissionProfile, ...]
    groups_by_profile: tuple[dict[str, RuleGroups], ...]
    """For each of the chain: by permission, each source's rules."""
    default_groups: dict[str, RuleGroup]
    """The defaults by permission."""
    effective_mode: PermissionMode
    """The session's, or the strictest that a definition in the chain may work in."""
    read_only_profile: PermissionProfile | None
    """The nearest of the chain that only reads."""
    required_substrings: dict[tuple[str, RuleScope], tuple[str, ...]]
    """What no text is matched without, by any rule of the chain that counts for a permission and a
    weight, the built-in ones too."""
    protected_paths: ProtectedPaths
    """What the policy protects, and what is protected by its name."""
    ask_or_deny_rules: dict[str, tuple[CompiledRule, ...]]
    """By permission, every rule that may ask about something or deny it, the built-in ones too."""

    def has_ask_or_deny_match(self, permission: str, texts: tuple[str, ...]) -> bool:
        """Whether a rule asks about one of these, or denies it; case never matters."""
        if self.has_no_possible_match(permission, "tightens", texts):
            return False
        folded = tuple(map(fold_case, texts))
        return any(
            rule.has_ask_or_deny_match(texts, folded)
            for rule in self.ask_or_deny_rules.get(permission, ())
        )

    def has_no_possible_match(
        self, permission: str, rule_scope: RuleScope, texts: tuple[str, ...]
    ) -> bool:
        """Whether no rule that counts can speak of this, by a look at its letters alone."""
        needles = self.required_substrings.get((permission, rule_scope), ())
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


def get_rule_index(policy: Policy, chain: tuple[PermissionProfile, ...]) -> RuleIndex:
    """Sort the rules for a chain; for the same policy and profiles only once."""
    return _rulebook(_Same(policy, chain))


@lru_cache(16)
def _rulebook(same: _Same) -> RuleIndex:
    policy, chain = same.policy, same.chain
    modes: list[PermissionMode] = [each.max_mode for each in chain]
    spoken = tuple(_voices(_sources(policy, profile), profile.agent) for profile in chain)
    unspoken = {
        name: _voice(
            [
                (
                    compile_rule(each),
                    decide_by_rule(each, default_rules.DEFAULT_SOURCE, by_default=True),
                )
                for each in rules
            ]
        )
        for name, rules in _sorted(policy.defaults)
    }
    books: tuple[dict[str, RuleGroups], ...] = (
        *spoken,
        {name: (voice,) for name, voice in unspoken.items()},
    )
    return RuleIndex(
        policy,
        chain,
        groups_by_profile=spoken,
        default_groups=unspoken,
        required_substrings=_quiet(books),
        protected_paths=ProtectedPaths(policy.protected_paths or ()),
        ask_or_deny_rules=_tightening(books),
        effective_mode=find_strictest_mode(policy.mode, *modes),
        read_only_profile=next((each for each in chain if each.read_only), None),
    )


def _voices(sources: tuple[RuleSource, ...], agent: str) -> dict[str, RuleGroups]:
    found: dict[str, list[RuleGroup]] = {}
    for source in sources:
        own = tuple(rule for rule in source.rules if rule.agent in (None, agent))
        for name, rules in _sorted(own):
            spoken = [(compile_rule(rule), decide_by_rule(rule, source.name)) for rule in rules]
            found.setdefault(name, []).append(_voice(spoken, trusted=source.trusted))
    return {name: tuple(voices) for name, voices in found.items()}


def _voice(spoken: list[IndexedRule], *, trusted: bool = True) -> RuleGroup:
    needles = [each.required_substring for each, _ in spoken]
    special = needles.index("") if "" in needles else len(needles)
    return RuleGroup(tuple(spoken), tuple(spoken[special:]), _fewest(needles[:special]), trusted)


def _quiet(
    books: Iterable[dict[str, RuleGroups]],
) -> dict[tuple[str, RuleScope], tuple[str, ...]]:
    needles: dict[tuple[str, RuleScope], list[str]] = {}
    for name, voices in (pair for book in books for pair in book.items()):
        for rule in (each for voice in voices for each, _ in voice.rules):
            if rule.rule.action == "deny":
                needles.setdefault((name, "denies"), []).append(rule.required_substring)
            if rule.rule.action != "allow":
                needles.setdefault((name, "tightens"), []).append(rule.required_substring)
            needles.setdefault((name, "full"), []).append(rule.required_substring)
    return {key: _fewest(found) for key, found in needles.items()}


def _tightening(books: Iterable[dict[str, RuleGroups]]) -> dict[str, tuple[CompiledRule, ...]]:
    rules: dict[str, list[CompiledRule]] = {}
    for name, voices in (pair for book in books for pair in book.items()):
        spoken = (each for voice in voices for each, _ in voice.rules)
        rules.setdefault(name, []).extend(each for each in spoken if not each.is_allow)
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
    return (*policy.sources, replace(own, trusted=own.trusted and not profile.from_project))
