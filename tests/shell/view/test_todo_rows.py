"""The todo list above the input."""

import pytest

from messages.todos import Todo
from shell.view.todo_rows import render_todo_rows
from tests.shell.view.row_text import get_texts

pytestmark = pytest.mark.quick

COMPLETED = Todo(content="read", status="completed")
IN_PROGRESS = Todo(content="write", status="in_progress")
PENDING = Todo(content="test", status="pending")


def render_lines(*todos: Todo, width: int = 40, max_rows: int = 5) -> list[str]:
    return get_texts(render_todo_rows(todos, width, max_rows))


def test_items_in_progress_come_first_and_completed_are_counted() -> None:
    assert render_lines(COMPLETED, PENDING, IN_PROGRESS) == ["▸ write", "· test", "  1 of 3 done"]


def test_an_empty_or_completed_list_takes_no_rows() -> None:
    assert render_lines() == []
    assert render_lines(COMPLETED, COMPLETED) == []


def test_items_that_do_not_fit_are_counted() -> None:
    assert render_lines(IN_PROGRESS, PENDING, PENDING, PENDING, max_rows=3) == [
        "▸ write",
        "· test",
        "  0 of 4 done · 2 more",
    ]


def test_an_item_is_truncated_and_its_control_codes_visible() -> None:
    [row, _] = render_lines(Todo(content="a\x1b[2Jb" + "c" * 50, status="pending"), width=20)

    assert len(row) <= 20
    assert "\x1b" not in row
