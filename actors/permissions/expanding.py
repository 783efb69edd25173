"""From a call as a tool states it to everything that it would do."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from actors.permissions.commands.command import CommandPart, Redirect, Word
from actors.permissions.files import FileAccess, FileAccesses
from actors.permissions.folders import WorkingDirectories, folders_inside, folders_of
from actors.permissions.guesses import is_told
from actors.permissions.matters import Access, RuleScope
from actors.permissions.naming import Naming
from actors.permissions.places import PathResolver, WorkspacePaths
from actors.permissions.repositories import is_strange
from actors.permissions.rulebook import RuleIndex
from actors.permissions.rules import CHANGING, LOOKING, PATHS, TOUCHING_NOTHING
from messages.rules import PermissionRequest

_RELATIVE = ("./", "../")
"""Written so, a path counts from where a program runs."""
MAX_CHARS = 200_000
"""Of one target; a longer one is not looked into and asks."""


class AccessAnalysis(NamedTuple):
    """All that a call would do."""

    matters: tuple[Access, ...]
    """What is to be decided."""
    unheard: tuple[tuple[str, str], ...]
    """Files that nothing can be said against, each as permission and target."""


def expand(
    requests: Iterable[PermissionRequest], ground: WorkspacePaths, book: RuleIndex
) -> AccessAnalysis:
    """Find all that a call would do; by the book, what nobody speaks of is not looked into."""
    looking = AccessAnalyzer(PathResolver(ground), book)
    for request in requests:
        looking.at(request)
    return AccessAnalysis(tuple(looking.found), tuple(looking.unheard))


_Running = tuple[int, WorkingDirectories, RuleScope]
"""A part by its identity, where it runs, and what is heard of it."""


@dataclass(slots=True)
class AccessAnalyzer:
    """One decision's look at the world; what comes up again is looked at and told once."""

    explorer: PathResolver
    book: RuleIndex
    found: list[Access] = field(default_factory=list[Access])
    """All that was told, in order."""
    unheard: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    """The files beside it, as they were found."""
    _command_text: str = ""
    """The whole of the command that is looked at."""
    _here: WorkingDirectories = field(init=False)
    """Where a command begins."""
    _is_astray: bool = False
    """It was told once that where paths count from is not certain; so the whole asks."""
    _files: FileAccesses = field(init=False)
    _naming: Naming = field(init=False)
    _parts: dict[_Running, CommandPart] = field(default_factory=dict[_Running, CommandPart])
    """Parts that were told; kept, so that no other gets the identity of one."""

    def __post_init__(self) -> None:
        """Note where commands begin."""
        self._files = FileAccesses(self.explorer, self.book)
        self._naming = Naming(self._files)
        self._here = WorkingDirectories((self.explorer.ground.cwd,))

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

    def _part(
        self, part: CommandPart, where: WorkingDirectories, weight: RuleScope = "full"
    ) -> None:
        """Tell what a part does.

        What stands inside a wrapper can only tighten: denies hold (`weight`), and protection.
        """
        running = (id(part), where, weight)
        if running in self._parts:
            return
        self._parts[running] = part
        is_whole = weight == "full"
        reads = self._reads(part, where)
        writes = self._naming.files_of("write", part.writes, where) if part.writes else []
        below, too_deep = self._naming.below(reads, part) if part.deep else ([], "")
        # What it reads it may change too, unless it is harmless.
        protected = self._files.first_guarded(writes if part.harmless else reads + writes)
        if is_whole:
            harmless = self._wholly_known(part, reads, where)
            self.found.append(self._itself(part, where, too_deep, protected, harmless))
        # Most of what stands inside a wrapper nobody speaks of.
        elif protected or not self.book.is_silent("bash", weight, (part.text, *part.also)):
            self.found.append(
                Access("bash", part.text, "bash", weight, part.also, protected=protected)
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
        part: CommandPart,
        where: WorkingDirectories,
        too_deep: str,
        protected: str,
        harmless: tuple[Access, ...] | None,
    ) -> Access:
        """Make a part something to be decided, with what was found of its files."""
        floor = _floor(part) or too_deep or self._naming.problem
        return Access(
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

    def _says_all(self, part: CommandPart, where: WorkingDirectories) -> bool:
        """Whether its text alone is the part as it stands: no quotes, no folder, no other input."""
        if where != self._here or "<" in self._command_text:
            return False
        return all(word.plain and word.literal for word in part.words)

    def _reads(self, part: CommandPart, where: WorkingDirectories) -> list[FileAccess]:
        """Look at what a part reads."""
        words = self._looked_at(part, where)
        reads = self._naming.files_of("read", words, where)
        if where == self._here or not part.words or part.words[0].text != "git":
            return reads
        # `HEAD:x` counts from the top, wherever git runs.
        from_top = tuple([each for each in words if not each.text.startswith(_RELATIVE)])
        return reads + self._naming.files_of(
            "read", from_top, WorkingDirectories((self.explorer.ground.root,))
        )

    def _looked_at(self, part: CommandPart, where: WorkingDirectories) -> tuple[Word, ...]:
        """List the paths that a part reads; without any, and after a `cd`, where it runs."""
        if part.reads or not part.harmless:
            return part.reads
        here = bool(part.deep) or where != self._here
        return (Word("."),) if here else ()

    def _tell(self, files: list[FileAccess], weight: RuleScope) -> None:
        """Tell each file once; what tightens denies too."""
        for file in files:
            if file.told not in ("full", "tightens", weight):
                file.told = weight
                self._add(file, weight)

    def _add(self, file: FileAccess, weight: RuleScope) -> None:
        if weight == "full" or self._files.may_be_heard(file, weight):
            self.found.append(self._files.matter(file, "bash", weight))
        else:
            self.unheard[file.permission, file.target] = None

    def _open(self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories) -> None:
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
        for file in reads if is_same else self._naming.files_of("read", part.opens, where):
            if file.told != "full" and not self._files.is_inside(file):
                file.told = "full"
                self._add(file, "full")

    def _wholly_known(
        self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories
    ) -> tuple[Access, ...] | None:
        """List what a harmless command reads.

        None: it is not harmless, or what it reads is unknown, or whose settings git would take.
        """
        if not part.harmless or not where.certain or not all(word.literal for word in part.reads):
            return None
        if part.trusted_only and any(is_strange(each, self.explorer) for each in where.folders):
            return None
        return tuple([self._files.matter(each, "bash", "tightens") for each in reads])

    def _redirect(self, redirect: Redirect, where: WorkingDirectories, weight: RuleScope) -> None:
        word, is_whole = redirect.word, weight == "full"
        if not (where.certain and self._naming.is_certain(word)):
            matter = _unknown(redirect.permission, word)
            self.found.append(matter if is_whole else matter.denying())
        for file in self._naming.files_of(redirect.permission, (word,), where):
            # Where no rule speaks, what is inside may be read by a command that is allowed.
            is_lenient = redirect.permission == "read" and self._files.is_inside(file)
            lenient: RuleScope = "tightens" if is_lenient and not file.problem else "full"
            self._add(file, lenient if is_whole else weight)


def _unknown(permission: str, word: Word) -> Access:
    why = f"where {word.text} leads cannot be told beforehand"
    matter = Access(permission, word.text, "bash", floor=why, unknown=True, inside=False)
    return matter._replace(reading=permission in LOOKING)


def _plain(request: PermissionRequest) -> Access:
    reading = request.permission in TOUCHING_NOTHING
    return Access(request.permission, request.target, request.permission, reading=reading)


def _floor(part: CommandPart) -> str:
    if part.floor:
        return part.floor
    return f"{part.words[0].text} is a path: no rule covers it" if part.path_spelling else ""
