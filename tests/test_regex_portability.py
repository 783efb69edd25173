"""Regular expressions match the same text on every supported Python."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")


def test_no_regular_expression_repeats_a_group_possessively() -> None:
    """Before 3.11.5 such a repetition keeps part of an iteration that failed (gh-106052).

    An atomic group around the repetition matches the same text and works on every version.
    """
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("actors", "messages", "shell")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if POSSESSIVE_GROUP.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("pattern", ["(?:ab?c)*+", "x(?:[ ]++a)++", "(?:ab){2,}+", "(?:ab)?+"])
def test_the_check_finds_a_possessively_repeated_group(pattern: str) -> None:
    assert POSSESSIVE_GROUP.search(pattern)


@pytest.mark.parametrize("pattern", ["[ab]*+", r"\w++c", "(?>(?:ab?c)*)", "(?:ab)*"])
def test_the_check_accepts_all_other_repetitions(pattern: str) -> None:
    assert not POSSESSIVE_GROUP.search(pattern)
