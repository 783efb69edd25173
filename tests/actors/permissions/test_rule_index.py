"""The index skips only rules that cannot match."""

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors.permissions.access import Access, RuleScope
from actors.permissions.decide import decide_access
from actors.permissions.rule_index import get_rule_index
from actors.permissions.rule_matching import INHERENT_CATEGORIES, compile_rule, fold_case, is_match
from actors.permissions.rule_patterns import expand_pattern
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import BUILD_PROFILE, rule, user_rules

pytestmark = pytest.mark.quick

LETTERS = "sSb*/ .\u00e4\u0130\u017f"
"""Some of these fold to others; one (LATIN SMALL LETTER LONG S) folds to an ASCII letter."""
CaseComparison = Literal["text", "file system"]
RULE_SCOPES: dict[Action, RuleScope] = {"deny": "deny_only", "ask": "ask_or_deny"}


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.lists(st.text(LETTERS, max_size=8), min_size=1, max_size=2),
    st.sampled_from(("bash", "read", "write")),
    st.sampled_from(("deny", "ask")),
    st.sampled_from(("text", "file system")),
)
@example(["*s"], ["\u017f"], "read", "deny", "file system")
@example(["S*"], ["sb"], "read", "ask", "file system")
@example(["s *"], ["s"], "bash", "deny", "text")
def test_an_ask_or_deny_rule_is_skipped_only_without_match(
    patterns: list[str], texts: list[str], permission: str, action: Action, case: CaseComparison
) -> None:
    ignores_case = case == "file system"
    rules = [rule(permission, pattern, action) for pattern in patterns]
    category = INHERENT_CATEGORIES[permission]
    rule_scope = RULE_SCOPES[action]
    access = Access(
        permission,
        texts[0],
        "bash",
        category,
        rule_scope,
        other_spellings=tuple(texts[1:]),
        is_case_insensitive=ignores_case,
    )

    decision = decide_access(
        access, get_rule_index(Policy(sources=(user_rules(*rules),)), (BUILD_PROFILE,))
    )
    folded_texts = tuple(map(fold_case, texts)) if ignores_case else None
    has_match = any(
        compile_rule(replace(candidate, pattern=pattern)).has_ask_or_deny_match(
            tuple(texts), folded_texts
        )
        for candidate in rules
        for pattern in expand_pattern(candidate, category, workspace_root="", home="")
    )
    assert decision.action == (action if has_match else "allow")


def test_a_later_exception_to_a_rule_still_applies() -> None:
    rules = user_rules(rule("read", "*"), rule("read", "*.Pem", "deny"), rule("read", "x/*", "ask"))
    rule_index = get_rule_index(Policy(sources=(rules,)), (BUILD_PROFILE,))

    for target, action in (("a", "allow"), ("a.Pem", "deny"), ("x/a.Pem", "ask"), ("x", "allow")):
        assert decide_access(Access("read", target, "read", "read"), rule_index).action == action, (
            target
        )


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.text(LETTERS, max_size=8),
)
@example(["\u017f*"], "\u017f")
@example(["*S"], "s")
def test_an_allow_rule_is_skipped_only_without_match(patterns: list[str], text: str) -> None:
    rules = [rule("bash", pattern) for pattern in patterns]
    rule_index = get_rule_index(Policy(sources=(user_rules(*rules),)), (BUILD_PROFILE,))

    has_match = any(is_match(pattern, text) for pattern in patterns)
    assert decide_access(Access("bash", text, "bash", "command"), rule_index).action == (
        "allow" if has_match else "ask"
    )


def test_a_default_for_the_root_applies_to_added_folders() -> None:
    policy = Policy(defaults=(rule("write", "."),), added_directories=("/x",))
    rule_index = get_rule_index(policy, (BUILD_PROFILE,))

    for target, action in ((".", "allow"), ("/x", "allow"), ("/y", "ask"), ("x", "ask")):
        assert (
            decide_access(Access("write", target, "write", "change"), rule_index).action == action
        ), target
