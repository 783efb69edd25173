"""What a rule speaks of, and which are wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.permissions.rules import (
    compile_rule,
    find_rule_problem,
    find_rule_warnings,
    fold_case,
    is_match,
)
from messages.policy import Rule
from tests.actors.permissions.decision_helpers import decide_action, rule, rules_only_policy

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("pattern", "target", "expected"),
    [
        ("*", "", True),
        ("*", "a/b c\nd", True),
        ("src/*", "src/a/b", True),
        ("src/*", "src", False),
        ("*.py", "a.py", True),
        ("*.py", "a.pyc", False),
        ("a?c", "abc", False),
        ("a[b]", "ab", False),
        ("a.c", "abc", False),
        ("a*c", "a\nc", True),
        ("a*a", "a", False),
        ("a*b*c", "a b b c", True),
        ("*b*b*", "b", False),
        ("a", "A", False),
        ("a ", "a", False),
        ("{a,b}", "a", False),
        ("\\*", "*", False),
    ],
)
def test_a_pattern_is_the_whole_text_with_stars_for_anything(
    pattern: str,
    target: str,
    expected: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    assert is_match(pattern, target) is expected


PIECES = st.text(alphabet="ab /\n.", max_size=3)


@given(st.lists(PIECES, min_size=2, max_size=5), st.lists(PIECES, min_size=4, max_size=4))
def test_whatever_stands_for_the_stars_matches(pieces: list[str], filling: list[str]) -> None:
    text = "".join(piece + fill for piece, fill in zip(pieces, [*filling, ""], strict=False))
    text += pieces[-1] if len(pieces) > len(filling) + 1 else ""
    if len(pieces) <= len(filling):
        text = text.removesuffix(filling[len(pieces) - 1])

    assert is_match("*".join(pieces), text)


def test_many_stars_are_matched_at_once() -> None:
    """A backtracking matcher would not come back from this."""
    assert not is_match("*a" * 40 + "b", "a" * 10_000)


def matches(restriction: Rule, text: str, *, ignore_case: bool = False) -> bool:
    folded = (fold_case(text),) if ignore_case else None
    return compile_rule(restriction).has_ask_or_deny_match((text,), folded)


def test_a_blank_and_a_star_at_the_end_mean_the_bare_command_too_unless_they_allow() -> None:
    for action in ("ask", "deny"):
        assert matches(rule("bash", "rm *", action), "rm")
    assert not matches(rule("bash", "rm *", "deny"), "rmdir")
    assert not matches(rule("read", "notes *", "deny"), "notes")
    assert not is_match("rm *", "rm")


def test_case_counts_where_the_file_system_does_not_fold() -> None:
    deny = rule("read", "Secrets/*", "deny")

    assert matches(deny, "Secrets/a")
    assert not matches(deny, "secrets/a")
    assert matches(deny, "secrets/a", ignore_case=True)
    assert fold_case("E\u0301") == fold_case("\u00e9")


@pytest.mark.parametrize("name", ["bash", "read", "grep", "task", "plan_exit", "mcp__git__log"])
def test_known_permissions_and_those_of_servers_are_fine(name: str) -> None:
    assert find_rule_problem(rule(name, "*")) == ""


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (rule("reed", "*"), "unknown permission 'reed'; known: bash, edit, glob"),
        (rule("mcp__git", "*"), "unknown permission 'mcp__git'"),
        (rule("Bash", "*"), "unknown permission 'Bash'"),
        (rule("read", ""), "the pattern is empty"),
        (rule("read", "*", "permit"), "unknown action 'permit'"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  (what a file may say)
        (rule("read", "*", agent="Über"), "'Über' is not a valid agent name"),
    ],
)
def test_a_wrong_rule_says_what_is_wrong(wrong: object, says: str) -> None:
    assert says in find_rule_problem(wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  (a rule)


def test_edit_speaks_for_write_only_if_it_says_so_and_loading_warns() -> None:
    edit, write = rule("edit", "docs/*", "deny"), rule("write", "docs/*", "deny")

    assert decide_action("write", "docs/a", rules_only_policy(rule("write", "*"), edit)) == "allow"
    assert decide_action("edit", "docs/a", rules_only_policy(rule("edit", "*"), edit)) == "deny"
    assert find_rule_warnings((edit,)) == (
        "deny edit docs/*: the rule does not cover write; add the same rule for write",
    )
    assert find_rule_warnings((edit, write)) == ()
    assert find_rule_warnings((rule("edit", "docs/*"),)) == ()


def test_what_other_programs_expand_is_warned_of() -> None:
    assert find_rule_warnings((rule("read", "~/.ssh/*", "deny"),)) == (
        "deny read ~/.ssh/*: only * is special in a pattern; write out the path",
    )
