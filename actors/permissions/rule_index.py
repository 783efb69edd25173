"""The rules for one profile chain, indexed once and then applied to many accesses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_
from typing import TypeAlias

from actors.permissions import default_rules
from actors.permissions.access import Access, RuleScope
from actors.permissions.decision import AccessDecision, decide_by_rule
from actors.permissions.mode_order import find_strictest_mode
from actors.permissions.protected_paths import ProtectedPaths
from actors.permissions.rule_matching import (
    CompiledRule,
    compile_rule,
    fold_case,
    get_categories,
    is_match,
)
from actors.permissions.rule_patterns import expand_pattern
from messages.policy import (
    PermissionMode,
    PermissionProfile,
    Policy,
    Rule,
    RuleSource,
    ToolCategory,
)

IndexedRule: TypeAlias = tuple[CompiledRule, AccessDecision]
"""A rule, and the decision where it matches."""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """The rules of one source for one permission, the last one first."""

    rules: tuple[IndexedRule, ...]
    catch_all_rules: tuple[IndexedRule, ...]
    """The rules from the first one on that may match any text."""
    required_substrings: tuple[str, ...]
    """The rules before `catch_all_rules` match no text that contains none of these."""
    trusted: bool = True
    """False: allow rules are ignored."""

    def select_rules(self, texts: tuple[str, ...]) -> tuple[IndexedRule, ...]:
        """Return the rules that may match one of the texts."""
        if not self.required_substrings:
            return self.rules
        can_match = _may_contain_any(texts, self.required_substrings)
        return self.rules if can_match else self.catch_all_rules


RuleGroups: TypeAlias = tuple[RuleGroup, ...]


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Everything that decisions for one profile chain depend on."""

    policy: Policy
    chain: tuple[PermissionProfile, ...]
    groups_by_profile: tuple[dict[str, RuleGroups], ...]
    """For each profile of the chain: by permission, the rules of each source."""
    default_groups: dict[str, RuleGroup]
    """The defaults by permission."""
    effective_mode: PermissionMode
    """The strictest of the session's mode and the chain's max modes."""
    read_only_profile: PermissionProfile | None
    """The nearest profile of the chain with `read_only`."""
    required_substrings: dict[tuple[str, RuleScope], tuple[str, ...]]
    """By permission and rule scope: no rule, built-in ones included, matches a text without one of
    these."""
    protected_paths: ProtectedPaths
    ask_or_deny_rules: dict[str, tuple[CompiledRule, ...]]
    """By permission: every rule that asks or denies, built-in ones included."""
    categories: dict[str, ToolCategory]
    """By permission."""

    def get_category(self, permission: str) -> ToolCategory:
        """Return the category of a permission."""
        return self.categories.get(permission, "external")

    def select_decidable(self, accesses: Sequence[Access]) -> tuple[list[Access], list[Access]]:
        """Separate the accesses that can be asked about or denied from those that cannot."""
        texts: dict[tuple[str, RuleScope], list[str]] = {}
        for access in accesses:
            found = texts.setdefault((access.permission, access.rule_scope), [])
            found += (access.target, *access.other_spellings)
        # Usually no rule can match any of the files, and one check of all paths shows it.
        unmatched = {key for key, found in texts.items() if self.has_no_possible_match(*key, found)}
        decidable: list[Access] = []
        others: list[Access] = []
        for access in accesses:
            is_decidable = (
                access.rule_scope == "all"
                or access.ask_reason
                or access.protection_reason
                or (
                    (access.permission, access.rule_scope) not in unmatched
                    and not self.has_no_possible_match(
                        access.permission,
                        access.rule_scope,
                        (access.target, *access.other_spellings),
                    )
                )
            )
            (decidable if is_decidable else others).append(access)
        return decidable, others

    def find_restricted(
        self, permissions: tuple[str, ...], spellings: Iterable[tuple[str, ...]]
    ) -> list[bool]:
        """Find the files, given by their spellings, that a rule asks about or denies.

        Case is ignored.
        """
        files = tuple(spellings)
        # Usually no rule can match any of the files, and one check of all paths shows it.
        paths = tuple([path for file in files for path in file])
        possible = [
            permission
            for permission in permissions
            if not self.has_no_possible_match(permission, "ask_or_deny", paths)
        ]
        if not possible:
            return [False] * len(files)
        return [any(self._has_restriction(name, file) for name in possible) for file in files]

    def _has_restriction(self, permission: str, texts: tuple[str, ...]) -> bool:
        if self.has_no_possible_match(permission, "ask_or_deny", texts):
            return False
        folded_texts = tuple(map(fold_case, texts))
        return any(
            rule.has_ask_or_deny_match(texts, folded_texts)
            for rule in self.ask_or_deny_rules.get(permission, ())
        )

    def has_no_possible_match(
        self, permission: str, rule_scope: RuleScope, texts: Iterable[str]
    ) -> bool:
        """Whether a quick substring check shows that no rule of the scope matches."""
        substrings = self.required_substrings.get((permission, rule_scope), ())
        return "" not in substrings and not _may_contain_any(texts, substrings)


class _IndexKey:
    """A policy and a chain, compared by identity because comparing their contents is slow."""

    def __init__(
        self,
        policy: Policy,
        chain: tuple[PermissionProfile, ...],
        external_permissions: frozenset[str] = frozenset(),
    ) -> None:
        self.policy = policy
        self.chain = chain
        self.external_permissions = external_permissions

    def __hash__(self) -> int:
        # Safe, because the cached key keeps these objects alive: no id is used again.
        return hash((id(self.policy), *map(id, self.chain)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _IndexKey)
            and self.policy is other.policy
            and self.external_permissions == other.external_permissions
            and len(self.chain) == len(other.chain)
            and all(map(is_, self.chain, other.chain))
        )


def get_rule_index(
    policy: Policy, chain: tuple[PermissionProfile, ...], permissions: Iterable[str] = ()
) -> RuleIndex:
    """Return the index for a chain; it is cached by the identity of policy and profiles.

    `permissions` are those of a call. The rules for an external one are indexed on demand, because
    its name is not known in advance, and a rule's permission may be a pattern.
    """
    index = _build_index(_IndexKey(policy, chain))
    external = frozenset(name for name in permissions if name not in index.categories)
    return _build_index(_IndexKey(policy, chain, external)) if external else index


@lru_cache(16)
def _build_index(key: _IndexKey) -> RuleIndex:
    policy, chain = key.policy, key.chain
    categories = get_categories(policy.tools)
    permissions = (*categories, *key.external_permissions)
    max_modes: list[PermissionMode] = [profile.max_mode for profile in chain]
    groups_by_profile = tuple(
        _build_groups(policy, _list_sources(policy, profile), profile.agent, permissions)
        for profile in chain
    )
    default_groups = {
        name: _build_group(
            [
                (
                    compile_rule(rule),
                    decide_by_rule(rule, default_rules.DEFAULT_SOURCE, by_default=True),
                )
                for rule in rules
            ]
        )
        for name, rules in _group_by_permission(policy.defaults, permissions)
    }
    all_groups: tuple[dict[str, RuleGroups], ...] = (
        *groups_by_profile,
        {name: (group,) for name, group in default_groups.items()},
    )
    return RuleIndex(
        policy,
        chain,
        groups_by_profile=groups_by_profile,
        default_groups=default_groups,
        required_substrings=_find_required_substrings(all_groups),
        protected_paths=ProtectedPaths(policy.protected_paths or ()),
        categories=categories,
        ask_or_deny_rules=_list_ask_or_deny_rules(all_groups),
        effective_mode=find_strictest_mode(policy.mode, *max_modes),
        read_only_profile=next((profile for profile in chain if profile.read_only), None),
    )


def _build_groups(
    policy: Policy, sources: tuple[RuleSource, ...], agent: str, permissions: tuple[str, ...]
) -> dict[str, RuleGroups]:
    """Group the rules that apply to an agent by permission and source."""
    groups: dict[str, list[RuleGroup]] = {}
    categories = get_categories(policy.tools)
    for source in sources:
        own = tuple(rule for rule in source.rules if rule.agent in (None, agent))
        for name, rules in _group_by_permission(own, permissions):
            category = categories.get(name, "external")
            indexed = [
                (
                    compile_rule(replace(rule, permission=name, pattern=pattern)),
                    decide_by_rule(rule, source.name),
                )
                for rule in rules
                for pattern in expand_pattern(
                    rule, category, workspace_root=policy.workspace_root, home=policy.home
                )
            ]
            groups.setdefault(name, []).append(_build_group(indexed, trusted=source.trusted))
    return {name: tuple(found) for name, found in groups.items()}


def _build_group(rules: list[IndexedRule], *, trusted: bool = True) -> RuleGroup:
    substrings = [rule.required_substring for rule, _ in rules]
    catch_all = substrings.index("") if "" in substrings else len(substrings)
    return RuleGroup(
        tuple(rules),
        tuple(rules[catch_all:]),
        _remove_redundant(substrings[:catch_all]),
        trusted,
    )


def _find_required_substrings(
    all_groups: Iterable[dict[str, RuleGroups]],
) -> dict[tuple[str, RuleScope], tuple[str, ...]]:
    substrings: dict[tuple[str, RuleScope], list[str]] = {}
    for name, groups in (pair for by_name in all_groups for pair in by_name.items()):
        for rule in (rule for group in groups for rule, _ in group.rules):
            if rule.rule.action == "deny":
                substrings.setdefault((name, "deny_only"), []).append(rule.required_substring)
            if rule.rule.action != "allow":
                substrings.setdefault((name, "ask_or_deny"), []).append(rule.required_substring)
            substrings.setdefault((name, "all"), []).append(rule.required_substring)
    return {key: _remove_redundant(found) for key, found in substrings.items()}


def _list_ask_or_deny_rules(
    all_groups: Iterable[dict[str, RuleGroups]],
) -> dict[str, tuple[CompiledRule, ...]]:
    rules: dict[str, list[CompiledRule]] = {}
    for name, groups in (pair for by_name in all_groups for pair in by_name.items()):
        in_groups = (rule for group in groups for rule, _ in group.rules)
        rules.setdefault(name, []).extend(rule for rule in in_groups if not rule.is_allow)
    return {name: tuple(found) for name, found in rules.items()}


def _remove_redundant(substrings: list[str]) -> tuple[str, ...]:
    """Remove substrings that contain another one of the list."""
    unique = dict.fromkeys(substrings)
    return tuple(
        text for text in unique if not any(other in text for other in unique if other != text)
    )


def _may_contain_any(texts: Iterable[str], substrings: tuple[str, ...]) -> bool:
    """Whether a text may contain a substring.

    All texts are searched as one. A match across two texts only costs a needless full check.
    """
    joined = "\0".join(texts)
    if not joined.isascii():  # lower case is not enough for other scripts
        return True
    lower = joined.lower()
    return any(map(lower.__contains__, substrings))


def _group_by_permission(
    rules: tuple[Rule, ...], permissions: tuple[str, ...]
) -> Iterable[tuple[str, list[Rule]]]:
    """Group rules by permission, the last one first; a rule may apply to several permissions."""
    groups: dict[str, list[Rule]] = {}
    for rule in reversed(rules):
        is_wildcard = "*" in rule.permission
        for name in permissions if is_wildcard else (rule.permission,):
            if not is_wildcard or is_match(rule.permission, name):
                groups.setdefault(name, []).append(rule)
    return groups.items()


def _list_sources(policy: Policy, profile: PermissionProfile) -> tuple[RuleSource, ...]:
    own = profile.rules
    if own is None:
        return policy.sources
    # A project's definition may restrict its agent, but never allow anything.
    return (*policy.sources, replace(own, trusted=own.trusted and not profile.from_project))
