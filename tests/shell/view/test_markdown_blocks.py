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
    """Return all blocks of a reply that arrives in these pieces."""
    tail, blocks = MarkdownTail(), list[str]()
    for piece in pieces:
        finished, tail = feed_text(tail, piece)
        blocks.extend(finished)
        assert len(tail.text) <= MAX_TAIL_CHARS
    return (*blocks, *finish_reply(tail))


def test_a_paragraph_ends_where_the_next_one_starts() -> None:
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


def test_a_shorter_fence_does_not_close_a_longer() -> None:
    finished, _ = feed_text(MarkdownTail(), "````\n```\ncode\n")
    assert finished == ()


def test_an_indented_line_continues_the_list_item_above() -> None:
    finished, _ = feed_text(MarkdownTail(), "- one\n\n  still one\n")
    assert finished == ()


def test_a_long_fence_is_split_into_complete_fences() -> None:
    finished, tail = feed_text(MarkdownTail(), "```py\n" + "x\n" * (MAX_FENCE_LINES + 1))
    assert finished == ("```py\n" + "x\n" * MAX_FENCE_LINES + "```\n",)
    assert tail.text == "```py\nx\n"


def test_the_end_of_a_reply_closes_open_blocks() -> None:
    assert split_blocks("```py\nx\n") == ("```py\nx\n```",)
    assert split_blocks("\n\n") == ()


def test_an_empty_reopened_fence_is_not_shown() -> None:
    lines = "```py\n" + "x\n" * MAX_FENCE_LINES
    assert split_blocks(lines + "```\n") == (lines + "```\n", "")
    assert split_blocks(lines) == (lines + "```\n", "")


def test_inline_code_does_not_open_a_fence() -> None:
    assert split_blocks("```x``` is code") == ("```x``` is code",)
    assert split_blocks("```\n~~~ not the end\n```\n") == ("```\n~~~ not the end\n```",)


def test_an_overlong_fence_opening_is_escaped_as_text() -> None:
    first, *rest = split_blocks("```" + "x" * 5000 + "\nhello\n")
    assert first.startswith("\\```xxx")
    assert "".join((first, *rest)).removeprefix("\\```") == "x" * 5000 + "\nhello"
    assert split_blocks(" ~~~" + "y" * 300 + "\n\nhello") == (" \\~~~" + "y" * 300, "hello")


DIFFICULT_TEXTS = st.lists(
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


@given(DIFFICULT_TEXTS, st.lists(st.integers(min_value=0, max_value=20_000), max_size=12))
@example(["```" + "x" * 2_500 + "\n" + "y" * 1_600], [])
@example(["```" + "x" * 5_000 + "\nhello\n"], [3, 4_000, 4_001])
def test_blocks_do_not_depend_on_how_text_arrives(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    blocks = split_blocks(text)
    assert is_subsequence(keep_letters(text), keep_letters("".join(blocks)))
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert split_blocks(*(text[start:end] for start, end in pairwise(ends))) == blocks


@given(st.lists(st.text(alphabet="ab \n-#>1.", max_size=40), max_size=40))
def test_text_without_a_fence_is_never_repeated(pieces: list[str]) -> None:
    assert keep_letters("".join(split_blocks(*pieces))) == keep_letters("".join(pieces))


def keep_letters(text: str) -> str:
    return "".join(char for char in text if char in "abxyhelo")


def is_subsequence(text: str, longer: str) -> bool:
    """Allow extra text, since a reopened fence repeats its first line."""
    rest = iter(longer)
    return all(char in rest for char in text)


@given(st.integers(min_value=1, max_value=30_000), st.sampled_from(["", "```\n", "para\n"]))
def test_the_size_of_the_tail_is_limited(length: int, prefix: str) -> None:
    blocks = split_blocks(prefix + "x" * length)
    assert sum(block.count("x") for block in blocks) == length
    assert max(map(len, blocks)) <= MAX_TAIL_CHARS + len("\n```\n")
