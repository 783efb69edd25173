"""The ledger above the input."""

import pytest

from messages.todos import Todo
from shell.view.todo_rows import render_todo_rows

pytestmark = pytest.mark.quick

DONE = Todo(content="read", status="completed")
DOING = Todo(content="write", status="in_progress")
NEXT = Todo(content="test", status="pending")


def render_lines(*todos: Todo, width: int = 40, max_rows: int = 5) -> list[str]:
    return ["".join(text for _, text in row) for row in render_todo_rows(todos, width, max_rows)]


def test_what_is_done_now_comes_first_and_what_was_done_is_counted() -> None:
    assert render_lines(DONE, NEXT, DOING) == ["▸ write", "· test", "  1 of 3 done"]


def test_a_ledger_that_is_empty_or_done_takes_no_room() -> None:
    assert render_lines() == []
    assert render_lines(DONE, DONE) == []


def test_more_than_there_is_room_for_is_counted() -> None:
    assert render_lines(DOING, NEXT, NEXT, NEXT, max_rows=3) == [
        "▸ write",
        "· test",
        "  0 of 4 done · 2 more",
    ]


def test_an_item_is_cut_to_the_window_and_cannot_draw() -> None:
    [row, _] = render_lines(Todo(content="a\x1b[2Jb" + "c" * 50, status="pending"), width=20)

    assert len(row) <= 20
    assert "\x1b" not in row
