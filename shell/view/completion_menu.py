"""What may be completed at the cursor, and how it is offered below the input. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from shell.text.sanitize import sanitize_line
from shell.view import fuzzy_match
from shell.view.styled_text import Row, measure_width, truncate

MAX_MENU_ITEMS = 40
MAX_MENU_ROWS = 8
_COMMAND = re.compile(r"/[a-z-]*", re.IGNORECASE)
_MENTION = re.compile(r'(?:^|(?<=\s))@([^\s"]*)$')
_LEAST_DETAIL_CHARS = 8
_BESIDE = len("> ") + len("  ")
"""Columns that neither an offer nor what is told of it has."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One thing that can be put in the place of what was typed."""

    text: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The offers for one word of the draft."""

    items: tuple[MenuItem, ...]
    word_start: int
    """Where the word begins; it ends at the cursor."""
    submits_on_enter: bool = False
    """Enter also sends what was chosen."""
    selected_index: int = 0

    @property
    def selected_item(self) -> MenuItem:
        """The offer that Enter and Tab take."""
        return self.items[self.selected_index]


def build_command_menu(before: str, commands: Iterable[tuple[str, str]]) -> Menu | None:
    """Offer slash commands, given as name and help, for a draft that is the beginning of one."""
    if not _COMMAND.fullmatch(before):
        return None
    told = dict(commands)
    names = fuzzy_match.find_best_matches(before[1:], told, MAX_MENU_ITEMS)
    offers = tuple(MenuItem(f"/{name}", told[name]) for name in names)
    return Menu(offers, word_start=0, submits_on_enter=True) if offers else None


def find_mention(before: str) -> str | None:
    """Find what stands behind an `@` that a word before the cursor begins with."""
    found = _MENTION.search(before)
    return found[1] if found else None


def build_file_menu(before: str, query: str, files: Iterable[str]) -> Menu | None:
    """Offer files for the letters behind an `@`."""
    offers = tuple(
        MenuItem(_named(path))
        for path in fuzzy_match.find_best_matches(query, files, MAX_MENU_ITEMS)
    )
    return Menu(offers, word_start=len(before) - len(query) - 1) if offers else None


def move_selection(menu: Menu, by: int) -> Menu:
    """Choose another offer; behind the last comes the first."""
    return replace(menu, selected_index=(menu.selected_index + by) % len(menu.items))


def render_menu_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Draw the offers around the chosen one and, where not all fit, how many more there are."""
    count = len(menu.items) if menu else 0
    if height < 2 or count <= min(height, MAX_MENU_ROWS):  # noqa: PLR2004  (one of each)
        return render_menu_item_rows(menu, width, min(height, MAX_MENU_ROWS))
    rows = render_menu_item_rows(menu, width, min(height - 1, MAX_MENU_ROWS))
    return [*rows, (("dim", truncate(f"  … {count - len(rows)} more: ↑ ↓ or type", width)),)]


def render_menu_item_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Draw the offers around the chosen one."""
    if menu is None or height < 1:
        return []
    rows = min(height, len(menu.items))
    first = max(min(menu.selected_index - rows // 2, len(menu.items) - rows), 0)
    shown = menu.items[first : first + rows]
    widest = max(measure_width(sanitize_line(offer.text)) for offer in shown)
    told = max(measure_width(sanitize_line(offer.description)) for offer in shown)
    column = min(widest, max(width - _BESIDE - told, width // 2))
    return [
        _row(offer, column, width, chosen=number == menu.selected_index)
        for number, offer in enumerate(shown, first)
    ]


def _row(offer: MenuItem, column: int, width: int, *, chosen: bool) -> Row:
    mark, tone = ("› ", "person") if chosen else ("  ", "plain")  # noqa: RUF001  (an arrow)
    text = sanitize_line(offer.text)
    room = width - _BESIDE - column
    if not offer.description or room < _LEAST_DETAIL_CHARS:
        return ((tone, mark + truncate(text, max(width - 2, 1))),)
    text = truncate(text, column)
    blanks = " " * (column - measure_width(text) + 2)
    return ((tone, mark + text + blanks), ("dim", truncate(sanitize_line(offer.description), room)))


def _named(path: str) -> str:
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"
