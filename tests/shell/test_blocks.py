import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.blocks import FENCE_LINES, LONGEST_TAIL_CHARS, Tail, feed, finish

pytestmark = pytest.mark.quick


def test_a_paragraph_is_finished_when_the_next_one_begins() -> None:
    finished, tail = feed(Tail(), "One.\nStill one.\n\nTw")
    assert finished == ("One.\nStill one.",)
    assert tail == Tail("Tw")


def test_blank_lines_inside_a_fence_finish_nothing() -> None:
    finished, tail = feed(Tail(), "```py\na\n\nb\n")
    assert finished == ()
    finished, tail = feed(tail, "```\nnext")
    assert finished == ("```py\na\n\nb\n```",)
    assert tail == Tail("next")


def test_a_fence_ends_the_paragraph_above_it() -> None:
    finished, tail = feed(Tail(), "Look:\n```\n")
    assert finished == ("Look:",)
    assert tail == Tail("```\n")


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    finished, _ = feed(Tail(), "````\n```\ncode\n")
    assert finished == ()


def test_an_indented_line_goes_on_with_the_list_item_above_it() -> None:
    finished, _ = feed(Tail(), "- one\n\n  still one\n")
    assert finished == ()


def test_a_long_fence_is_printed_in_parts_that_are_fences_themselves() -> None:
    finished, tail = feed(Tail(), "```py\n" + "x\n" * (FENCE_LINES + 1))
    assert finished == ("```py\n" + "x\n" * FENCE_LINES + "```\n",)
    assert tail == Tail("```py\nx\n")


def test_the_end_of_the_reply_closes_what_is_open() -> None:
    assert finish(Tail("```py\nx\n")) == ("```py\nx\n```\n",)
    assert finish(Tail("\n\n")) == ()


def test_a_fence_that_was_reopened_for_nothing_is_not_shown() -> None:
    assert finish(Tail("```py\n```\n")) == ()


@given(st.lists(st.text(alphabet="ab \n~-#>1.", max_size=40), max_size=40))
def test_however_the_stream_is_cut_all_of_it_is_said_once(pieces: list[str]) -> None:
    tail, said = Tail(), list[str]()
    for piece in pieces:
        finished, tail = feed(tail, piece)
        said.extend(finished)
    said.extend(finish(tail))
    assert letters("".join(said)) == letters("".join(pieces))


def letters(text: str) -> str:
    return "".join(char for char in text if char in "ab")


@given(st.integers(min_value=1, max_value=30_000), st.sampled_from(["", "```\n", "para\n"]))
def test_the_tail_never_grows_without_end(length: int, begins: str) -> None:
    finished, tail = feed(Tail(), begins + "x" * length)
    assert len(tail.text) <= LONGEST_TAIL_CHARS
    assert sum(block.count("x") for block in finished) + tail.text.count("x") == length
