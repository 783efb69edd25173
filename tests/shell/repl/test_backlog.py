import pytest

from shell.repl.backlog import MOST_HURRIED_CHARS, Backlog
from shell.view.state import Printable, Prose, Remark, Said, Skipped

pytestmark = pytest.mark.quick

LONG = Prose("x" * MOST_HURRIED_CHARS)


def taken(backlog: Backlog) -> list[Printable]:
    items: list[Printable] = []
    while backlog:
        items.append(backlog.take())
    return items


def test_everything_comes_out_in_order() -> None:
    backlog = Backlog()
    for item in (Said("a"), LONG, LONG, Remark("b")):
        backlog.add(item)
    assert taken(backlog) == [Said("a"), LONG, LONG, Remark("b")]


def test_in_a_hurry_only_text_is_left_out_and_it_is_counted_where_it_was() -> None:
    backlog = Backlog()
    for item in (LONG, Prose("too much"), Said("a"), Prose("more")):
        backlog.add(item)
    backlog.hurry()
    backlog.add(Prose("late"))
    backlog.add(Skipped(100))
    backlog.add(Remark("Interrupted."))
    assert taken(backlog) == [
        LONG,
        Skipped(8),
        Said("a"),
        Skipped(108),
        Remark("Interrupted."),
    ]


def test_little_text_is_printed_even_in_a_hurry() -> None:
    backlog = Backlog()
    backlog.add(Prose("a"))
    backlog.hurry()
    assert taken(backlog) == [Prose("a")]
    backlog.add(Prose("b"))
    backlog.calm()
    assert taken(backlog) == [Prose("b")]


def test_after_a_hurry_all_text_is_printed_again() -> None:
    backlog = Backlog()
    backlog.hurry()
    backlog.add(LONG)
    backlog.add(LONG)
    backlog.calm()
    backlog.add(LONG)
    assert taken(backlog) == [
        LONG,
        Skipped(MOST_HURRIED_CHARS),
        LONG,
    ]
