import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.tools.unified_diff import make_unified_diff, summarize_diff

pytestmark = pytest.mark.quick

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "--x\n", "++y\n", "\x0c\u2028\n"])
).map("".join) | st.text("ab\n", max_size=40)


def apply_diff(before: str, diff: str) -> str:
    """Apply a unified diff line by line, as `patch` does."""
    old = re.findall(r"[^\n]*\n|[^\n]+", before)
    after: list[str] = []
    position = 0
    for line in re.findall(r"[^\n]*\n", diff)[2:]:
        hunk = HUNK.match(line)
        if hunk:
            start = int(hunk[1]) - (hunk[2] != "0")
            after += old[position:start]
            position = start
        elif line.startswith("\\"):
            after[-1:] = [last.removesuffix("\n") for last in after[-1:]]
        elif line.startswith("+"):
            after.append(line[1:])
        else:
            assert old[position].rstrip("\n") == line[1:-1]
            after += [old[position]] if line.startswith(" ") else []
            position += 1
    return "".join(after + old[position:])


@given(TEXTS, TEXTS, st.integers(0, 9))
def test_applying_a_diff_produces_the_new_text(before: str, after: str, shared: int) -> None:
    context = "".join(f"{number}\n" for number in range(shared))
    before, after = context + before + context, context + after + context
    if before.endswith("\n") == after.endswith("\n"):
        assert apply_diff(before, make_unified_diff(before.encode(), after, "f")) == after


def test_a_missing_newline_at_the_end_is_marked() -> None:
    assert make_unified_diff(b"a", "a\n", "f") == (
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )
    assert make_unified_diff(b"a\n", "a", "f") == (
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"
    )


def test_hunks_far_into_a_file_have_correct_numbers() -> None:
    before = "".join(f"{number}\n" for number in range(1, 101))
    after = before.replace("50\n", "fifty\n")
    assert make_unified_diff(before.encode(), after, "f").splitlines()[2:5] == [
        "@@ -47,7 +47,7 @@",
        " 47",
        " 48",
    ]


def test_a_long_rewrite_is_shown_as_one_replacement() -> None:
    before = "same\n" + "".join(f"old {number}\n" for number in range(20_000))
    after = "same\n" + "".join(f"new {number}\n" for number in range(20_000))
    before, after = before + "end", after + "end"

    diff = make_unified_diff(before.encode(), after, "f")

    assert diff.startswith("--- f\n+++ f\n@@ -1,20002 +1,20002 @@\n same\n-old 0\n")
    assert diff.endswith("+new 19999\n end\n\\ No newline at end of file\n")
    assert summarize_diff(diff) == "+20000 -20000 lines"
