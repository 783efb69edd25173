import pytest

from shell.view.terminal_reflow import count_added_rows, is_reflowing_terminal

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("above", "cursor_x", "columns", "added"),
    [
        ((), 2, 40, 0),
        (("x" * 40,), 2, 40, 0),
        (("x" * 41,), 2, 40, 1),
        (("x" * 80, "y" * 81, "short   " + " " * 80), 2, 40, 3),
        (("日" * 20, "日" * 21), 0, 40, 1),
        ((), 85, 40, 2),
    ],
)
def test_rows_added_by_narrowing_are_counted_correctly(
    above: tuple[str, ...], cursor_x: int, columns: int, added: int
) -> None:
    assert count_added_rows(above, cursor_x, columns) == added


@pytest.mark.parametrize(
    ("environment", "reflows"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(379)"}, False),
        ({"TERM": "screen", "STY": "1.pts-0.host"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "screen", "TMUX": "socket,1,0", "XTERM_VERSION": "XTerm(379)"}, True),
    ],
)
def test_terminals_that_truncate_rows_are_recognized(
    environment: dict[str, str],
    reflows: bool,  # noqa: FBT001  (a test case)
) -> None:
    assert is_reflowing_terminal(environment) is reflows
