"""Completions at the cursor, and the menu that shows them below the input. Pure."""

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
_MIN_DESCRIPTION_COLUMNS = 8
_FIXED_COLUMNS = len("> ") + len("  ")
"""Columns that neither the item nor its description uses."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One completion of the typed word."""

    text: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The completions for one word of the draft."""

    items: tuple[MenuItem, ...]
    word_start: int
    """Index at which the word starts; it ends at the cursor."""
    submits_on_enter: bool = False
    """Enter also submits the selected item."""
    selected_index: int = 0

    @property
    def selected_item(self) -> MenuItem:
        """The item that Enter and Tab insert."""
        return self.items[self.selected_index]


def build_command_menu(before: str, commands: Iterable[tuple[str, str]]) -> Menu | None:
    """Offer slash commands, passed as name and help, if the draft is the start of one."""
    if not _COMMAND.fullmatch(before):
        return None
    help_by_name = dict(commands)
    names = fuzzy_match.find_best_matches(before[1:], help_by_name, MAX_MENU_ITEMS)
    items = tuple(MenuItem(f"/{name}", help_by_name[name]) for name in names)
    return Menu(items, word_start=0, submits_on_enter=True) if items else None


def find_mention(before: str) -> str | None:
    """Return the text after the `@` that starts the word at the cursor; None: no such word."""
    match = _MENTION.search(before)
    return match[1] if match else None


def build_file_menu(before: str, query: str, files: Iterable[str]) -> Menu | None:
    """Offer files that match the text after an `@`."""
    items = tuple(
        MenuItem(_format_mention(path))
        for path in fuzzy_match.find_best_matches(query, files, MAX_MENU_ITEMS)
    )
    return Menu(items, word_start=len(before) - len(query) - 1) if items else None


def move_selection(menu: Menu, by: int) -> Menu:
    """Select another item; the list wraps around."""
    return replace(menu, selected_index=(menu.selected_index + by) % len(menu.items))


def render_menu_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Render the items around the selected one; the last row counts those that do not fit."""
    count = len(menu.items) if menu else 0
    if height < 2 or count <= min(height, MAX_MENU_ROWS):  # noqa: PLR2004  (one of each)
        return render_menu_item_rows(menu, width, min(height, MAX_MENU_ROWS))
    rows = render_menu_item_rows(menu, width, min(height - 1, MAX_MENU_ROWS))
    return [*rows, (("dim", truncate(f"  … {count - len(rows)} more: ↑ ↓ or type", width)),)]


def render_menu_item_rows(menu: Menu | None, width: int, height: int) -> list[Row]:
    """Render the items around the selected one."""
    if menu is None or height < 1:
        return []
    rows = min(height, len(menu.items))
    first = max(min(menu.selected_index - rows // 2, len(menu.items) - rows), 0)
    visible_items = menu.items[first : first + rows]
    text_width = max(measure_width(sanitize_line(item.text)) for item in visible_items)
    description_width = max(
        measure_width(sanitize_line(item.description)) for item in visible_items
    )
    column = min(text_width, max(width - _FIXED_COLUMNS - description_width, width // 2))
    return [
        _render_item(item, column, width, is_selected=number == menu.selected_index)
        for number, item in enumerate(visible_items, first)
    ]


def _render_item(item: MenuItem, column: int, width: int, *, is_selected: bool) -> Row:
    mark, tone = ("› ", "user") if is_selected else ("  ", "plain")  # noqa: RUF001  (an arrow)
    text = sanitize_line(item.text)
    room = width - _FIXED_COLUMNS - column
    if not item.description or room < _MIN_DESCRIPTION_COLUMNS:
        return ((tone, mark + truncate(text, max(width - 2, 1))),)
    text = truncate(text, column)
    padding = " " * (column - measure_width(text) + 2)
    description = truncate(sanitize_line(item.description), room)
    return ((tone, mark + text + padding), ("dim", description))


def _format_mention(path: str) -> str:
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"
