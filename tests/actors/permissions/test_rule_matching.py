"""Which text a rule matches, and which rules are invalid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.permissions.rule_matching import (
    compile_rule,
    find_rule_problem,
    fold_case,
    is_match,
)
from actors.tools.tool_list import TOOL_LIST
from messages.policy import Rule
from tests.actors.permissions.decision_helpers import rule

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
def test_a_pattern_matches_the_whole_text_with_stars(
    pattern: str,
    target: str,
    expected: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    assert is_match(pattern, target) is expected


LITERALS = st.text(alphabet="ab /\n.", max_size=3)


@given(st.lists(LITERALS, min_size=2, max_size=5), st.lists(LITERALS, min_size=4, max_size=4))
def test_any_text_in_place_of_the_stars_matches(
    literals: list[str], replacements: list[str]
) -> None:
    text = "".join(
        literal + replacement
        for literal, replacement in zip(literals, [*replacements, ""], strict=False)
    )
    text += literals[-1] if len(literals) > len(replacements) + 1 else ""
    if len(literals) <= len(replacements):
        text = text.removesuffix(replacements[len(literals) - 1])

    assert is_match("*".join(literals), text)


def test_a_pattern_with_many_stars_is_matched_quickly() -> None:
    """A matcher that backtracks would not finish."""
    assert not is_match("*a" * 40 + "b", "a" * 10_000)


def matches_restriction(restriction: Rule, text: str, *, ignore_case: bool = False) -> bool:
    folded = (fold_case(text),) if ignore_case else None
    return compile_rule(restriction).has_ask_or_deny_match((text,), folded)


def test_an_ask_or_deny_rule_also_matches_the_bare_command() -> None:
    for action in ("ask", "deny"):
        assert matches_restriction(rule("bash", "rm *", action), "rm")
    assert not matches_restriction(rule("bash", "rm *", "deny"), "rmdir")
    assert not matches_restriction(rule("read", "notes *", "deny"), "notes")
    assert not is_match("rm *", "rm")


def test_case_matters_unless_the_file_system_ignores_it() -> None:
    deny = rule("read", "Secrets/*", "deny")

    assert matches_restriction(deny, "Secrets/a")
    assert not matches_restriction(deny, "secrets/a")
    assert matches_restriction(deny, "secrets/a", ignore_case=True)
    assert fold_case("E\u0301") == fold_case("\u00e9")


@pytest.mark.parametrize("name", ["bash", "read", "grep", "task", "plan_exit", "mcp__git__log"])
def test_known_permissions_and_mcp_tools_are_valid(name: str) -> None:
    assert find_rule_problem(rule(name, "*"), TOOL_LIST) == ""


@pytest.mark.parametrize(
    ("invalid_rule", "message"),
    [
        (rule("reed", "*"), "unknown permission 'reed'; known: bash, edit, glob"),
        (rule("mcp__git", "*"), "unknown permission 'mcp__git'"),
        (rule("Bash", "*"), "unknown permission 'Bash'"),
        (rule("read", ""), "the pattern is empty"),
        (rule("read", "*", "permit"), "unknown action 'permit'"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  (what a file may say)
        (rule("read", "*", agent="Über"), "'Über' is not a valid agent name"),
    ],
)
def test_an_invalid_rule_is_reported(invalid_rule: object, message: str) -> None:
    assert message in find_rule_problem(invalid_rule, TOOL_LIST)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  (a rule)
