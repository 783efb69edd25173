"""What file names with `*`, `?` and `[…]` stand for at this moment: a bounded look at folders."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from actors.permissions.rules import compile_pattern

MAX_COMPARED_NAMES = 5_000
"""Of one decision, each as often as it is compared or gone through; where there are more, a person
is asked."""
_PRICE = 20
"""Of a folder that is gone through, and of a path that is told, which is followed and heard; in
names."""
MAX_COMPILED_PATTERNS = 64
"""Different patterns with `?` or `[…]` of one decision; likewise."""
_PLAIN = re.compile(r"[^*?\[]+")
_LONGEST = 1_024
"""Characters of a piece of a pattern; no honest one is longer."""
_PIECE = re.compile(r"\*+|\[[!^]?(?:\[:\w+:\]|.)(?:\[:\w+:\]|[^]])*\]|.", re.DOTALL)


class DirectoryEntry(NamedTuple):
    """What stands in a folder."""

    name: str
    is_link: bool
    can_be_folder: bool


@dataclass(slots=True)
class GlobExpansion:
    """The patterns of one decision; a folder is listed once for all of them."""

    names_left: int = MAX_COMPARED_NAMES
    _listed: dict[str, tuple[DirectoryEntry, ...]] = field(
        default_factory=dict[str, tuple[DirectoryEntry, ...]]
    )
    _matched: dict[tuple[str, str], list[DirectoryEntry]] = field(
        default_factory=dict[tuple[str, str], list[DirectoryEntry]]
    )
    """By folder and piece."""
    _ready: dict[str, Callable[[str], object]] = field(
        default_factory=dict[str, Callable[[str], object]]
    )

    @property
    def problem(self) -> str:
        """Say why more may be named than was found; empty: it may not."""
        return "it may name more files than are looked at" if self.names_left < 0 else ""

    def expand(self, pattern: str, base: str, is_relevant: Callable[[str], bool]) -> Iterator[str]:
        """Find the paths that a pattern may name, as bash does, or more.

        Left out are those of which `matters` says that nothing could be said against them; what
        goes by a link never is.
        """
        pieces = [piece for piece in pattern.split("/") if piece]
        last = max((at for at, piece in enumerate(pieces) if is_glob(piece)), default=-1)
        rest = pieces[last + 1 :]
        begin = "/" if pattern.startswith("/") else base
        for path, is_linked in self._walk(begin, pieces[: last + 1], goes_on=bool(rest)):
            if rest or is_linked or is_relevant(path):
                self.names_left -= _PRICE
                if self.names_left < 0:
                    return
                yield "/".join((path, *rest))

    def _walk(self, folder: str, pieces: list[str], *, goes_on: bool) -> Iterator[tuple[str, bool]]:
        """Follow the pieces; `goes_on`: behind them there are more names, so they are folders."""
        if not pieces:
            yield folder, False
            return
        piece, *rest = pieces
        if not is_glob(piece):
            yield from self._walk(_below(folder, piece), rest, goes_on=goes_on)
            return
        for name in self._matching(folder, piece):
            if name.can_be_folder or not (rest or goes_on):
                for path, is_linked in self._walk(_below(folder, name.name), rest, goes_on=goes_on):
                    yield path, is_linked or name.is_link

    def _matching(self, folder: str, piece: str) -> list[DirectoryEntry]:
        matching = self._matched.get((folder, piece))
        if matching is None:
            matching = self._matched[folder, piece] = self._compared(folder, piece)
        self.names_left -= len(matching) + _PRICE
        return matching if self.names_left >= 0 else []

    def _compared(self, folder: str, piece: str) -> list[DirectoryEntry]:
        names = self._names(folder)
        self.names_left -= len(names)
        if self.names_left < 0:
            return []
        begins = _PLAIN.match(piece)
        beginning = begins.group() if begins else ""
        hidden = piece.startswith((".", "["))
        found = [
            each
            for each in names
            if each.name.startswith(beginning) and (hidden or not each.name.startswith("."))
        ]
        matched = self._matcher(piece) if found else bool
        return [each for each in found if matched(each.name)]

    def _matcher(self, piece: str) -> Callable[[str], object]:
        """Make a piece ready; those with more than stars, which take longer, only so many."""
        if _PLAIN.fullmatch(piece.replace("*", "")):
            return compile_pattern(piece)
        if len(piece) > _LONGEST or len({*self._ready, piece}) > MAX_COMPILED_PATTERNS:
            self.names_left = -1
            return bool
        ready = self._ready.get(piece)
        if ready is None:
            ready = self._ready[piece] = _made(piece)
        return ready

    def _names(self, folder: str) -> tuple[DirectoryEntry, ...]:
        found = self._listed.get(folder)
        if found is None:
            found = self._listed[folder] = _listing(folder, self.names_left)
        return found


def _below(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def is_glob(text: str) -> bool:
    """Whether bash may take it for the names of other files."""
    bracket = text.find("[")
    return "*" in text or "?" in text or (bracket >= 0 and "]" in text[bracket:])


def _listing(folder: str, most: int) -> tuple[DirectoryEntry, ...]:
    try:
        with os.scandir(folder) as entries:
            found = map(_name, entries)
            return tuple(name for name, _ in zip(found, range(most + 1), strict=False))
    except (OSError, ValueError):
        # What cannot be listed here bash cannot list either.
        return ()


def _name(entry: os.DirEntry[str]) -> DirectoryEntry:
    is_link = entry.is_symlink()
    return DirectoryEntry(entry.name, is_link, is_link or entry.is_dir(follow_symlinks=False))


def _made(pattern: str) -> Callable[[str], object]:
    """Match from the left, never more than once over the name; a bracket is any character."""
    between = [""]
    for piece in _PIECE.findall(pattern):
        if piece[0] == "*":
            between.append("")
        else:
            between[-1] += "." if piece == "?" or len(piece) > 1 else re.escape(piece)
    first, *rest = between
    middle = "".join(f"(?>.*?{each})" for each in rest[:-1])
    last = "".join(f".*{each}" for each in rest[-1:])
    return re.compile(first + middle + last, re.DOTALL).fullmatch
