from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shell.view.markdown_blocks import (
    MAX_FENCE_LINES,
    MAX_TAIL_CHARS,
    MarkdownTail,
    feed_text,
    finish_reply,
)

pytestmark = pytest.mark.quick


def split_blocks(*pieces: str) -> tuple[str, ...]:
    """All blocks of a reply that comes in these pieces."""
    tail, blocks = MarkdownTail(), list[str]()
    for piece in pieces:
        finished, tail = feed_text(tail, piece)
        blocks.extend(finished)
        assert len(tail.text) <= MAX_TAIL_CHARS
    return (*blocks, *finish_reply(tail))


def test_a_paragraph_is_finished_when_the_next_one_begins() -> None:
    finished, tail = feed_text(MarkdownTail(), "One.\nStill one.\n\nTw")
    assert finished == ("One.\nStill one.",)
    assert tail.text == "Tw"


def test_blank_lines_inside_a_fence_finish_nothing() -> None:
    finished, tail = feed_text(MarkdownTail(), "```py\na\n\nb\n")
    assert finished == ()
    finished, tail = feed_text(tail, "```\nnext")
    assert finished == ("```py\na\n\nb\n```",)
    assert tail.text == "next"


def test_a_fence_ends_the_paragraph_above_it() -> None:
    finished, tail = feed_text(MarkdownTail(), "Look:\n```\n")
    assert finished == ("Look:",)
    assert tail.text == "```\n"


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    finished, _ = feed_text(MarkdownTail(), "````\n```\ncode\n")
    assert finished == ()


def test_an_indented_line_goes_on_with_the_list_item_above_it() -> None:
    finished, _ = feed_text(MarkdownTail(), "- one\n\n  still one\n")
    assert finished == ()


def test_a_long_fence_is_printed_in_parts_that_are_fences_themselves() -> None:
    finished, tail = feed_text(MarkdownTail(), "```py\n" + "x\n" * (MAX_FENCE_LINES + 1))
    assert finished == ("```py\n" + "x\n" * MAX_FENCE_LINES + "```\n",)
    assert tail.text == "```py\nx\n"


def test_the_end_of_the_reply_closes_what_is_open() -> None:
    assert split_blocks("```py\nx\n") == ("```py\nx\n```",)
    assert split_blocks("\n\n") == ()


def test_a_fence_that_was_opened_again_for_nothing_is_not_shown() -> None:
    lines = "```py\n" + "x\n" * MAX_FENCE_LINES
    assert split_blocks(lines + "```\n") == (lines + "```\n", "")
    assert split_blocks(lines) == (lines + "```\n", "")


def test_code_within_a_line_is_no_fence() -> None:
    assert split_blocks("```x``` is code") == ("```x``` is code",)
    assert split_blocks("```\n~~~ not the end\n```\n") == ("```\n~~~ not the end\n```",)


def test_a_line_too_long_to_open_a_fence_is_kept_from_opening_one() -> None:
    first, *rest = split_blocks("```" + "x" * 5000 + "\nhello\n")
    assert first.startswith("\\```xxx")
    assert "".join((first, *rest)).removeprefix("\\```") == "x" * 5000 + "\nhello"
    assert split_blocks(" ~~~" + "y" * 300 + "\n\nhello") == (" \\~~~" + "y" * 300, "hello")


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
    blocks = split_blocks(text)
    assert is_subsequence(keep_letters(text), keep_letters("".join(blocks)))
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert split_blocks(*(text[begin:end] for begin, end in pairwise(ends))) == blocks


@given(st.lists(st.text(alphabet="ab \n-#>1.", max_size=40), max_size=40))
def test_without_a_fence_nothing_is_said_twice(pieces: list[str]) -> None:
    assert keep_letters("".join(split_blocks(*pieces))) == keep_letters("".join(pieces))


def keep_letters(text: str) -> str:
    return "".join(char for char in text if char in "abxyhelo")


def is_subsequence(told: str, longer: str) -> bool:
    """A fence that is opened again says its first line again, so there may be more."""
    rest = iter(longer)
    return all(char in rest for char in told)


@given(st.integers(min_value=1, max_value=30_000), st.sampled_from(["", "```\n", "para\n"]))
def test_the_tail_never_grows_without_end(length: int, begins: str) -> None:
    blocks = split_blocks(begins + "x" * length)
    assert sum(block.count("x") for block in blocks) == length
    assert max(map(len, blocks)) <= MAX_TAIL_CHARS + len("\n```\n")
