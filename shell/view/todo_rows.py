"""The agent's todo list above the input: current and next items, and how many are done."""

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
    """Render at most `max_rows` rows; completed items are only counted. Empty once all are."""
    open_todos = [todo for todo in todos if todo.status != "completed"]
    if not open_todos or max_rows < 1:
        return []
    in_progress = [todo for todo in open_todos if todo.status == "in_progress"]
    ordered = [*in_progress, *(todo for todo in open_todos if todo.status == "pending")]
    done = f"{len(todos) - len(open_todos)} of {len(todos)} done"
    first = ordered[: max_rows - 1]
    more = f" · {len(ordered) - len(first)} more" if len(ordered) > len(first) else ""
    last_row: Row = (("dim", truncate(f"  {done}{more}", width)),)
    return [*(_render_todo(todo, width) for todo in first), last_row]


def _render_todo(todo: Todo, width: int) -> Row:
    tone, mark = STATUS_MARKS[todo.status]
    return (
        (tone, mark),
        ("plain", truncate(sanitize_line(todo.content), max(width - len(mark), 1))),
    )
