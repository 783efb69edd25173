"""From a call as a tool states it to everything that it would do."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from actors.bash.parse import CommandPart, RedirectedFile, Word
from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.permissions.access import Access, RuleScope
from actors.permissions.argument_paths import ArgumentPaths
from actors.permissions.file_access import FileAccess, FileAccesses
from actors.permissions.git_discovery import can_find_foreign_repository
from actors.permissions.partial_words import is_fully_expanded
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rules import (
    FILE_CHANGE_PERMISSIONS,
    FILE_READ_PERMISSIONS,
    INTERNAL_PERMISSIONS,
    PATH_PERMISSIONS,
)
from actors.permissions.working_directory import (
    WorkingDirectories,
    find_part_directories,
    find_working_directories,
)
from messages.policy import PermissionRequest

_RELATIVE = ("./", "../")
"""Written so, a path counts from where a program runs."""
MAX_TARGET_CHARS = 200_000
"""Of one target; a longer one is not looked into and asks."""


class AccessAnalysis(NamedTuple):
    """All that a call would do."""

    accesses: tuple[Access, ...]
    """What is to be decided."""
    unmatched_files: tuple[tuple[str, str], ...]
    """Files that nothing can be said against, each as permission and target."""


def analyze_requests(
    requests: Iterable[PermissionRequest], workspace_paths: WorkspacePaths, rule_index: RuleIndex
) -> AccessAnalysis:
    """Find all that a call would do; by the book, what nobody speaks of is not looked into."""
    looking = AccessAnalyzer(PathResolver(workspace_paths), rule_index)
    for request in requests:
        looking.analyze(request)
    return AccessAnalysis(tuple(looking.accesses), tuple(looking.unmatched_files))


_Running = tuple[int, WorkingDirectories, RuleScope]
"""A part by its identity, where it runs, and what is heard of it."""


@dataclass(slots=True)
class AccessAnalyzer:
    """One decision's look at the world; what comes up again is looked at and told once."""

    resolver: PathResolver
    rule_index: RuleIndex
    accesses: list[Access] = field(default_factory=list[Access])
    """All that was told, in order."""
    unmatched_files: dict[tuple[str, str], None] = field(
        default_factory=dict[tuple[str, str], None]
    )
    """The files beside it, as they were found."""
    _command_text: str = ""
    """The whole of the command that is looked at."""
    _here: WorkingDirectories = field(init=False)
    """Where a command begins."""
    _is_astray: bool = False
    """It was told once that where paths count from is not certain; so the whole asks."""
    _files: FileAccesses = field(init=False)
    _naming: ArgumentPaths = field(init=False)
    _parts: dict[_Running, CommandPart] = field(default_factory=dict[_Running, CommandPart])
    """Parts that were told; kept, so that no other gets the identity of one."""

    def __post_init__(self) -> None:
        """Note where commands begin."""
        self._files = FileAccesses(self.resolver, self.rule_index)
        self._naming = ArgumentPaths(self._files)
        self._here = WorkingDirectories((self.resolver.workspace_paths.cwd,))

    def analyze(self, request: PermissionRequest) -> None:
        """Find what one request comes to."""
        if len(request.target) > MAX_TARGET_CHARS:
            floor = f"it is longer than {MAX_TARGET_CHARS:,} characters"
            self.accesses.append(_plain(request)._replace(ask_reason=floor))
        elif request.permission == "bash":
            self._command(request)
        elif request.permission in PATH_PERMISSIONS:
            self._file_call(request)
        else:
            self.accesses.append(_plain(request))

    # Files.

    def _file_call(self, request: PermissionRequest) -> None:
        """A change looks into the file too, so rules on reading it may tighten."""
        tool, root = request.permission, self.resolver.workspace_paths.root
        file = self._files.look_up(tool, request.target, root)
        self.accesses.append(self._files.build_access(file, tool, "full"))
        if tool in FILE_CHANGE_PERMISSIONS:
            read = self._files.look_up("read", request.target, root)
            self.accesses.append(self._files.build_access(read, tool, "tightens"))

    # Commands.

    def _command(self, request: PermissionRequest) -> None:
        # The grammar and all that is known of commands takes 15 ms: not on the way to the screen.
        from actors.bash.parse import parse_command  # noqa: PLC0415

        command = parse_command(request.target)
        why = command.ask_reason or ("" if command.parts else "there is no command in it")
        if why or command.deny_reason:
            self.accesses.append(
                _plain(request)._replace(ask_reason=why, deny_reason=command.deny_reason)
            )
        self._command_text = request.target
        folders = find_working_directories(command, self.resolver)
        for part, where in zip(command.parts, folders, strict=True):
            self._part(part, where)

    def _part(
        self, part: CommandPart, where: WorkingDirectories, rule_scope: RuleScope = "full"
    ) -> None:
        """Tell what a part does.

        What stands inside a wrapper can only tighten: denies hold (`weight`), and protection.
        """
        running = (id(part), where, rule_scope)
        if running in self._parts:
            return
        self._parts[running] = part
        is_whole = rule_scope == "full"
        reads = self._reads(part, where)
        writes = (
            self._naming.find_files("write", part.written_paths, where)
            if part.written_paths
            else []
        )
        below, too_deep = (
            self._naming.find_files_below(reads, part) if part.read_depth else ([], "")
        )
        # What it reads it may change too, unless it is harmless.
        protected = self._files.find_protection_reason(writes if part.read_only else reads + writes)
        if is_whole:
            harmless = self._wholly_known(part, reads, where)
            self.accesses.append(self._itself(part, where, too_deep, protected, harmless))
        # Most of what stands inside a wrapper nobody speaks of.
        elif protected or not self.rule_index.has_no_possible_match(
            "bash", rule_scope, (part.text, *part.aliases)
        ):
            self.accesses.append(
                Access(
                    "bash", part.text, "bash", rule_scope, part.aliases, protection_reason=protected
                )
            )
        self._tell(reads + below + writes, "tightens" if is_whole else "denies")
        if is_whole and (part.opened_files or part.read_only):
            self._open(part, reads, where)
        for each in part.redirects:
            self._redirect(each, where, rule_scope)
        if part.nested_parts:
            each_where = find_part_directories(part.nested_parts, where, self.resolver)
            for inner, inside in zip(part.nested_parts, each_where, strict=True):
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
            other_spellings=part.aliases,
            ask_reason=floor,
            grant_text="" if not floor and self._says_all(part, where) else self._command_text,
            protection_reason=protected,
            changes_nothing=part.read_only,
            required_reads=harmless,
            requires_trust=part.requires_trust,
        )

    def _says_all(self, part: CommandPart, where: WorkingDirectories) -> bool:
        """Whether its text alone is the part as it stands: no quotes, no folder, no other input."""
        if where != self._here or "<" in self._command_text:
            return False
        return all(word.is_unquoted and word.is_literal for word in part.words)

    def _reads(self, part: CommandPart, where: WorkingDirectories) -> list[FileAccess]:
        """Look at what a part reads."""
        words = self._looked_at(part, where)
        reads = self._naming.find_files("read", words, where)
        if where == self._here or not part.words or part.words[0].text != "git":
            return reads
        # `HEAD:x` counts from the top, wherever git runs.
        from_top = tuple([each for each in words if not each.text.startswith(_RELATIVE)])
        return reads + self._naming.find_files(
            "read", from_top, WorkingDirectories((self.resolver.workspace_paths.root,))
        )

    def _looked_at(self, part: CommandPart, where: WorkingDirectories) -> tuple[Word, ...]:
        """List the paths that a part reads; without any, and after a `cd`, where it runs."""
        if part.possible_read_paths or not part.read_only:
            return part.possible_read_paths
        here = bool(part.read_depth) or where != self._here
        return (Word("."),) if here else ()

    def _tell(self, files: list[FileAccess], rule_scope: RuleScope) -> None:
        """Tell each file once; what tightens denies too."""
        for file in files:
            if file.reported not in ("full", "tightens", rule_scope):
                file.reported = rule_scope
                self._add(file, rule_scope)

    def _add(self, file: FileAccess, rule_scope: RuleScope) -> None:
        if rule_scope == "full" or self._files.can_match_rule(file, rule_scope):
            self.accesses.append(self._files.build_access(file, "bash", rule_scope))
        else:
            self.unmatched_files[file.permission, file.target] = None

    def _open(self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories) -> None:
        """Ask for what it reads outside the workspace, or cannot be told, whoever allows the rest.

        Where no rule speaks, what is inside may be read by a command that is allowed.
        """
        for word in part.opened_files:
            if not is_fully_expanded(word, self.resolver.workspace_paths.home):
                self.accesses.append(_unknown("read", word))
            elif not (where.is_certain or self._is_astray or word.text.startswith("/")):
                self._is_astray = True
                self.accesses.append(_unknown("read", word))
        is_same = part.opened_files == part.possible_read_paths
        for file in reads if is_same else self._naming.find_files("read", part.opened_files, where):
            if file.reported != "full" and not self._files.is_in_workspace(file):
                file.reported = "full"
                self._add(file, "full")

    def _wholly_known(
        self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories
    ) -> tuple[Access, ...] | None:
        """List what a harmless command reads.

        None: it is not harmless, or what it reads is unknown, or whose settings git would take.
        """
        if (
            not part.read_only
            or not where.is_certain
            or not all(word.is_literal for word in part.possible_read_paths)
        ):
            return None
        if part.requires_trust and any(
            can_find_foreign_repository(each, self.resolver) for each in where.directories
        ):
            return None
        return tuple([self._files.build_access(each, "bash", "tightens") for each in reads])

    def _redirect(
        self, redirect: RedirectedFile, where: WorkingDirectories, rule_scope: RuleScope
    ) -> None:
        word, is_whole = redirect.word, rule_scope == "full"
        if not (where.is_certain and self._naming.has_fixed_paths(word)):
            matter = _unknown(redirect.permission, word)
            self.accesses.append(matter if is_whole else matter.with_deny_rules_only())
        for file in self._naming.find_files(redirect.permission, (word,), where):
            # Where no rule speaks, what is inside may be read by a command that is allowed.
            is_lenient = redirect.permission == "read" and self._files.is_in_workspace(file)
            lenient: RuleScope = "tightens" if is_lenient and not file.problem else "full"
            self._add(file, lenient if is_whole else rule_scope)


def _unknown(permission: str, word: Word) -> Access:
    why = f"where {word.text} leads cannot be told beforehand"
    matter = Access(
        permission, word.text, "bash", ask_reason=why, is_target_unknown=True, is_in_workspace=False
    )
    return matter._replace(changes_nothing=permission in FILE_READ_PERMISSIONS)


def _plain(request: PermissionRequest) -> Access:
    reading = request.permission in INTERNAL_PERMISSIONS
    return Access(request.permission, request.target, request.permission, changes_nothing=reading)


def _floor(part: CommandPart) -> str:
    if part.ask_reason:
        return part.ask_reason
    return f"{part.words[0].text} is a path: no rule covers it" if part.is_named_by_path else ""
