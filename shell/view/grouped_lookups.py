"""Consecutive lookups share one row: `Read price.py, cart.py · Searched "tax": 3 matches`. Pure.

They are held back until something else is printed; the frame shows them meanwhile.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from messages.turns import ToolEnded
from shell.view.call_text import describe_ended, get_call_object
from shell.view.number_format import format_count
from shell.view.styled_text import Row, measure_width, truncate

_NUMBERED_LINE = re.compile(r"^ *\d+\t", re.MULTILINE)
_MATCH_LINE = re.compile(r"^[^\n]*?:\d+:", re.MULTILINE)
_ROW = re.compile(r"^(?!\[|\(|… \+)[^\n]+", re.MULTILINE)
"""A line that is no note."""
OMITTED_LINES = re.compile(r"^… \+([\d,]+) lines$", re.MULTILINE)
"""What a truncated text says about the lines that it leaves out."""
_COUNTED = {
    "read": ("Read", "file"),
    "ls": ("Listed", "folder"),
    "glob": ("Searched for", "pattern"),
    "grep": ("Searched", "pattern"),
}
"""The tools whose successful calls are lookups, and how many of them are counted together."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A call that only looked something up."""

    tool: str
    about: str
    """The path or pattern."""
    text: str
    """The row of this call alone."""
    result: str
    """What it found, if that is said in a group: `3 matches`."""


@dataclass(frozen=True, slots=True)
class PrintLookups:
    """Print lookups on one row."""

    lookups: tuple[Lookup, ...]


def make_lookup(event: ToolEnded) -> Lookup | None:
    """Return a successful lookup; None: the call is another one or failed."""
    if event.status != "ok" or event.tool not in _COUNTED:
        return None
    about = get_call_object(event.tool, event.title)
    text, result = describe_ended(event), ""
    match event.tool:
        case "read":
            lines = _count(event.text, _NUMBERED_LINE)
            text = f"Read {format_count(lines, 'line')} of {about}" if lines else text
        case "grep" if _MATCH_LINE.search(event.text):
            matches = _count(event.text, _MATCH_LINE)
            result = f"{matches:,} {'match' if matches == 1 else 'matches'}"
        case "glob" | "grep":
            result = format_count(_count(event.text, _ROW), "file")
        case _:
            entries = _count(event.text, _ROW)
            folder = "" if about == "." else f" of {about}"
            text = f"Listed {entries:,} {'entry' if entries == 1 else 'entries'}{folder}"
    return Lookup(event.tool, about, f"{text}: {result}" if result else text, result)


def render_lookup_row(lookups: Sequence[Lookup], width: int) -> Row:
    """Render lookups on one row; if their names do not fit, shorten or count them."""
    candidates = [lookups[0].text] if len(lookups) == 1 else []
    candidates += [_join(lookups, names) for names in ("paths", "files", "counts")]
    room = width - 2
    text = next((text for text in candidates if measure_width(text) <= room), candidates[-1])
    return (("good", "● "), ("plain", truncate(text, room)))


def _join(lookups: Sequence[Lookup], names: str) -> str:
    groups = [(tool, list(group)) for tool, group in groupby(lookups, lambda one: one.tool)]
    if names == "counts":
        by_tool = {tool: [one for one in lookups if one.tool == tool] for tool, _ in groups}
        groups = list(by_tool.items())
    return " · ".join(_format_group(tool, group, names) for tool, group in groups)


def _format_group(tool: str, group: list[Lookup], names: str) -> str:
    verb, noun = _COUNTED[tool]
    if names == "counts":
        return f"{verb} {format_count(len({one.about for one in group}), noun)}"
    listed = dict.fromkeys(_name(one, is_short=names == "files") for one in group)
    return f"{verb} {', '.join(listed)}"


def _name(lookup: Lookup, *, is_short: bool) -> str:
    if lookup.result:
        return f"{lookup.about}: {lookup.result}"
    shown = lookup.about.rstrip("/").rpartition("/")[2] if is_short else ""
    return shown or lookup.about


def _count(text: str, pattern: re.Pattern[str]) -> int:
    """Count the lines that match; those that a truncated text leaves out count, too."""
    omission = OMITTED_LINES.search(text)
    omitted = int(omission[1].replace(",", "")) if omission else 0
    return len(pattern.findall(text)) + omitted
