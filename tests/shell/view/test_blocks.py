from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shell.view.blocks import FENCE_LINES, LONGEST_TAIL_CHARS, Tail, feed, finish

pytestmark = pytest.mark.quick


def said(*pieces: str) -> tuple[str, ...]:
    """All blocks of a reply that comes in these pieces."""
    tail, blocks = Tail(), list[str]()
    for piece in pieces:
        finished, tail = feed(tail, piece)
        blocks.extend(finished)
        assert len(tail.text) <= LONGEST_TAIL_CHARS
    return (*blocks, *finish(tail))


def test_a_paragraph_is_finished_when_the_next_one_begins() -> None:
    finished, tail = feed(Tail(), "One.\nStill one.\n\nTw")
    assert finished == ("One.\nStill one.",)
    assert tail.text == "Tw"


def test_blank_lines_inside_a_fence_finish_nothing() -> None:
    finished, tail = feed(Tail(), "```py\na\n\nb\n")
    assert finished == ()
    finished, tail = feed(tail, "```\nnext")
    assert finished == ("```py\na\n\nb\n```",)
    assert tail.text == "next"


def test_a_fence_ends_the_paragraph_above_it() -> None:
    finished, tail = feed(Tail(), "Look:\n```\n")
    assert finished == ("Look:",)
    assert tail.text == "```\n"


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    finished, _ = feed(Tail(), "````\n```\ncode\n")
    assert finished == ()


def test_an_indented_line_goes_on_with_the_list_item_above_it() -> None:
    finished, _ = feed(Tail(), "- one\n\n  still one\n")
    assert finished == ()


def test_a_long_fence_is_printed_in_parts_that_are_fences_themselves() -> None:
    finished, tail = feed(Tail(), "```py\n" + "x\n" * (FENCE_LINES + 1))
    assert finished == ("```py\n" + "x\n" * FENCE_LINES + "```\n",)
    assert tail.text == "```py\nx\n"


def test_the_end_of_the_reply_closes_what_is_open() -> None:
    assert said("```py\nx\n") == ("```py\nx\n```",)
    assert said("\n\n") == ()


def test_a_fence_that_was_opened_again_for_nothing_is_not_shown() -> None:
    lines = "```py\n" + "x\n" * FENCE_LINES
    assert said(lines + "```\n") == (lines + "```\n", "")
    assert said(lines) == (lines + "```\n", "")


def test_code_within_a_line_is_no_fence() -> None:
    assert said("```x``` is code") == ("```x``` is code",)
    assert said("```\n~~~ not the end\n```\n") == ("```\n~~~ not the end\n```",)


def test_a_line_too_long_to_open_a_fence_is_kept_from_opening_one() -> None:
    first, *rest = said("```" + "x" * 5000 + "\nhello\n")
    assert first.startswith("\\```xxx")
    assert "".join((first, *rest)).removeprefix("\\```") == "x" * 5000 + "\nhello"
    assert said(" ~~~" + "y" * 300 + "\n\nhello") == (" \\~~~" + "y" * 300, "hello")


NASTY = st.lists(
    st.one_of(
        st.text(alphabet="ab \n~`-#>1.\t", max_size=40),
        st.sampled_from(["```", "~~~~", "\n```\n", "\n\n", "```py\n", "\n- a\n\n  ", "\\"]),
        st.builds(
            str.__mul__,
            st.sampled_from(["a", "b\n", "`", "~", "\n", " ", "```a", "a\n\n", "~~~\n", "> "]),
            st.integers(min_value=1, max_value=5_000),
        ),
    ),
    max_size=12,
)


@given(NASTY, st.lists(st.integers(min_value=0, max_value=20_000), max_size=12))
@example(["```" + "x" * 2_500 + "\n" + "y" * 1_600], [])
@example(["```" + "x" * 5_000 + "\nhello\n"], [3, 4_000, 4_001])
def test_in_whatever_pieces_text_comes_it_ends_in_the_same_blocks_and_loses_nothing(
    parts: list[str], cuts: list[int]
) -> None:
    text = "".join(parts)
    blocks = said(text)
    assert is_told_in(letters(text), letters("".join(blocks)))
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert said(*(text[begin:end] for begin, end in pairwise(ends))) == blocks


@given(st.lists(st.text(alphabet="ab \n-#>1.", max_size=40), max_size=40))
def test_without_a_fence_nothing_is_said_twice(pieces: list[str]) -> None:
    assert letters("".join(said(*pieces))) == letters("".join(pieces))


def letters(text: str) -> str:
    return "".join(char for char in text if char in "abxyhelo")


def is_told_in(told: str, longer: str) -> bool:
    """A fence that is opened again says its first line again, so there may be more."""
    rest = iter(longer)
    return all(char in rest for char in told)


@given(st.integers(min_value=1, max_value=30_000), st.sampled_from(["", "```\n", "para\n"]))
def test_the_tail_never_grows_without_end(length: int, begins: str) -> None:
    blocks = said(begins + "x" * length)
    assert sum(block.count("x") for block in blocks) == length
    assert max(map(len, blocks)) <= LONGEST_TAIL_CHARS + len("\n```\n")
