"""The files that one call would touch: each is looked at once, and told as far as it is heard."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from actors.permissions.matters import Access, RuleScope
from actors.permissions.places import PathResolver, ResolvedPath, is_inside
from actors.permissions.protected import is_plan
from actors.permissions.rulebook import RuleIndex
from actors.permissions.rules import CHANGING, LOOKING

_Named = tuple[str, str, str]
"""What is done to a path: permission, path, and the folder it counts from."""


@dataclass(slots=True, eq=False)
class FileAccess:
    """What a call does to one path, as it was found."""

    permission: str
    place: ResolvedPath
    target: str
    texts: tuple[str, ...]
    """The target and its other spellings: what rules see that ask or deny."""
    problem: str
    """Why it may be another file when it is used; empty: it is certain."""
    told: RuleScope | None = None
    """The most that was told of it as an argument of a command."""
    guarded: str | None = None
    """Why a change of it needs an answer to this very call; None: nobody asked yet."""


@dataclass(slots=True)
class FileAccesses:
    """One decision's files: each is looked at once, however often it comes up."""

    explorer: PathResolver
    book: RuleIndex
    _found: dict[_Named, FileAccess] = field(default_factory=dict[_Named, FileAccess])
    _guarded: dict[str, str] = field(default_factory=dict[str, str])
    """By path its target, if that is protected; else nothing. Links and permissions share paths."""

    def at(self, permission: str, path: str, base: str) -> FileAccess:
        """Look at a path that counts from the resolved folder `base`."""
        named = (permission, path, base)
        file = self._found.get(named)
        if file is None:
            file = self._found[named] = self._look(permission, path, base)
        return file

    def _look(self, permission: str, path: str, base: str) -> FileAccess:
        place = self.explorer.follow(path, base)
        target = self.explorer.target(place.path)
        texts = (target,) if target == place.path else (target, place.path)
        if place.spellings:
            texts = (target, *map(self.explorer.target, place.spellings), *texts[1:])
        problem = f"{path[:200]!r}: {place.problem}" if place.problem else ""
        return FileAccess(permission, place, target, texts, problem)

    def matter(self, file: FileAccess, tool: str, weight: RuleScope) -> Access:
        """Make it something to be decided; where only a deny counts, a doubt counts nothing."""
        changes = file.permission in CHANGING
        return Access(
            file.permission,
            file.target,
            tool,
            weight,
            also=file.texts[1:],
            folded=file.place.folds,
            inside=self.is_inside(file),
            floor="" if weight == "denies" else file.problem,
            protected=self.guarded(file) if changes else "",
            plan_file=changes and is_plan(file.target),
            reading=file.permission in LOOKING,
            unknown=bool(file.problem),
        )

    def is_inside(self, file: FileAccess) -> bool:
        """Whether it is in the workspace or an added folder."""
        return is_inside(file.target, self.explorer.ground.added)

    def may_be_heard(self, file: FileAccess, weight: RuleScope) -> bool:
        """Whether anything could be said against it that counts for this weight."""
        if file.problem and weight != "denies":
            return True
        if file.permission in CHANGING and self.guarded(file):
            return True
        return not self.book.is_silent(file.permission, weight, file.texts)

    def first_guarded(self, files: Iterable[FileAccess]) -> str:
        """Say why a change of these needs an answer to this very call; empty: no reason."""
        for file in files:
            if self.guarded(file):
                return self.guarded(file)
        return ""

    def guarded(self, file: FileAccess) -> str:
        """Say it of one."""
        if file.guarded is None:
            file.guarded = self._guard(file.place)
        return file.guarded

    def _guard(self, place: ResolvedPath) -> str:
        for each in (place.path, *place.spellings):
            guarded = self._guarded.get(each)
            if guarded is None:
                target = self.explorer.target(each)
                held = self.book.protection.holds(target)
                guarded = self._guarded[each] = target if held else ""
            if guarded:
                return f"{guarded} is protected: only an answer to this very call"
        return ""
