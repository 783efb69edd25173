"""The paths that words with `*`, `?` and `[…]` match at the moment; the search is bounded."""

import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from actors.permissions.rule_matching import compile_pattern

MAX_COMPARED_NAMES = 5_000
"""Per decision, counting a name each time it is compared or its folder is entered; a call that
needs more asks."""
_PATH_COST = 20
"""Cost, in compared names, of entering a folder and of a path that is found: it has to be resolved
and matched against rules."""
MAX_COMPILED_PATTERNS = 64
"""Different patterns with `?` or `[…]` per decision; a call that needs more asks."""
_LITERAL = re.compile(r"[^*?\[]+")
_MAX_SEGMENT_CHARS = 1_024
"""Length of the part of a pattern between two slashes; real ones are shorter."""
_PIECE = re.compile(r"\*+|\[[!^]?(?:\[:\w+:\]|.)(?:\[:\w+:\]|[^]])*\]|.", re.DOTALL)


class DirectoryEntry(NamedTuple):
    """A name in a folder."""

    name: str
    is_link: bool
    can_be_folder: bool


@dataclass(slots=True)
class GlobExpansion:
    """The patterns of one decision; each folder is listed once for all of them."""

    problem: str = ""
    """Why more files may match than were found. Empty: all were found."""
    names_left: int = MAX_COMPARED_NAMES
    _listings: dict[str, tuple[DirectoryEntry, ...]] = field(
        default_factory=dict[str, tuple[DirectoryEntry, ...]]
    )
    _matches: dict[tuple[str, str], list[DirectoryEntry]] = field(
        default_factory=dict[tuple[str, str], list[DirectoryEntry]]
    )
    """By folder and pattern segment."""
    _compiled: dict[str, Callable[[str], object]] = field(
        default_factory=dict[str, Callable[[str], object]]
    )

    def expand(
        self, pattern: str, base: str, select_relevant: Callable[[list[str]], Collection[str]]
    ) -> list[str]:
        """Return at least the paths that bash would expand a pattern to.

        Paths that `select_relevant` does not return are left out, except those that go through a
        link.
        """
        segments = [segment for segment in pattern.split("/") if segment]
        last = max((at for at, segment in enumerate(segments) if is_glob(segment)), default=-1)
        rest = segments[last + 1 :]
        start = "/" if pattern.startswith("/") else base
        max_paths = max(self.names_left, 0) // _PATH_COST
        walked = [*self._walk(start, segments[: last + 1], must_be_folder=bool(rest))]
        relevant = () if rest else select_relevant([path for path, _ in walked])
        paths = [path for path, is_linked in walked if rest or is_linked or path in relevant]
        self.names_left -= _PATH_COST * len(paths)
        if self.names_left < 0:
            self.problem = "its patterns may match more files than can be checked in advance"
        return ["/".join((path, *rest)) for path in paths[:max_paths]]

    def _walk(
        self, folder: str, segments: list[str], *, must_be_folder: bool
    ) -> Iterator[tuple[str, bool]]:
        """Yield the paths that match the segments, and whether each goes through a link."""
        if not segments:
            yield folder, False
            return
        segment, *rest = segments
        if not is_glob(segment):
            yield from self._walk(_join(folder, segment), rest, must_be_folder=must_be_folder)
            return
        for entry in self._match(folder, segment):
            if entry.can_be_folder or not (rest or must_be_folder):
                child = _join(folder, entry.name)
                for path, is_linked in self._walk(child, rest, must_be_folder=must_be_folder):
                    yield path, is_linked or entry.is_link

    def _match(self, folder: str, segment: str) -> list[DirectoryEntry]:
        matches = self._matches.get((folder, segment))
        if matches is None:
            matches = self._matches[folder, segment] = self._compare(folder, segment)
        self.names_left -= len(matches) + _PATH_COST
        return matches if self.names_left >= 0 else []

    def _compare(self, folder: str, segment: str) -> list[DirectoryEntry]:
        entries = self._list(folder)
        self.names_left -= len(entries)
        if self.names_left < 0:
            return []
        literal = _LITERAL.match(segment)
        prefix = literal.group() if literal else ""
        includes_hidden = segment.startswith((".", "["))
        candidates = [
            entry
            for entry in entries
            if entry.name.startswith(prefix) and (includes_hidden or not entry.name.startswith("."))
        ]
        matches = self._compile(segment) if candidates else bool
        return [entry for entry in candidates if matches(entry.name)]

    def _compile(self, segment: str) -> Callable[[str], object]:
        """Return a matcher. Only stars are cheap, so the number of other segments is limited."""
        if _LITERAL.fullmatch(segment.replace("*", "")):
            return compile_pattern(segment)
        is_too_long = len(segment) > _MAX_SEGMENT_CHARS
        if is_too_long or len({*self._compiled, segment}) > MAX_COMPILED_PATTERNS:
            self.names_left = -1  # the caller then reports that some may be missing
            return bool
        matcher = self._compiled.get(segment)
        if matcher is None:
            matcher = self._compiled[segment] = _compile_segment(segment)
        return matcher

    def _list(self, folder: str) -> tuple[DirectoryEntry, ...]:
        entries = self._listings.get(folder)
        if entries is None:
            entries = self._listings[folder] = _list_folder(folder, self.names_left)
        return entries


def _join(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def is_glob(text: str) -> bool:
    """Whether bash may expand a word to the names of other files."""
    bracket = text.find("[")
    return "*" in text or "?" in text or (bracket >= 0 and "]" in text[bracket:])


def _list_folder(folder: str, max_entries: int) -> tuple[DirectoryEntry, ...]:
    """List at most one entry more than allowed, so that the caller sees that there are more."""
    try:
        with os.scandir(folder) as entries:
            found = map(_to_directory_entry, entries)
            return tuple(entry for entry, _ in zip(found, range(max_entries + 1), strict=False))
    except (OSError, ValueError):
        # bash cannot list this folder either.
        return ()


def _to_directory_entry(entry: os.DirEntry[str]) -> DirectoryEntry:
    is_link = entry.is_symlink()
    return DirectoryEntry(entry.name, is_link, is_link or entry.is_dir(follow_symlinks=False))


def _compile_segment(segment: str) -> Callable[[str], object]:
    """Compile to a regex without backtracking across stars; a bracket matches any character."""
    literals = [""]
    for piece in _PIECE.findall(segment):
        if piece[0] == "*":
            literals.append("")
        else:
            literals[-1] += "." if piece == "?" or len(piece) > 1 else re.escape(piece)
    first, *rest = literals
    middle = "".join(f"(?>.*?{literal})" for literal in rest[:-1])
    last = "".join(f".*{literal}" for literal in rest[-1:])
    return re.compile(first + middle + last, re.DOTALL).fullmatch
