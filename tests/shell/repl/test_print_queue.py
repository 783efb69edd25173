import pytest

from shell.repl.print_queue import PrintQueue
from shell.view.screen_state import (
    MAX_INTERRUPTED_TEXT_CHARS,
    Printable,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
)

pytestmark = pytest.mark.quick

LONG = PrintMarkdown("x" * MAX_INTERRUPTED_TEXT_CHARS)


def pop_all(queue: PrintQueue) -> list[Printable]:
    items: list[Printable] = []
    while queue:
        items.append(queue.pop())
    return items


def test_items_come_out_in_their_order() -> None:
    queue = PrintQueue()
    for item in (PrintPrompt("a"), LONG, LONG, PrintNotice("b")):
        queue.add(item)
    assert pop_all(queue) == [PrintPrompt("a"), LONG, LONG, PrintNotice("b")]


def test_only_text_is_dropped_and_counted_in_place() -> None:
    queue = PrintQueue()
    for item in (LONG, PrintMarkdown("too much"), PrintPrompt("a"), PrintMarkdown("more")):
        queue.add(item)
    queue.start_dropping()
    queue.add(PrintMarkdown("late"))
    queue.add(PrintOmission(100))
    queue.add(PrintNotice("Interrupted."))
    assert pop_all(queue) == [
        LONG,
        PrintOmission(8),
        PrintPrompt("a"),
        PrintOmission(108),
        PrintNotice("Interrupted."),
    ]


def test_short_text_is_printed_even_while_dropping() -> None:
    queue = PrintQueue()
    queue.add(PrintMarkdown("a"))
    queue.start_dropping()
    assert pop_all(queue) == [PrintMarkdown("a")]
    queue.add(PrintMarkdown("b"))
    queue.stop_dropping()
    assert pop_all(queue) == [PrintMarkdown("b")]


def test_all_text_is_printed_again_after_dropping() -> None:
    queue = PrintQueue()
    queue.start_dropping()
    queue.add(LONG)
    queue.add(LONG)
    queue.stop_dropping()
    queue.add(LONG)
    assert pop_all(queue) == [
        LONG,
        PrintOmission(MAX_INTERRUPTED_TEXT_CHARS),
        LONG,
    ]
