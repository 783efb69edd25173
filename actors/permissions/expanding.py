"""From a call as a tool states it to everything that it would do.

Long because its parts share what was seen of the world: each thing is looked at once.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from actors.permissions.commands.command import Depth, Part, Redirect, Word
from actors.permissions.depths import Depths
from actors.permissions.files import File, Files
from actors.permissions.folders import Where, folders_inside, folders_of
from actors.permissions.guesses import is_told, paths_in
from actors.permissions.matters import Matter, Weight
from actors.permissions.patterns import Patterns
from actors.permissions.places import Explorer, Ground
from actors.permissions.repositories import is_strange
from actors.permissions.rulebook import Rulebook
from actors.permissions.rules import CHANGING, LOOKING, PATHS, TOUCHING_NOTHING
from messages.rules import PermissionRequest

_RELATIVE = ("./", "../")
"""Written so, a path counts from where a program runs."""
MAX_CHARS = 200_000
"""Of one target; a longer one is not looked into and asks."""


class Found(NamedTuple):
    """All that a call would do."""

    matters: tuple[Matter, ...]
    """What is to be decided."""
    unheard: tuple[tuple[str, str], ...]
    """Files that nothing can be said against, each as permission and target."""


def expand(requests: Iterable[PermissionRequest], ground: Ground, book: Rulebook) -> Found:
    """Find all that a call would do; by the book, what nobody speaks of is not looked into."""
    looking = Looking(Explorer(ground), book)
    for request in requests:
        looking.at(request)
    return Found(tuple(looking.found), tuple(looking.unheard))


_Running = tuple[int, Where, Weight]
"""A part by its identity, where it runs, and what is heard of it."""
_Named = tuple[str, str]
"""A path, and the folder that it counts from."""
_Deep = tuple[str, Depth, tuple[str, ...]]
"""A folder, how deep it is read, and which names there."""
_Below = tuple[list[File], str]
"""What rules may speak of below it, and why there may be more."""


@dataclass(slots=True)
class Looking:
    """One decision's look at the world; what comes up again is looked at and told once."""

    explorer: Explorer
    book: Rulebook
    found: list[Matter] = field(default_factory=list[Matter])
    """All that was told, in order."""
    unheard: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    """The files beside it, as they were found."""
    _command_text: str = ""
    """The whole of the command that is looked at."""
    _here: Where = field(init=False)
    """Where a command begins."""
    _is_astray: bool = False
    """It was told once that where paths count from is not certain; so the whole asks."""
    _depths: Depths = field(default_factory=Depths)
    _named_known: dict[tuple[str, Word, Where], dict[_Named, None]] = field(
        default_factory=dict[tuple[str, Word, Where], dict[_Named, None]]
    )
    _mattering: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])
    """By permission and path whether anything can be said against a file."""
    _below_known: dict[_Deep, _Below] = field(default_factory=dict[_Deep, _Below])
    _patterns: Patterns = field(default_factory=Patterns)
    _files: Files = field(init=False)
    _parts: dict[_Running, Part] = field(default_factory=dict[_Running, Part])
    """Parts that were told; kept, so that no other gets the identity of one."""

    def __post_init__(self) -> None:
        """Note where commands begin."""
        self._files = Files(self.explorer, self.book)
        self._here = Where((self.explorer.ground.cwd,))

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
        tool, root = request.permission, self.explorer.ground.root
        file = self._files.at(tool, request.target, root)
        self.found.append(self._files.matter(file, tool, "full"))
        if tool in CHANGING:
            read = self._files.at("read", request.target, root)
            self.found.append(self._files.matter(read, tool, "tightens"))

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
        is_whole = weight == "full"
        reads, writes = self._reads(part, where), self._words("write", part.writes, where)
        below, too_deep = self._below(reads, part)
        # What it reads it may change too, unless it is harmless.
        protected = self._files.first_guarded(writes if part.harmless else reads + writes)
        if is_whole:
            harmless = self._wholly_known(part, reads, where)
            self.found.append(self._itself(part, where, too_deep, protected, harmless))
        # Most of what stands inside a wrapper nobody speaks of.
        elif protected or not self.book.is_silent("bash", weight, (part.text, *part.also)):
            self.found.append(
                Matter("bash", part.text, "bash", weight, part.also, protected=protected)
            )
        self._tell(reads + below + writes, "tightens" if is_whole else "denies")
        if is_whole and (part.opens or part.harmless):
            self._open(part, reads, where)
        for each in part.redirects:
            self._redirect(each, where, weight)
        if part.inner:
            each_where = folders_inside(part.inner, where, self.explorer)
            for inner, inside in zip(part.inner, each_where, strict=True):
                self._part(inner, inside, "denies")

    def _itself(
        self,
        part: Part,
        where: Where,
        too_deep: str,
        protected: str,
        harmless: tuple[Matter, ...] | None,
    ) -> Matter:
        """Make a part something to be decided, with what was found of its files."""
        floor = _floor(part) or too_deep or self._patterns.problem
        return Matter(
            "bash",
            part.text,
            "bash",
            also=part.also,
            floor=floor,
            exact="" if not floor and self._says_all(part, where) else self._command_text,
            protected=protected,
            reading=part.harmless,
            harmless=harmless,
            trusted_only=part.trusted_only,
        )

    def _says_all(self, part: Part, where: Where) -> bool:
        """Whether its text alone is the part as it stands: no quotes, no folder, no other input."""
        if where != self._here or "<" in self._command_text:
            return False
        return all(word.plain and word.literal for word in part.words)

    def _reads(self, part: Part, where: Where) -> list[File]:
        """Look at what a part reads."""
        words = self._looked_at(part, where)
        reads = self._words("read", words, where)
        if where == self._here or not part.words or part.words[0].text != "git":
            return reads
        # `HEAD:x` counts from the top, wherever git runs.
        from_top = tuple([each for each in words if not each.text.startswith(_RELATIVE)])
        return reads + self._words("read", from_top, Where((self.explorer.ground.root,)))

    def _looked_at(self, part: Part, where: Where) -> tuple[Word, ...]:
        """List the paths that a part reads; without any, and after a `cd`, where it runs."""
        if part.reads or not part.harmless:
            return part.reads
        here = bool(part.deep) or where != self._here
        return (Word("."),) if here else ()

    def _below(self, folders: list[File], part: Part) -> tuple[list[File], str]:
        """List what a rule may speak of below folders that are read as a whole.

        And say why there may be more.
        """
        if not (part.deep and self.book.tightening.get("read")):
            return [], ""
        files: list[File] = []
        problem = ""
        for folder in dict.fromkeys(each.target for each in folders):
            told, why = self._told_below(folder, part.deep, part.only)
            files += told
            problem = problem or why
        return files, problem

    def _told_below(self, folder: str, depth: Depth, only: tuple[str, ...]) -> _Below:
        known = self._below_known.get((folder, depth, only))
        if known is None:
            path = os.path.join(self.explorer.ground.root, folder)  # noqa: PTH118  (text, not a file)
            below = self._depths.below(os.path.normpath(path), depth)
            files = [self._files.at("read", x, "/") for x in below.files if self._is_told(x, only)]
            known = self._below_known[folder, depth, only] = files, below.problem
        return known

    def _is_told(self, path: str, only: tuple[str, ...]) -> bool:
        name = path.rpartition("/")[2]
        if only and not any(fnmatchcase(name, each) for each in only):
            return False
        return self._is_heard("read", path)

    def _is_heard(self, permission: str, path: str) -> bool:
        return self.book.tightens(permission, (self.explorer.target(path), path))

    def _matters(self, permission: str, path: str) -> bool:
        """Whether anything can be said against a file that a pattern names."""
        known = self._mattering.get((permission, path))
        if known is None:
            held = self.book.protection.holds(self.explorer.target(path))
            known = held or self._is_heard(permission, path)
            self._mattering[permission, path] = known
        return known

    def _words(self, permission: str, words: tuple[Word, ...], where: Where) -> list[File]:
        """Look at paths among arguments, at each once."""
        if not words:
            return []
        named: dict[_Named, None] = {}
        for word in words:
            if word.literal:
                for base in _bases(word.text, where):
                    named[word.text, base] = None
            else:
                named.update(self._named(permission, word, where))
        return [self._files.at(permission, path, base) for path, base in named]

    def _named(self, permission: str, word: Word, where: Where) -> dict[_Named, None]:
        """List what a word may name, and from where; of an unknown folder, where it began."""
        named = self._named_known.get((permission, word, where))
        if named is None:
            named = dict.fromkeys(self._matched(permission, word, where))
            self._named_known[permission, word, where] = named
        return named

    def _matched(self, permission: str, word: Word, where: Where) -> Iterator[_Named]:
        for path, is_pattern in paths_in(word, self.explorer.ground.home):
            for base in _bases(path, where):
                if not is_pattern:
                    yield path, base
                    continue
                matters = partial(self._matters, permission)
                if "/" in path or matters(f"{base}/{path}"):
                    yield path, base  # so it is taken where there are no such files
                for matched in self._patterns.matches(path, base, matters):
                    yield matched, "/"

    def _is_known(self, word: Word) -> bool:
        """Whether it names certain files, whatever files there are."""
        if word.literal:
            return True
        named = dict(paths_in(word, self.explorer.ground.home))
        return bool(named) and not any(named.values())

    def _tell(self, files: list[File], weight: Weight) -> None:
        """Tell each file once; what tightens denies too."""
        for file in files:
            if file.told not in ("full", "tightens", weight):
                file.told = weight
                self._add(file, weight)

    def _add(self, file: File, weight: Weight) -> None:
        if weight == "full" or self._files.may_be_heard(file, weight):
            self.found.append(self._files.matter(file, "bash", weight))
        else:
            self.unheard[file.permission, file.target] = None

    def _open(self, part: Part, reads: list[File], where: Where) -> None:
        """Ask for what it reads outside the workspace, or cannot be told, whoever allows the rest.

        Where no rule speaks, what is inside may be read by a command that is allowed.
        """
        for word in part.opens:
            if not is_told(word, self.explorer.ground.home):
                self.found.append(_unknown("read", word))
            elif not (where.certain or self._is_astray or word.text.startswith("/")):
                self._is_astray = True
                self.found.append(_unknown("read", word))
        is_same = part.opens == part.reads
        for file in reads if is_same else self._words("read", part.opens, where):
            if file.told != "full" and not self._files.is_inside(file):
                file.told = "full"
                self._add(file, "full")

    def _wholly_known(
        self, part: Part, reads: list[File], where: Where
    ) -> tuple[Matter, ...] | None:
        """List what a harmless command reads.

        None: it is not harmless, or what it reads is unknown, or whose settings git would take.
        """
        if not part.harmless or not where.certain or not all(word.literal for word in part.reads):
            return None
        if part.trusted_only and any(is_strange(each, self.explorer) for each in where.folders):
            return None
        return tuple([self._files.matter(each, "bash", "tightens") for each in reads])

    def _redirect(self, redirect: Redirect, where: Where, weight: Weight) -> None:
        word, is_whole = redirect.word, weight == "full"
        if not (where.certain and self._is_known(word)):
            matter = _unknown(redirect.permission, word)
            self.found.append(matter if is_whole else matter.denying())
        for file in self._words(redirect.permission, (word,), where):
            # Where no rule speaks, what is inside may be read by a command that is allowed.
            is_lenient = redirect.permission == "read" and self._files.is_inside(file)
            lenient: Weight = "tightens" if is_lenient and not file.problem else "full"
            self._add(file, lenient if is_whole else weight)


def _bases(path: str, where: Where) -> tuple[str, ...]:
    """List the folders that a path may count from."""
    return ("/",) if path.startswith("/") else where.folders


def _unknown(permission: str, word: Word) -> Matter:
    why = f"where {word.text} leads cannot be told beforehand"
    matter = Matter(permission, word.text, "bash", floor=why, unknown=True, inside=False)
    return matter._replace(reading=permission in LOOKING)


def _plain(request: PermissionRequest) -> Matter:
    reading = request.permission in TOUCHING_NOTHING
    return Matter(request.permission, request.target, request.permission, reading=reading)


def _floor(part: Part) -> str:
    if part.floor:
        return part.floor
    return f"{part.words[0].text} is a path: no rule covers it" if part.path_spelling else ""
