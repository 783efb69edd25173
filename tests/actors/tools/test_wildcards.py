"""Wildcard patterns match as in git, in bounded time."""

import pytest

from actors.tools.wildcards import compile_wildcards

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/deep/down/a.py", True),
        ("**/a/**/b", "x/a/y/z/a/b", True),
        ("a/**", "a", False),
        ("a/**", "a/b/c", True),
        ("a**b", "a/b", False),
        ("?", "é", True),
        ("?", "/", False),
        ("[!a]", "/", False),
        ("[ä-ü]", "ö", True),
        ("[]-]", "]", True),
        ("[[:digit:]x]", "7", True),
        ("[c-a]", "b", False),
        ("[c-a]", "c", True),
        ("\\*", "*", True),
        ("a+(b)|.", "a+(b)|.", True),
        ("*a*b*c", "xxaxbxbxc", True),
    ],
)
def test_a_pattern_matches_the_paths_git_matches(pattern: str, path: str, *, matches: bool) -> None:
    assert bool(compile_wildcards(pattern).fullmatch(path)) == matches


@pytest.mark.parametrize("pattern", ["[a", "[[:no:]]", "a\\"])
def test_an_invalid_pattern_raises_a_value_error(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"bracket|class|backslash"):
        compile_wildcards(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 1_000 + "c"),
        ("**/*a*a*a/" * 20 + "b", ("a" * 100 + "/") * 40),
    ],
)
def test_no_pattern_takes_exponential_time_to_match(pattern: str, path: str) -> None:
    """The test's time limit ends a match that backtracks exponentially."""
    assert not compile_wildcards(pattern).fullmatch(path)
