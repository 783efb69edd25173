import pytest

from shell.repl.backlog import MOST_HURRIED_CHARS, Backlog
from shell.view.state import Printable, PrintMarkdown, PrintNotice, PrintOmission, PrintPrompt

pytestmark = pytest.mark.quick

LONG = PrintMarkdown("x" * MOST_HURRIED_CHARS)


def taken(backlog: Backlog) -> list[Printable]:
    items: list[Printable] = []
    while backlog:
        items.append(backlog.take())
    return items


def test_everything_comes_out_in_order() -> None:
    backlog = Backlog()
    for item in (PrintPrompt("a"), LONG, LONG, PrintNotice("b")):
        backlog.add(item)
    assert taken(backlog) == [PrintPrompt("a"), LONG, LONG, PrintNotice("b")]


def test_in_a_hurry_only_text_is_left_out_and_it_is_counted_where_it_was() -> None:
    backlog = Backlog()
    for item in (LONG, PrintMarkdown("too much"), PrintPrompt("a"), PrintMarkdown("more")):
        backlog.add(item)
    backlog.hurry()
    backlog.add(PrintMarkdown("late"))
    backlog.add(PrintOmission(100))
    backlog.add(PrintNotice("Interrupted."))
    assert taken(backlog) == [
        LONG,
        PrintOmission(8),
        PrintPrompt("a"),
        PrintOmission(108),
        PrintNotice("Interrupted."),
    ]


def test_little_text_is_printed_even_in_a_hurry() -> None:
    backlog = Backlog()
    backlog.add(PrintMarkdown("a"))
    backlog.hurry()
    assert taken(backlog) == [PrintMarkdown("a")]
    backlog.add(PrintMarkdown("b"))
    backlog.calm()
    assert taken(backlog) == [PrintMarkdown("b")]


def test_after_a_hurry_all_text_is_printed_again() -> None:
    backlog = Backlog()
    backlog.hurry()
    backlog.add(LONG)
    backlog.add(LONG)
    backlog.calm()
    backlog.add(LONG)
    assert taken(backlog) == [
        LONG,
        PrintOmission(MOST_HURRIED_CHARS),
        LONG,
    ]
