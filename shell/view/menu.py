"""What may be completed at the cursor, and how it is offered below the input. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from shell.view import fuzzy
from shell.view.ink import Row, cut, width_of
from shell.visible import visible_line

MOST_OFFERS = 40
MOST_ROWS = 8
_COMMAND = re.compile(r"/[a-z-]*", re.IGNORECASE)
_MENTION = re.compile(r'(?:^|(?<=\s))@([^\s"]*)$')
_LEAST_DETAIL_CHARS = 8
_BESIDE = len("> ") + len("  ")
"""Columns that neither an offer nor what is told of it has."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One thing that can be put in the place of what was typed."""

    text: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The offers for one word of the draft."""

    offers: tuple[MenuItem, ...]
    begin: int
    """Where the word begins; it ends at the cursor."""
    runs: bool = False
    """Enter also sends what was chosen."""
    chosen: int = 0

    @property
    def choice(self) -> MenuItem:
        """The offer that Enter and Tab take."""
        return self.offers[self.chosen]


def for_command(before: str, commands: Iterable[tuple[str, str]]) -> Menu | None:
    """Offer slash commands, given as name and help, for a draft that is the beginning of one."""
    if not _COMMAND.fullmatch(before):
        return None
    told = dict(commands)
    names = fuzzy.best(before[1:], told, MOST_OFFERS)
    offers = tuple(MenuItem(f"/{name}", told[name]) for name in names)
    return Menu(offers, begin=0, runs=True) if offers else None


def mention(before: str) -> str | None:
    """Find what stands behind an `@` that a word before the cursor begins with."""
    found = _MENTION.search(before)
    return found[1] if found else None


def for_mention(before: str, wanted: str, files: Iterable[str]) -> Menu | None:
    """Offer files for the letters behind an `@`."""
    offers = tuple(MenuItem(_named(path)) for path in fuzzy.best(wanted, files, MOST_OFFERS))
    return Menu(offers, begin=len(before) - len(wanted) - 1) if offers else None


def moved(menu: Menu, by: int) -> Menu:
    """Choose another offer; behind the last comes the first."""
    return replace(menu, chosen=(menu.chosen + by) % len(menu.offers))


def menu_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Draw the offers around the chosen one and, where not all fit, how many more there are."""
    count = len(menu.offers) if menu else 0
    if height < 2 or count <= min(height, MOST_ROWS):  # noqa: PLR2004  (one of each)
        return offer_rows(menu, width, min(height, MOST_ROWS))
    rows = offer_rows(menu, width, min(height - 1, MOST_ROWS))
    return [*rows, (("dim", cut(f"  … {count - len(rows)} more: ↑ ↓ or type", width)),)]


def offer_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Draw the offers around the chosen one."""
    if menu is None or height < 1:
        return []
    rows = min(height, len(menu.offers))
    first = max(min(menu.chosen - rows // 2, len(menu.offers) - rows), 0)
    shown = menu.offers[first : first + rows]
    widest = max(width_of(visible_line(offer.text)) for offer in shown)
    told = max(width_of(visible_line(offer.told)) for offer in shown)
    column = min(widest, max(width - _BESIDE - told, width // 2))
    return [
        _row(offer, column, width, chosen=number == menu.chosen)
        for number, offer in enumerate(shown, first)
    ]


def _row(offer: MenuItem, column: int, width: int, *, chosen: bool) -> Row:
    mark, tone = ("› ", "person") if chosen else ("  ", "plain")  # noqa: RUF001  (an arrow)
    text = visible_line(offer.text)
    room = width - _BESIDE - column
    if not offer.told or room < _LEAST_DETAIL_CHARS:
        return ((tone, mark + cut(text, max(width - 2, 1))),)
    text = cut(text, column)
    blanks = " " * (column - width_of(text) + 2)
    return ((tone, mark + text + blanks), ("dim", cut(visible_line(offer.told), room)))


def _named(path: str) -> str:
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"
