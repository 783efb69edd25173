import pytest

from shell.repl.print_queue import MAX_TEXT_AFTER_INTERRUPT_CHARS, PrintQueue
from shell.view.screen_state import (
    Printable,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
)

pytestmark = pytest.mark.quick

LONG = PrintMarkdown("x" * MAX_TEXT_AFTER_INTERRUPT_CHARS)


def pop_all(backlog: PrintQueue) -> list[Printable]:
    items: list[Printable] = []
    while backlog:
        items.append(backlog.pop())
    return items


def test_everything_comes_out_in_order() -> None:
    backlog = PrintQueue()
    for item in (PrintPrompt("a"), LONG, LONG, PrintNotice("b")):
        backlog.add(item)
    assert pop_all(backlog) == [PrintPrompt("a"), LONG, LONG, PrintNotice("b")]


def test_in_a_hurry_only_text_is_left_out_and_it_is_counted_where_it_was() -> None:
    backlog = PrintQueue()
    for item in (LONG, PrintMarkdown("too much"), PrintPrompt("a"), PrintMarkdown("more")):
        backlog.add(item)
    backlog.start_dropping()
    backlog.add(PrintMarkdown("late"))
    backlog.add(PrintOmission(100))
    backlog.add(PrintNotice("Interrupted."))
    assert pop_all(backlog) == [
        LONG,
        PrintOmission(8),
        PrintPrompt("a"),
        PrintOmission(108),
        PrintNotice("Interrupted."),
    ]


def test_little_text_is_printed_even_in_a_hurry() -> None:
    backlog = PrintQueue()
    backlog.add(PrintMarkdown("a"))
    backlog.start_dropping()
    assert pop_all(backlog) == [PrintMarkdown("a")]
    backlog.add(PrintMarkdown("b"))
    backlog.stop_dropping()
    assert pop_all(backlog) == [PrintMarkdown("b")]


def test_after_a_hurry_all_text_is_printed_again() -> None:
    backlog = PrintQueue()
    backlog.start_dropping()
    backlog.add(LONG)
    backlog.add(LONG)
    backlog.stop_dropping()
    backlog.add(LONG)
    assert pop_all(backlog) == [
        LONG,
        PrintOmission(MAX_TEXT_AFTER_INTERRUPT_CHARS),
        LONG,
    ]
