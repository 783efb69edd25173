"""A long text on the whole screen, to scroll through and leave. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from messages.address import Address
from shell.text.sanitize import visible
from shell.view.styled_text import Fragment, Row, truncate, wrap

PAGER_KEY_HINT = "PgUp PgDn ↑ ↓ Home End · Esc closes"


@dataclass(frozen=True, slots=True)
class Page:
    """What is to be read."""

    title: str
    render_rows: Callable[[int], tuple[Row, ...]]
    """Lays all of it out for a width; asked several times a frame, so that it must remember."""
    key_hint: str = PAGER_KEY_HINT
    """What the keys do here."""
    agent: Address | None = None
    """Whose page it is."""


@dataclass(frozen=True, slots=True)
class Pager:
    """A page, and the row that stands on top."""

    page: Page
    first_row: int = 0


def create_page(title: str, lines: Iterable[Fragment]) -> Page:
    """Put lines on a page as they come from outside, each in one tone."""
    return Page(title, partial(_rows, tuple(lines)))


def create_plain_page(title: str, text: str) -> Page:
    """Put a plain text on a page."""
    return create_page(title, (("plain", line) for line in text.rstrip("\n").split("\n")))


def scroll(pager: Pager, by: int, width: int, height: int) -> Pager:
    """Scroll; never beyond what is there."""
    last = max(len(pager.page.render_rows(width)) - _body(height), 0)
    return replace(pager, first_row=max(min(pager.first_row + by, last), 0))


def render_page_rows(pager: Pager, width: int, height: int) -> list[Row]:
    """Fill `height` rows: a title, the text from the top row on, what the keys do."""
    rows = pager.page.render_rows(width)
    body = _body(height)
    first = max(min(pager.first_row, len(rows) - body), 0)
    shown = list(rows[first : first + body])
    filling: list[Row] = [(("plain", ""),)] * (body - len(shown))
    end = min(first + body, len(rows))
    place = f"{first + 1}-{end} of {len(rows)} · {pager.page.key_hint}"
    head: Row = (("title", truncate(pager.page.title, width)),)
    return [head, *shown, *filling, (("dim", truncate(place, width)),)][:height]


def _body(height: int) -> int:
    return max(height - 2, 1)


@lru_cache(maxsize=4)
def _rows(lines: tuple[Fragment, ...], width: int) -> tuple[Row, ...]:
    shown = ((tone, visible(line)) for tone, line in lines)
    return tuple(((tone, row),) for tone, line in shown for row in wrap(line, width))
