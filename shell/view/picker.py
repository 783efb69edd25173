"""A list to choose one from, narrowed by typing: history, sessions, models. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from messages.address import Address
from shell.text.sanitize import visible
from shell.view import fuzzy_match
from shell.view.completion_menu import MAX_MENU_ROWS, Menu, MenuItem, render_menu_item_rows
from shell.view.styled_text import Row, truncate, wrap_words

MAX_PREVIEW_ROWS = 8
_MOST_FOUND = 200
_BAR = "│ "
_BLANK: Row = (("plain", ""),)


@dataclass(frozen=True, slots=True)
class PickerItem:
    """One line of the list."""

    text: str
    description: str = ""
    preview: str = ""
    """The last of it is shown below the list while this line is the chosen one."""
    agent: Address | None = None
    """The agent that this line stands for."""


@dataclass(frozen=True, slots=True)
class Picker:
    """The list, what of it fits the letters typed, and which line is chosen."""

    title: str
    items: tuple[PickerItem, ...]
    on_pick: Callable[[int], None]
    """Called with the number of the choice among all."""
    filter_text: str = ""
    selected_match: int = 0
    matches: tuple[int, ...] = ()
    """Numbers of the choices that fit, the likeliest first."""
    key_hint: str = ""
    """What the keys do here, beside the usual."""
    is_full_screen: bool = False
    """It takes the whole screen."""


def create_picker(
    title: str, items: tuple[PickerItem, ...], on_pick: Callable[[int], None]
) -> Picker:
    """Open a list with everything in it."""
    return Picker(title, items, on_pick, matches=tuple(range(len(items))[:_MOST_FOUND]))


def filter_items(picker: Picker, filter_text: str) -> Picker:
    """Keep what fits the letters: in its order where they stand together, else the likeliest."""
    texts = [f"{choice.text} {choice.description}" for choice in picker.items]
    numbers = [at for at, text in enumerate(texts) if filter_text.lower() in text.lower()]
    if not numbers:
        first = {text: at for at, text in reversed(list(enumerate(texts)))}
        numbers = [
            first[text] for text in fuzzy_match.find_best_matches(filter_text, first, _MOST_FOUND)
        ]
    return replace(
        picker, filter_text=filter_text, selected_match=0, matches=tuple(numbers[:_MOST_FOUND])
    )


def move_selection(picker: Picker, by: int) -> Picker:
    """Choose another line."""
    count = len(picker.matches)
    return replace(picker, selected_match=(picker.selected_match + by) % count) if count else picker


def with_refreshed_items(picker: Picker, fresh: Picker) -> Picker:
    """Put a fresh list in the place of one of agents: the same one stays chosen."""
    at = get_selected_index(picker)
    kept = picker.items[at].agent if at is not None else None
    fresh = filter_items(fresh, picker.filter_text)
    near = min(picker.selected_match, max(len(fresh.matches) - 1, 0))
    return with_selected_agent(replace(fresh, selected_match=near), kept)


def with_selected_agent(picker: Picker, agent: Address | None) -> Picker:
    """Choose the line of an agent, where it has one."""
    agents = [picker.items[number].agent for number in picker.matches]
    return replace(picker, selected_match=agents.index(agent)) if agent in agents else picker


def get_selected_index(picker: Picker) -> int | None:
    """Name the chosen one; None when nothing fits."""
    return picker.matches[picker.selected_match] if picker.matches else None


def render_picker_rows(picker: Picker, width: int, height: int) -> list[Row]:
    """Draw the title, the lines around the chosen one and, where there is room, its preview."""
    if height < 1:
        return []
    count = f"{len(picker.matches)} of {len(picker.items)}"
    title = " · ".join(filter(None, (picker.title, count, picker.key_hint)))
    offers = tuple(
        MenuItem(picker.items[at].text, picker.items[at].description) for at in picker.matches
    )
    menu = Menu(offers, word_start=0, selected_index=picker.selected_match) if offers else None
    most = (
        max(height - 1 - MAX_PREVIEW_ROWS, MAX_MENU_ROWS)
        if picker.is_full_screen
        else MAX_MENU_ROWS
    )
    listed = [
        (("title", truncate(title, width)),),
        *render_menu_item_rows(menu, width, min(height - 1, most)),
    ]
    rows = [*listed, *_preview_rows(picker, width, height - len(listed))]
    return [*rows, *([_BLANK] * (height - len(rows)))] if picker.is_full_screen else rows


def _preview_rows(picker: Picker, width: int, height: int) -> list[Row]:
    at = get_selected_index(picker)
    preview = picker.items[at].preview if at is not None else ""
    rows = wrap_words(visible(preview), max(width - len(_BAR), 1)) if preview else []
    shown = rows[-min(height, MAX_PREVIEW_ROWS) :] if height > 0 else []
    return [(("dim", _BAR + row),) for row in shown]
