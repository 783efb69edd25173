"""A list to choose one from, narrowed by typing: history, sessions, models. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from messages.address import Address
from shell.view import fuzzy
from shell.view.ink import Row, cut, flowed
from shell.view.menu import MOST_ROWS, Menu, MenuItem, offer_rows
from shell.visible import visible

MOST_PREVIEW_ROWS = 8
_MOST_FOUND = 200
_BAR = "│ "
_BLANK: Row = (("plain", ""),)


@dataclass(frozen=True, slots=True)
class PickerItem:
    """One line of the list."""

    text: str
    told: str = ""
    preview: str = ""
    """The last of it is shown below the list while this line is the chosen one."""
    agent: Address | None = None
    """The agent that this line stands for."""


@dataclass(frozen=True, slots=True)
class Picker:
    """The list, what of it fits the letters typed, and which line is chosen."""

    title: str
    choices: tuple[PickerItem, ...]
    picked: Callable[[int], None]
    """Called with the number of the choice among all."""
    wanted: str = ""
    chosen: int = 0
    found: tuple[int, ...] = ()
    """Numbers of the choices that fit, the likeliest first."""
    keys: str = ""
    """What the keys do here, beside the usual."""
    covers: bool = False
    """It takes the whole screen."""


def opened(title: str, choices: tuple[PickerItem, ...], picked: Callable[[int], None]) -> Picker:
    """Open a list with everything in it."""
    return Picker(title, choices, picked, found=tuple(range(len(choices))[:_MOST_FOUND]))


def narrowed(picker: Picker, wanted: str) -> Picker:
    """Keep what fits the letters: in its order where they stand together, else the likeliest."""
    texts = [f"{choice.text} {choice.told}" for choice in picker.choices]
    numbers = [at for at, text in enumerate(texts) if wanted.lower() in text.lower()]
    if not numbers:
        first = {text: at for at, text in reversed(list(enumerate(texts)))}
        numbers = [first[text] for text in fuzzy.best(wanted, first, _MOST_FOUND)]
    return replace(picker, wanted=wanted, chosen=0, found=tuple(numbers[:_MOST_FOUND]))


def moved(picker: Picker, by: int) -> Picker:
    """Choose another line."""
    count = len(picker.found)
    return replace(picker, chosen=(picker.chosen + by) % count) if count else picker


def renewed(picker: Picker, fresh: Picker) -> Picker:
    """Put a fresh list in the place of one of agents: the same one stays chosen."""
    at = choice(picker)
    kept = picker.choices[at].agent if at is not None else None
    fresh = narrowed(fresh, picker.wanted)
    near = min(picker.chosen, max(len(fresh.found) - 1, 0))
    return with_chosen(replace(fresh, chosen=near), kept)


def with_chosen(picker: Picker, agent: Address | None) -> Picker:
    """Choose the line of an agent, where it has one."""
    agents = [picker.choices[number].agent for number in picker.found]
    return replace(picker, chosen=agents.index(agent)) if agent in agents else picker


def choice(picker: Picker) -> int | None:
    """Name the chosen one; None when nothing fits."""
    return picker.found[picker.chosen] if picker.found else None


def picker_rows(picker: Picker, width: int, height: int) -> list[Row]:
    """Draw the title, the lines around the chosen one and, where there is room, its preview."""
    if height < 1:
        return []
    count = f"{len(picker.found)} of {len(picker.choices)}"
    title = " · ".join(filter(None, (picker.title, count, picker.keys)))
    offers = tuple(
        MenuItem(picker.choices[at].text, picker.choices[at].told) for at in picker.found
    )
    menu = Menu(offers, begin=0, chosen=picker.chosen) if offers else None
    most = max(height - 1 - MOST_PREVIEW_ROWS, MOST_ROWS) if picker.covers else MOST_ROWS
    listed = [(("title", cut(title, width)),), *offer_rows(menu, width, min(height - 1, most))]
    rows = [*listed, *_preview_rows(picker, width, height - len(listed))]
    return [*rows, *([_BLANK] * (height - len(rows)))] if picker.covers else rows


def _preview_rows(picker: Picker, width: int, height: int) -> list[Row]:
    at = choice(picker)
    preview = picker.choices[at].preview if at is not None else ""
    rows = flowed(visible(preview), max(width - len(_BAR), 1)) if preview else []
    shown = rows[-min(height, MOST_PREVIEW_ROWS) :] if height > 0 else []
    return [(("dim", _BAR + row),) for row in shown]
