"""What is passed over unheard could have said nothing."""

from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors.permissions.access import Access, RuleScope
from actors.permissions.decide import decide_access
from actors.permissions.rule_index import get_rule_index
from actors.permissions.rules import compile_rule, fold_case, is_match
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import BUILD_PROFILE, rule, user_rules

pytestmark = pytest.mark.quick

LETTERS = "sSb*/ .\u00e4\u0130\u017f"
"""Some of them fold into others, one (LATIN SMALL LETTER LONG S) into an ASCII letter."""
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
def test_a_rule_is_passed_over_only_where_it_cannot_match(
    patterns: list[str], texts: list[str], permission: str, action: Action, case: CaseComparison
) -> None:
    folds = case == "file system"
    rules = [rule(permission, pattern, action) for pattern in patterns]
    weight = RULE_SCOPES[action]
    matter = Access(
        permission,
        texts[0],
        "bash",
        weight,
        other_spellings=tuple(texts[1:]),
        is_case_insensitive=folds,
    )

    judgement = decide_access(
        matter, get_rule_index(Policy(sources=(user_rules(*rules),)), (BUILD_PROFILE,))
    )
    folded_texts = tuple(map(fold_case, texts)) if folds else None
    speaks = any(
        compile_rule(each).has_ask_or_deny_match(tuple(texts), folded_texts) for each in rules
    )
    assert judgement.action == (action if speaks else "allow")


def test_an_exception_made_behind_a_rule_is_still_heard() -> None:
    rules = user_rules(rule("read", "*"), rule("read", "*.Pem", "deny"), rule("read", "x/*", "ask"))
    book = get_rule_index(Policy(sources=(rules,)), (BUILD_PROFILE,))

    for target, action in (("a", "allow"), ("a.Pem", "deny"), ("x/a.Pem", "ask"), ("x", "allow")):
        assert decide_access(Access("read", target, "read"), book).action == action, target


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.text(LETTERS, max_size=8),
)
@example(["\u017f*"], "\u017f")
@example(["*S"], "s")
def test_an_allow_is_passed_over_only_where_it_cannot_match(patterns: list[str], text: str) -> None:
    rules = [rule("bash", pattern) for pattern in patterns]
    book = get_rule_index(Policy(sources=(user_rules(*rules),)), (BUILD_PROFILE,))

    speaks = any(is_match(pattern, text) for pattern in patterns)
    assert decide_access(Access("bash", text, "bash"), book).action == (
        "allow" if speaks else "ask"
    )


def test_a_default_for_the_workspace_itself_holds_for_an_added_folder() -> None:
    policy = Policy(defaults=(rule("write", "."),), added_directories=("/x",))
    book = get_rule_index(policy, (BUILD_PROFILE,))

    for target, action in ((".", "allow"), ("/x", "allow"), ("/y", "ask"), ("x", "ask")):
        assert decide_access(Access("write", target, "write"), book).action == action, target
