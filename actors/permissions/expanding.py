"""From a call as a tool states it to everything that it would do."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from actors.permissions.commands.command import Part, Redirect, Word
from actors.permissions.commands.parse import parse_command
from actors.permissions.folders import folders_of
from actors.permissions.matters import Matter, Weight
from actors.permissions.places import Explorer, Ground, Place, is_inside
from actors.permissions.protected import is_plan, is_protected
from actors.permissions.rules import CHANGING, LOOKING, PATHS, TOUCHING_NOTHING
from messages.rules import PermissionRequest

MAX_CHARS = 200_000
"""Of one target; a longer one is not looked into and asks."""


def expand(
    requests: Iterable[PermissionRequest], ground: Ground, protected: tuple[str, ...] | None = ()
) -> tuple[Matter, ...]:
    """Find all that a call would do; `protected` as in `Policy`."""
    looking = Looking(Explorer(ground), protected or ())
    return tuple(matter for request in requests for matter in looking.at(request))


@dataclass(frozen=True, slots=True)
class Looking:
    """One decision's look at the world."""

    explorer: Explorer
    protected: tuple[str, ...]

    def at(self, request: PermissionRequest) -> Iterator[Matter]:
        """Find what one request comes to."""
        if len(request.target) > MAX_CHARS:
            yield replace(_plain(request), floor=f"it is longer than {MAX_CHARS:,} characters")
        elif request.permission == "bash":
            yield from self._command(request)
        elif request.permission in PATHS:
            yield from self._file_call(request)
        else:
            yield _plain(request)

    # Files.

    def _file_call(self, request: PermissionRequest) -> Iterator[Matter]:
        """A change looks into the file too, so rules on reading it may tighten."""
        tool = request.permission
        yield self._file(tool, tool, request.target)
        if tool in CHANGING:
            yield self._file("read", tool, request.target, weight="tightens")

    def _file(
        self, permission: str, tool: str, path: str, *, base: str = "", weight: Weight = "full"
    ) -> Matter:
        explorer = self.explorer
        place = explorer.follow(path, base or explorer.ground.root)
        target = explorer.target(place.path)
        spellings = tuple(explorer.target(each) for each in place.spellings)
        also = (*spellings, *((place.path,) if place.path != target else ()))
        changes = permission in CHANGING
        guarded = self._protected((target, *spellings)) if changes else ""
        return Matter(
            request=PermissionRequest(permission=permission, target=target if path else ""),
            tool=tool,
            weight=weight,
            also=also,
            folded=place.folds,
            inside=is_inside(target, explorer.ground.added),
            floor=_uncertain(path, place),
            protected=guarded,
            plan_file=changes and is_plan(target),
            reading=permission in LOOKING,
            unknown=bool(place.problem),
        )

    def _protected(self, targets: Iterable[str]) -> str:
        for target in targets:
            if is_protected(target, self.protected):
                return f"{target} is protected: only an answer to this very call"
        return ""

    # Commands.

    def _command(self, request: PermissionRequest) -> Iterator[Matter]:
        command = parse_command(request.target)
        why = command.floor or ("" if command.parts else "there is no command in it")
        if why or command.refusal:
            yield replace(_plain(request), floor=why, refusal=command.refusal)
        folders = folders_of(command, self.explorer)
        for part, bases in zip(command.parts, folders, strict=True):
            yield from self._part(part, bases)

    def _part(self, part: Part, bases: tuple[str, ...]) -> Iterator[Matter]:
        reads = tuple(self._words("read", self._looked_at(part, bases), bases))
        writes = tuple(self._words("write", part.writes, bases))
        redirects = tuple(m for each in part.redirects for m in self._redirect(each, bases))
        changing = () if part.harmless else reads
        yield Matter(
            request=PermissionRequest(permission="bash", target=part.text),
            tool="bash",
            also=part.also,
            floor=_floor(part),
            protected=self._protected(_touched((*changing, *writes))),
            reading=part.harmless,
            harmless=_wholly_known(part, reads, bases),
            deep=part.deep,
            trusted_only=part.trusted_only,
        )
        yield from (*reads, *writes, *redirects)
        for inner in part.inner:
            yield from self._inner(inner, bases)

    def _looked_at(self, part: Part, bases: tuple[str, ...]) -> tuple[Word, ...]:
        """List the paths that a part reads; without any, and after a `cd`, where it runs."""
        moved = bases != (self.explorer.ground.cwd,)
        return (Word("."),) if part.harmless and moved and not part.reads else part.reads

    def _inner(self, part: Part, bases: tuple[str, ...]) -> Iterator[Matter]:
        """What stands inside a wrapper can only tighten: denies hold, and protection."""
        for matter in self._part(part, bases):
            yield replace(matter, weight="denies", floor="", harmless=None)

    def _words(
        self, permission: str, words: Iterable[Word], bases: tuple[str, ...]
    ) -> Iterator[Matter]:
        for word in words:
            for path in _paths(word, self.explorer.ground.home):
                for base in bases:
                    yield self._file(permission, "bash", path, base=base, weight="tightens")

    def _redirect(self, redirect: Redirect, bases: tuple[str, ...]) -> Iterator[Matter]:
        paths = tuple(_paths(redirect.word, self.explorer.ground.home))
        known = bool(paths) and bool(bases)
        if not known:
            request = PermissionRequest(permission=redirect.permission, target=redirect.word.text)
            why = f"where {redirect.word.text} leads cannot be told beforehand"
            yield Matter(request=request, tool="bash", floor=why, unknown=True, inside=False)
        for path in paths:
            for base in bases or (self.explorer.ground.cwd,):
                matter = self._file(redirect.permission, "bash", path, base=base)
                # Where no rule speaks, what is inside may be read by a command that is allowed.
                lenient = matter.reading and matter.inside and not matter.floor
                yield replace(matter, weight="tightens") if lenient else matter


def _plain(request: PermissionRequest) -> Matter:
    reading = request.permission in TOUCHING_NOTHING
    return Matter(request=request, tool=request.permission, reading=reading)


def _uncertain(path: str, place: Place) -> str:
    return f"{path[:200]!r}: {place.problem}" if place.problem else ""


def _floor(part: Part) -> str:
    if part.floor:
        return part.floor
    return f"{part.words[0].text} is a path: no rule covers it" if part.path_spelling else ""


def _touched(files: Iterable[Matter]) -> Iterator[str]:
    for each in files:
        yield each.request.target
        yield from each.also


def _wholly_known(
    part: Part, reads: tuple[Matter, ...], bases: tuple[str, ...]
) -> tuple[Matter, ...] | None:
    """List what a harmless command reads; None: it is not harmless, or what it reads is unknown."""
    if not part.harmless or not bases or not all(word.literal for word in part.reads):
        return None
    return tuple(replace(each, weight="full") for each in reads)


def _paths(word: Word, home: str) -> Iterator[str]:
    """Write out what a word names, as far as it can be told."""
    if word.literal:
        yield word.text
    elif word.home:
        yield os.path.join(home, word.text[1:].lstrip("/"))  # noqa: PTH118  (text, not a file)
