"""Regular expressions mean the same on every Python that we say we run on."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")


def test_no_group_is_repeated_possessively() -> None:
    """Before 3.11.5 such a repetition keeps what it took of a round that failed (gh-106052).

    An atomic group around the repetition means the same, and is right everywhere.
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
def test_a_repeated_group_is_seen(pattern: str) -> None:
    assert POSSESSIVE_GROUP.search(pattern)


@pytest.mark.parametrize("pattern", ["[ab]*+", r"\w++c", "(?>(?:ab?c)*)", "(?:ab)*"])
def test_others_are_not(pattern: str) -> None:
    assert not POSSESSIVE_GROUP.search(pattern)
