"""A full-screen page of text to scroll through. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from messages.address import Address
from shell.text.sanitize import sanitize
from shell.view.styled_text import Fragment, Row, truncate, wrap

PAGER_KEY_HINT = "PgUp PgDn ↑ ↓ Home End scroll · Esc closes"


@dataclass(frozen=True, slots=True)
class Page:
    """A text to read."""

    title: str
    render_rows: Callable[[int], tuple[Row, ...]]
    """Lays out the text for a width; called several times per frame, so it must cache."""
    key_hint: str = PAGER_KEY_HINT
    """What the keys do on this page."""
    agent: Address | None = None
    """The subagent that the page shows."""


@dataclass(frozen=True, slots=True)
class Pager:
    """A page and its scroll position."""

    page: Page
    first_row: int = 0


def create_page(title: str, lines: Iterable[Fragment]) -> Page:
    """Create a page of untrusted lines, each in one tone."""
    return Page(title, partial(_render_lines, tuple(lines)))


def create_plain_page(title: str, text: str) -> Page:
    """Create a page of plain text."""
    return create_page(title, (("plain", line) for line in text.rstrip("\n").split("\n")))


def scroll(pager: Pager, by: int, width: int, height: int) -> Pager:
    """Scroll by rows, at most to either end."""
    last = max(len(pager.page.render_rows(width)) - _get_body_height(height), 0)
    return replace(pager, first_row=max(min(pager.first_row + by, last), 0))


def render_page_rows(pager: Pager, width: int, height: int) -> list[Row]:
    """Fill `height` rows: the title, the text from the scroll position on, the key hint."""
    rows = pager.page.render_rows(width)
    body_height = _get_body_height(height)
    first = max(min(pager.first_row, len(rows) - body_height), 0)
    body = list(rows[first : first + body_height])
    padding: list[Row] = [(("plain", ""),)] * (body_height - len(body))
    end = min(first + body_height, len(rows))
    status = f"{first + 1}-{end} of {len(rows)} · {pager.page.key_hint}"
    title: Row = (("title", truncate(pager.page.title, width)),)
    return [title, *body, *padding, (("dim", truncate(status, width)),)][:height]


def _get_body_height(height: int) -> int:
    return max(height - 2, 1)


@lru_cache(maxsize=4)
def _render_lines(lines: tuple[Fragment, ...], width: int) -> tuple[Row, ...]:
    sanitized = ((tone, sanitize(line)) for tone, line in lines)
    return tuple(((tone, row),) for tone, line in sanitized for row in wrap(line, width))
