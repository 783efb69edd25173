"""The ledger as the model sends it."""

import pytest

from actors.tools.todo_write import MAX_TODOS
from messages.questions import Todo
from tests.actors.tools.caller import Caller

pytestmark = pytest.mark.quick


def item(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "status": status}


def test_the_whole_list_is_handed_over_in_order(caller: Caller) -> None:
    todos = [item("one", "completed"), item("two", "in_progress"), item("three")]
    plan = caller.plan("todo_write", todos=todos)
    output = caller.run("todo_write", plan, todos=todos)

    assert plan.title == "todo_write 1 of 3 done"
    assert output.text == "The list is kept: 1 of 3 done."
    assert output.todos == (
        Todo(content="one", status="completed"),
        Todo(content="two", status="in_progress"),
        Todo(content="three", status="pending"),
    )


def test_an_item_is_one_line(caller: Caller) -> None:
    plan = caller.plan("todo_write", todos=[item("a\n  b")])
    output = caller.run("todo_write", plan, todos=[item("a\n  b")])

    assert output.todos == (Todo(content="a b", status="pending"),)


def test_an_item_that_says_nothing_is_refused(caller: Caller) -> None:
    assert "says nothing" in caller.refusal("todo_write", todos=[item("  ")])


def test_a_list_without_end_is_refused(caller: Caller) -> None:
    with pytest.raises(ValueError, match="at most 50"):
        caller.plan("todo_write", todos=[item("x")] * (MAX_TODOS + 1))
