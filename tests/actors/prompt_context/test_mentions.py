"""Which words of a prompt may name files."""

import pytest

from actors.prompt_context.mentions import MAX_MENTIONS, FileMention, find_mentions, iter_readings

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("prompt", "mentions"),
    [
        ("look at @src/app.py now", ["src/app.py"]),
        ("@a.py\n@b.py:10-40 (@c/)", ["a.py", "b.py:10-40", "c/)"]),
        ('@"my notes.md" and @"my notes.md":3-4', ['"my notes.md"', '"my notes.md":3-4']),
        ("@a @a", ["a"]),
        ("mail me@example.org, 3@4", []),
        ("@ alone, @@ -1,3 +1,4 @@", []),
        ("@" + "x" * 2_000, []),
        ("no mention", []),
    ],
)
def test_words_after_an_at_sign_are_mentions(prompt: str, mentions: list[str]) -> None:
    assert list(find_mentions(prompt)) == mentions


def test_the_number_of_mentions_is_bounded() -> None:
    assert len(find_mentions(" ".join(f"@{number}" for number in range(1_000)))) == MAX_MENTIONS


@pytest.mark.parametrize(
    ("mention", "readings"),
    [
        ("a.py", [("a.py", "a.py")]),
        ("a.py:10-40", [("a.py:10-40", "a.py:10-40"), ("a.py:10-40", "a.py", 10, 40)]),
        ("a:9-0", [("a:9-0", "a:9-0"), ("a:9-0", "a", 1, 9)]),
        ("a.py).", [("a.py).", "a.py)."), ("a.py)", "a.py)"), ("a.py", "a.py")]),
        ('"a b":7', [('"a b":7', "a b:7"), ('"a b":7', "a b", 7, 7)]),
    ],
)
def test_the_most_literal_reading_of_a_mention_comes_first(
    mention: str, readings: list[tuple[str, str, int, int]]
) -> None:
    assert list(iter_readings(mention)) == [FileMention(*reading) for reading in readings]
