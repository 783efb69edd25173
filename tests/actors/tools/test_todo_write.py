"""The `todo_write` tool."""

import pytest

from actors.tools.todo_write import MAX_TODOS
from messages.todos import Todo
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def make_item(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "status": status}


def test_the_whole_list_is_returned_in_order(caller: ToolCaller) -> None:
    todos = [make_item("one", "completed"), make_item("two", "in_progress"), make_item("three")]
    plan = caller.plan("todo_write", todos=todos)
    output = caller.run("todo_write", plan, todos=todos)

    assert plan.title == "todo_write 1 of 3 completed"
    assert output.text == "To-do list updated: 1 of 3 completed."
    assert output.todos == (
        Todo(content="one", status="completed"),
        Todo(content="two", status="in_progress"),
        Todo(content="three", status="pending"),
    )


def test_an_item_is_joined_into_one_line(caller: ToolCaller) -> None:
    plan = caller.plan("todo_write", todos=[make_item("a\n  b")])
    output = caller.run("todo_write", plan, todos=[make_item("a\n  b")])

    assert output.todos == (Todo(content="a b", status="pending"),)


def test_a_blank_item_in_the_list_is_rejected(caller: ToolCaller) -> None:
    assert "is blank" in caller.expect_error("todo_write", todos=[make_item("  ")])


def test_a_list_over_the_limit_is_rejected(caller: ToolCaller) -> None:
    with pytest.raises(ValueError, match="at most 50"):
        caller.plan("todo_write", todos=[make_item("x")] * (MAX_TODOS + 1))
