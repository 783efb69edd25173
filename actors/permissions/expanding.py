"""From a call as a tool states it to everything that it would do.

Long because its parts share what was seen of the world: each thing is looked at once.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial

from actors.permissions.commands.command import Part, Redirect, Word
from actors.permissions.depths import MOST_ENTRIES, look_below
from actors.permissions.folders import Where, folders_inside, folders_of
from actors.permissions.guesses import paths_in
from actors.permissions.matters import Matter, Weight
from actors.permissions.patterns import Patterns
from actors.permissions.places import Explorer, Ground, Place, is_inside
from actors.permissions.protected import is_plan, is_protected
from actors.permissions.rulebook import Rulebook
from actors.permissions.rules import CHANGING, LOOKING, PATHS, TOUCHING_NOTHING
from messages.rules import PermissionRequest

MAX_CHARS = 200_000
"""Of one target; a longer one is not looked into and asks."""


def expand(
    requests: Iterable[PermissionRequest], ground: Ground, book: Rulebook
) -> tuple[Matter, ...]:
    """Find all that a call would do; by the book, what nobody speaks of is not looked into."""
    looking = Looking(Explorer(ground), book.policy.protected or (), book)
    for request in requests:
        looking.at(request)
    return tuple(looking.found)


_Running = tuple[int, Where, Weight]
"""A part by its identity, where it runs, and what is heard of it."""
_File = tuple[str, str, str]
"""What is done to a path: permission, path, and the folder it counts from."""


@dataclass(slots=True)
class Looking:
    """One decision's look at the world; what comes up again is looked at and told once."""

    explorer: Explorer
    protected: tuple[str, ...]
    book: Rulebook
    found: list[Matter] = field(default_factory=list[Matter])
    """All that was told, in order."""
    _command_text: str = ""
    """The whole of the command that is looked at."""
    _entries_left: int = MOST_ENTRIES
    _patterns: Patterns = field(default_factory=Patterns)
    _guarded: dict[str, str] = field(default_factory=dict[str, str])
    """By path its target, if that is protected; else nothing."""
    _files: dict[_File, Matter] = field(default_factory=dict[_File, Matter])
    """Arguments of commands, as matters that tighten."""
    _told: set[tuple[_File, Weight]] = field(default_factory=set[tuple[_File, Weight]])
    _parts: dict[_Running, Part] = field(default_factory=dict[_Running, Part])
    """Parts that were told; kept, so that no other gets the identity of one."""

    def at(self, request: PermissionRequest) -> None:
        """Find what one request comes to."""
        if len(request.target) > MAX_CHARS:
            floor = f"it is longer than {MAX_CHARS:,} characters"
            self.found.append(_plain(request)._replace(floor=floor))
        elif request.permission == "bash":
            self._command(request)
        elif request.permission in PATHS:
            self._file_call(request)
        else:
            self.found.append(_plain(request))

    # Files.

    def _file_call(self, request: PermissionRequest) -> None:
        """A change looks into the file too, so rules on reading it may tighten."""
        tool = request.permission
        self.found.append(self._file(tool, tool, request.target))
        if tool in CHANGING:
            self.found.append(self._file("read", tool, request.target, weight="tightens"))

    def _file(
        self, permission: str, tool: str, path: str, *, base: str = "", weight: Weight = "full"
    ) -> Matter:
        explorer = self.explorer
        place = explorer.follow(path, base or explorer.ground.root)
        target = explorer.target(place.path)
        spellings = tuple(map(explorer.target, place.spellings)) if place.spellings else ()
        also = spellings if place.path == target else (*spellings, place.path)
        changes = permission in CHANGING
        guarded = self._protected(place) if changes else ""
        return Matter(
            request=PermissionRequest(permission=permission, target=target if path else ""),
            tool=tool,
            weight=weight,
            also=also,
            folded=place.folds,
            inside=is_inside(target, explorer.ground.added),
            floor=f"{path[:200]!r}: {place.problem}" if place.problem else "",
            protected=guarded,
            plan_file=changes and is_plan(target),
            reading=permission in LOOKING,
            unknown=bool(place.problem),
        )

    def _touched(self, files: Iterable[_File]) -> str:
        """Say why what a command does to these needs an answer to this very call."""
        explorer = self.explorer
        found = (self._protected(explorer.follow(path, base)) for _, path, base in files)
        return next(filter(None, found), "")

    def _protected(self, place: Place) -> str:
        for each in (place.path, *place.spellings):
            guarded = self._guarded.get(each)
            if guarded is None:
                target = self.explorer.target(each)
                guarded = self._guarded[each] = (
                    target if is_protected(target, self.protected) else ""
                )
            if guarded:
                return f"{guarded} is protected: only an answer to this very call"
        return ""

    # Commands.

    def _command(self, request: PermissionRequest) -> None:
        # The grammar and all that is known of commands takes 15 ms: not on the way to the screen.
        from actors.permissions.commands.parse import parse_command  # noqa: PLC0415

        command = parse_command(request.target)
        why = command.floor or ("" if command.parts else "there is no command in it")
        if why or command.refusal:
            self.found.append(_plain(request)._replace(floor=why, refusal=command.refusal))
        self._command_text = request.target
        folders = folders_of(command, self.explorer)
        for part, where in zip(command.parts, folders, strict=True):
            self._part(part, where)

    def _part(self, part: Part, where: Where, weight: Weight = "full") -> None:
        """Tell what a part does.

        What stands inside a wrapper can only tighten: denies hold (`weight`), and protection.
        """
        running = (id(part), where, weight)
        if running in self._parts:
            return
        self._parts[running] = part
        reads = self._words("read", self._looked_at(part, where), where)
        writes = self._words("write", part.writes, where)
        below, too_deep = (
            self._below(reads, part) if part.deep and self.book.tightening.get("read") else ((), "")
        )
        changed = writes if part.harmless else (*reads, *writes)
        is_whole = weight == "full"
        floor = (_floor(part) or too_deep or self._patterns.problem) if is_whole else ""
        self.found.append(
            Matter(
                request=PermissionRequest(permission="bash", target=part.text),
                tool="bash",
                weight=weight,
                also=part.also,
                floor=floor,
                exact="" if not floor and self._says_all(part, where) else self._command_text,
                protected=self._touched(changed),
                reading=part.harmless,
                harmless=self._wholly_known(part, reads, where) if is_whole else None,
                trusted_only=part.trusted_only,
            )
        )
        self._tell((*reads, *below, *writes), "tightens" if is_whole else "denies")
        for each in part.redirects:
            told = self._redirect(each, where)
            self.found += told if is_whole else [matter.denying() for matter in told]
        if part.inner:
            each_where = folders_inside(part.inner, where, self.explorer)
            for inner, inside in zip(part.inner, each_where, strict=True):
                self._part(inner, inside, "denies")

    def _says_all(self, part: Part, where: Where) -> bool:
        """Whether its text alone is the part as it stands: no quotes, no folder, no other input."""
        is_plain = all(word.plain and word.literal for word in part.words)
        is_here = where == Where((self.explorer.ground.cwd,))
        return is_plain and is_here and "<" not in self._command_text

    def _looked_at(self, part: Part, where: Where) -> tuple[Word, ...]:
        """List the paths that a part reads; without any, and after a `cd`, where it runs."""
        if part.reads or not part.harmless:
            return part.reads
        here = bool(part.deep) or where != Where((self.explorer.ground.cwd,))
        return (Word("."),) if here else ()

    def _below(self, folders: list[_File], part: Part) -> tuple[list[_File], str]:
        """List what a rule may speak of below folders that are read as a whole.

        And say why there may be more.
        """
        found: list[_File] = []
        root, problem = self.explorer.ground.root, ""
        for folder in dict.fromkeys(self._files[each].request.target for each in folders):
            path = os.path.join(root, folder)  # noqa: PTH118  (text, not a file)
            below = look_below(os.path.normpath(path), part.deep, self._entries_left)
            self._entries_left -= below.entries
            found += [("read", each, "/") for each in below.files if self._is_told(each, part.only)]
            problem = problem or below.problem
        self._look_at(found)
        return found, problem

    def _is_told(self, path: str, only: tuple[str, ...]) -> bool:
        name = path.rpartition("/")[2]
        if only and not any(fnmatchcase(name, each) for each in only):
            return False
        return self._is_heard("read", path)

    def _is_heard(self, permission: str, path: str) -> bool:
        return self.book.tightens(permission, (self.explorer.target(path), path))

    def _matters(self, permission: str, path: str) -> bool:
        """Whether anything can be said against a file that a pattern names."""
        target = self.explorer.target(path)
        return is_protected(target, self.protected) or self._is_heard(permission, path)

    def _words(self, permission: str, words: tuple[Word, ...], where: Where) -> list[_File]:
        """Look at paths among arguments."""
        if not words:
            return []
        files: dict[_File, None] = {}
        for word in words:
            if not word.literal:
                files.update(dict.fromkeys(self._named(permission, word, where)))
                continue
            for base in ("/",) if word.text.startswith("/") else where.folders:
                files[permission, word.text, base] = None
        self._look_at(files)
        return list(files)

    def _named(self, permission: str, word: Word, where: Where) -> Iterator[_File]:
        """List what a word may name; where its folder is unknown, from where it began."""
        for path, is_pattern in paths_in(word, self.explorer.ground.home):
            here = ("/",) if path.startswith("/") else where.folders
            for base in here:
                if not is_pattern:
                    yield permission, path, base
                    continue
                matters = partial(self._matters, permission)
                if "/" in path or matters(f"{base}/{path}"):
                    yield permission, path, base  # so it is taken where there are no such files
                for each in self._patterns.matches(path, base, matters):
                    yield permission, each, "/"

    def _look_at(self, files: Iterable[_File]) -> None:
        for file in files:
            if file not in self._files:
                permission, path, base = file
                self._files[file] = self._file(
                    permission, "bash", path, base=base, weight="tightens"
                )

    def _tell(self, files: Iterable[_File], weight: Weight) -> None:
        """Tell each file once; what tightens denies too."""
        for file in files:
            if (file, weight) in self._told or (file, "tightens") in self._told:
                continue
            self._told.add((file, weight))
            matter = self._files[file]
            self.found.append(matter if weight == "tightens" else matter.denying())

    def _wholly_known(
        self, part: Part, reads: list[_File], where: Where
    ) -> tuple[Matter, ...] | None:
        """List what a harmless command reads.

        None: it is not harmless, or what it reads is unknown.
        """
        if not part.harmless or not where.certain or not all(word.literal for word in part.reads):
            return None
        return tuple(self._files[each] for each in reads)

    def _redirect(self, redirect: Redirect, where: Where) -> list[Matter]:
        found: list[Matter] = []
        word = redirect.word
        named = {} if word.literal else dict(paths_in(word, self.explorer.ground.home))
        known = word.literal or (bool(named) and not any(named.values()))
        if not (known and where.certain):
            request = PermissionRequest(permission=redirect.permission, target=word.text)
            why = f"where {word.text} leads cannot be told beforehand"
            found.append(Matter(request, "bash", floor=why, unknown=True, inside=False))
        for permission, path, base in self._named(redirect.permission, word, where):
            matter = self._file(permission, "bash", path, base=base)
            # Where no rule speaks, what is inside may be read by a command that is allowed.
            lenient = matter.reading and matter.inside and not matter.floor
            found.append(matter._replace(weight="tightens") if lenient else matter)
        return found


def _plain(request: PermissionRequest) -> Matter:
    reading = request.permission in TOUCHING_NOTHING
    return Matter(request=request, tool=request.permission, reading=reading)


def _floor(part: Part) -> str:
    if part.floor:
        return part.floor
    return f"{part.words[0].text} is a path: no rule covers it" if part.path_spelling else ""
