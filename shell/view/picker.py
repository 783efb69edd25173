"""A list to choose from, filtered by typing: history, sessions, models, agents. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from messages.address import Address
from shell.text.sanitize import sanitize
from shell.view import fuzzy_match
from shell.view.completion_menu import MAX_MENU_ROWS, Menu, MenuItem, render_menu_item_rows
from shell.view.styled_text import Row, truncate, wrap_words

MAX_PREVIEW_ROWS = 8
_MAX_MATCHES = 200
_BAR = "│ "
_BLANK_ROW: Row = (("plain", ""),)


@dataclass(frozen=True, slots=True)
class PickerItem:
    """One line of the list."""

    text: str
    description: str = ""
    preview: str = ""
    """Shown below the list while this item is selected; only the end, if it is long."""
    agent: Address | None = None
    """The agent that this item represents."""


@dataclass(frozen=True, slots=True)
class Picker:
    """The list, the items that match the filter, and the selected one."""

    title: str
    items: tuple[PickerItem, ...]
    on_pick: Callable[[int], None]
    """Called with the index of the chosen item in `items`."""
    filter_text: str = ""
    selected_match: int = 0
    matches: tuple[int, ...] = ()
    """Indexes of the matching items, the best match first."""
    key_hint: str = ""
    """Keys that only this list has."""
    is_full_screen: bool = False
    """The list takes the whole screen."""
    is_leave_question: bool = False
    """It asks what to do with background agents; Ctrl-C exits without an answer."""


def create_picker(
    title: str, items: tuple[PickerItem, ...], on_pick: Callable[[int], None]
) -> Picker:
    """Create a list that shows all items."""
    return Picker(title, items, on_pick, matches=tuple(range(len(items))[:_MAX_MATCHES]))


def filter_items(picker: Picker, filter_text: str) -> Picker:
    """Show the items that contain the text, in their order; if none does, the fuzzy matches."""
    texts = [f"{item.text} {item.description}" for item in picker.items]
    matches = [index for index, text in enumerate(texts) if filter_text.lower() in text.lower()]
    if not matches:
        # From the end, so that the first of equal texts wins.
        index_by_text = {text: index for index, text in reversed(list(enumerate(texts)))}
        best = fuzzy_match.find_best_matches(filter_text, index_by_text, _MAX_MATCHES)
        matches = [index_by_text[text] for text in best]
    return replace(
        picker, filter_text=filter_text, selected_match=0, matches=tuple(matches[:_MAX_MATCHES])
    )


def move_selection(picker: Picker, by: int) -> Picker:
    """Select another item; the list wraps around."""
    count = len(picker.matches)
    return replace(picker, selected_match=(picker.selected_match + by) % count) if count else picker


def with_refreshed_items(picker: Picker, fresh: Picker) -> Picker:
    """Replace a list of agents with a fresh one; the same agent stays selected."""
    index = get_selected_index(picker)
    agent = picker.items[index].agent if index is not None else None
    fresh = filter_items(fresh, picker.filter_text)
    nearest = min(picker.selected_match, max(len(fresh.matches) - 1, 0))
    return with_selected_agent(replace(fresh, selected_match=nearest), agent)


def with_selected_agent(picker: Picker, agent: Address | None) -> Picker:
    """Select an agent's item, if it has one."""
    agents = [picker.items[index].agent for index in picker.matches]
    return replace(picker, selected_match=agents.index(agent)) if agent in agents else picker


def get_selected_index(picker: Picker) -> int | None:
    """Return the index of the selected item, or None if nothing matches."""
    return picker.matches[picker.selected_match] if picker.matches else None


def render_picker_rows(picker: Picker, width: int, height: int) -> list[Row]:
    """Render the title, the items around the selected one and, if there is room, its preview."""
    if height < 1:
        return []
    count = f"{len(picker.matches)} of {len(picker.items)}"
    title = " · ".join(filter(None, (picker.title, count, picker.key_hint)))
    menu_items = tuple(
        MenuItem(picker.items[index].text, picker.items[index].description)
        for index in picker.matches
    )
    menu = (
        Menu(menu_items, word_start=0, selected_index=picker.selected_match) if menu_items else None
    )
    max_rows = (
        max(height - 1 - MAX_PREVIEW_ROWS, MAX_MENU_ROWS)
        if picker.is_full_screen
        else MAX_MENU_ROWS
    )
    list_rows = [
        (("title", truncate(title, width)),),
        *render_menu_item_rows(menu, width, min(height - 1, max_rows)),
    ]
    rows = [*list_rows, *_render_preview(picker, width, height - len(list_rows))]
    return [*rows, *([_BLANK_ROW] * (height - len(rows)))] if picker.is_full_screen else rows


def _render_preview(picker: Picker, width: int, height: int) -> list[Row]:
    index = get_selected_index(picker)
    preview = picker.items[index].preview if index is not None else ""
    lines = wrap_words(sanitize(preview), max(width - len(_BAR), 1)) if preview else []
    last = lines[-min(height, MAX_PREVIEW_ROWS) :] if height > 0 else []
    return [(("dim", _BAR + line),) for line in last]
