"""The agent's ledger above the input: what it does now, what comes next, how much is done."""

from messages.todos import Todo, TodoStatus
from shell.text.sanitize import sanitize_line
from shell.view.styled_text import Row, truncate

MAX_TODO_ROWS = 5
STATUS_MARKS: dict[TodoStatus, tuple[str, str]] = {
    "completed": ("good", "✓ "),
    "in_progress": ("warn", "▸ "),
    "pending": ("dim", "· "),
}


def render_todo_rows(
    todos: tuple[Todo, ...], width: int, max_rows: int = MAX_TODO_ROWS
) -> list[Row]:
    """Draw at most `most` rows; what is done is only counted. Nothing once all is done."""
    waiting = [todo for todo in todos if todo.status != "completed"]
    if not waiting or max_rows < 1:
        return []
    doing = [todo for todo in waiting if todo.status == "in_progress"]
    first = [*doing, *(todo for todo in waiting if todo.status == "pending")]
    done = f"{len(todos) - len(waiting)} of {len(todos)} done"
    shown = first[: max_rows - 1]
    more = f" · {len(first) - len(shown)} more" if len(first) > len(shown) else ""
    return [*(_row(todo, width) for todo in shown), (("dim", truncate(f"  {done}{more}", width)),)]


def _row(todo: Todo, width: int) -> Row:
    tone, mark = STATUS_MARKS[todo.status]
    return (
        (tone, mark),
        ("plain", truncate(sanitize_line(todo.content), max(width - len(mark), 1))),
    )
