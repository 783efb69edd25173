"""Second pass of a decision: the accesses of a tool call, with every path resolved."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from actors.bash.parse import CommandPart, ParsedCommand, RedirectedFile, Word
from actors.paths.resolve import PathResolver
from actors.permissions.access import Access, RuleScope
from actors.permissions.accessed_files import FileAccess, FileAccesses
from actors.permissions.argument_paths import ArgumentPaths
from actors.permissions.call_analysis import AnalyzedRequest
from actors.permissions.foreign_repositories import can_find_foreign_repository
from actors.permissions.partial_words import is_fully_expanded
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rule_matching import INTERNAL_CATEGORIES, PATH_CATEGORIES
from actors.permissions.working_directory import (
    WorkingDirectories,
    find_part_directories,
    find_working_directories,
)
from messages.policy import PermissionRequest

_EXPLICITLY_RELATIVE = ("./", "../")
"""Paths with these prefixes are relative to the directory that a program runs in."""


class ResolvedAccesses(NamedTuple):
    """Everything that a tool call would do."""

    accesses: tuple[Access, ...]
    """The accesses to decide."""
    unmatched_files: tuple[tuple[str, str], ...]
    """Permission and target of the files that no rule can match."""


def resolve_accesses(
    analyzed_requests: Iterable[AnalyzedRequest], resolver: PathResolver, rule_index: RuleIndex
) -> ResolvedAccesses:
    """Find everything that a call would do; the rule index shows what no rule can match."""
    access_resolver = _AccessResolver(resolver, rule_index)
    for analyzed in analyzed_requests:
        access_resolver.resolve(analyzed)
    return ResolvedAccesses(tuple(access_resolver.accesses), tuple(access_resolver.unmatched_files))


_ResolvedPart: TypeAlias = tuple[int, WorkingDirectories, RuleScope]
"""The identity of a part, where it runs, and which rules apply."""


@dataclass(slots=True)
class _AccessResolver:
    """Collects the accesses of one call; each file and part is resolved and added once."""

    resolver: PathResolver
    rule_index: RuleIndex
    accesses: list[Access] = field(default_factory=list[Access])
    """Everything found so far, in order."""
    unmatched_files: dict[tuple[str, str], None] = field(
        default_factory=dict[tuple[str, str], None]
    )
    """The files that no rule can match, in order."""
    _command_text: str = ""
    """The whole command that is being resolved."""
    _start: WorkingDirectories = field(init=False)
    """Where commands start."""
    _has_asked_for_uncertain_directory: bool = False
    """One access asks already because the working directory is uncertain."""
    _files: FileAccesses = field(init=False)
    _argument_paths: ArgumentPaths = field(init=False)
    _parts: dict[_ResolvedPart, CommandPart] = field(
        default_factory=dict[_ResolvedPart, CommandPart]
    )
    """Parts resolved so far. Storing them keeps their identities from being reused."""

    def __post_init__(self) -> None:
        """Create the caches of this call."""
        self._files = FileAccesses(self.resolver, self.rule_index)
        self._argument_paths = ArgumentPaths(self._files)
        self._start = WorkingDirectories((self.resolver.workspace_paths.cwd,))

    def resolve(self, analyzed: AnalyzedRequest) -> None:
        """Add everything that one request of a tool would do."""
        request = analyzed.request
        if analyzed.ask_reason or analyzed.deny_reason:
            self.accesses.append(
                self._build_plain_access(request)._replace(
                    ask_reason=analyzed.ask_reason, deny_reason=analyzed.deny_reason
                )
            )
        if analyzed.is_too_long:
            return
        if analyzed.command is not None:
            self._add_command(request.target, analyzed.command)
        elif self.rule_index.get_category(request.permission) in PATH_CATEGORIES:
            self._add_file_tool(request)
        else:
            self.accesses.append(self._build_plain_access(request))

    def _build_plain_access(self, request: PermissionRequest) -> Access:
        category = self.rule_index.get_category(request.permission)
        return Access(
            request.permission,
            request.target,
            request.permission,
            category,
            changes_nothing=category in INTERNAL_CATEGORIES,
        )

    # Files.

    def _add_file_tool(self, request: PermissionRequest) -> None:
        """Add a file access. Rules for reading may restrict a change, as it reveals the file."""
        tool, root = request.permission, self.resolver.workspace_paths.root
        file = self._files.look_up(tool, request.target, root)
        self.accesses.append(self._files.build_access(file, tool, "all"))
        if file.category == "change":
            read = self._files.look_up("read", request.target, root)
            self.accesses.append(self._files.build_access(read, tool, "ask_or_deny"))

    # Commands.

    def _add_command(self, text: str, command: ParsedCommand) -> None:
        self._command_text = text
        directories = find_working_directories(command, self.resolver)
        for part, where in zip(command.parts, directories, strict=True):
            self._add_part(part, where)

    def _add_part(
        self, part: CommandPart, where: WorkingDirectories, rule_scope: RuleScope = "all"
    ) -> None:
        """Add what a part does.

        A part nested in another one can only restrict: only deny rules and protection apply to it.
        """
        key = (id(part), where, rule_scope)
        if key in self._parts:
            return
        self._parts[key] = part
        is_top_level = rule_scope == "all"
        reads = self._find_reads(part, where)
        writes = (
            self._argument_paths.find_files("write", part.written_paths, where)
            if part.written_paths
            else []
        )
        nested_reads, scan_problem = (
            self._argument_paths.find_files_below(reads, part) if part.read_depth else ([], "")
        )
        # A part that is not read-only may also change what it reads.
        protection_reason = self._files.find_protection_reason(
            writes if part.read_only else reads + writes
        )
        if is_top_level:
            required_reads = self._find_required_reads(part, reads, where)
            self.accesses.append(
                self._build_part_access(
                    part, where, scan_problem, protection_reason, required_reads
                )
            )
        # No rule can match most nested parts.
        elif protection_reason or not self.rule_index.has_no_possible_match(
            "bash", rule_scope, (part.text, *part.aliases)
        ):
            self.accesses.append(
                Access(
                    "bash",
                    part.text,
                    "bash",
                    "command",
                    rule_scope,
                    part.aliases,
                    protection_reason=protection_reason,
                )
            )
        self._add_files(
            reads + nested_reads + writes, "ask_or_deny" if is_top_level else "deny_only"
        )
        if is_top_level and (part.opened_files or part.read_only):
            self._add_opened_files(part, reads, where)
        for redirect in part.redirects:
            self._add_redirect(redirect, where, rule_scope)
        if part.nested_parts:
            directories = find_part_directories(part.nested_parts, where, self.resolver)
            for nested, nested_where in zip(part.nested_parts, directories, strict=True):
                self._add_part(nested, nested_where, "deny_only")

    def _build_part_access(
        self,
        part: CommandPart,
        where: WorkingDirectories,
        scan_problem: str,
        protection_reason: str,
        required_reads: tuple[Access, ...] | None,
    ) -> Access:
        """Build the access for the part itself, from what was found about its files."""
        ask_reason = _find_ask_reason(part) or scan_problem or self._argument_paths.problem
        is_exact = not ask_reason and self._is_fully_described_by_text(part, where)
        return Access(
            "bash",
            part.text,
            "bash",
            "command",
            other_spellings=part.aliases,
            ask_reason=ask_reason,
            grant_text="" if is_exact else self._command_text,
            protection_reason=protection_reason,
            changes_nothing=part.read_only,
            required_reads=required_reads,
            requires_trust=part.requires_trust,
        )

    def _is_fully_described_by_text(self, part: CommandPart, where: WorkingDirectories) -> bool:
        """Whether the part's text says it all: no quotes, no other directory, no input."""
        if where != self._start or "<" in self._command_text:
            return False
        return all(word.is_unquoted and word.is_literal for word in part.words)

    def _find_reads(self, part: CommandPart, where: WorkingDirectories) -> list[FileAccess]:
        """Find the files that a part may read."""
        words = self._list_read_paths(part, where)
        reads = self._argument_paths.find_files("read", words, where)
        if where == self._start or not part.has_root_paths:
            return reads
        from_root = tuple(
            [word for word in words if not word.text.startswith(_EXPLICITLY_RELATIVE)]
        )
        return reads + self._argument_paths.find_files(
            "read", from_root, WorkingDirectories((self.resolver.workspace_paths.root,))
        )

    def _list_read_paths(self, part: CommandPart, where: WorkingDirectories) -> tuple[Word, ...]:
        """List the paths that a part may read. After a `cd`, a part without any reads `.`."""
        if part.possible_read_paths or not part.read_only:
            return part.possible_read_paths
        reads_directory = bool(part.read_depth) or where != self._start
        return (Word("."),) if reads_directory else ()

    def _add_files(self, files: list[FileAccess], rule_scope: RuleScope) -> None:
        """Add each file once. An `ask_or_deny` access includes what `deny_only` would."""
        for file in files:
            if file.added_scope not in ("all", "ask_or_deny", rule_scope):
                file.added_scope = rule_scope
                self._add_file(file, rule_scope)

    def _add_file(self, file: FileAccess, rule_scope: RuleScope) -> None:
        if rule_scope == "all" or self._files.can_match_rule(file, rule_scope):
            self.accesses.append(self._files.build_access(file, "bash", rule_scope))
        else:
            self.unmatched_files[file.permission, file.target] = None

    def _add_opened_files(
        self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories
    ) -> None:
        """Add the files that the part opens outside the workspace or that cannot be determined.

        A rule that allows the command does not allow these. Files inside the workspace may be read
        by an allowed command unless a rule restricts them.
        """
        for word in part.opened_files:
            if not is_fully_expanded(word, self.resolver.workspace_paths.home):
                self.accesses.append(_build_unknown_access("read", word))
            elif not (
                where.is_certain
                or self._has_asked_for_uncertain_directory
                or word.text.startswith("/")
            ):
                self._has_asked_for_uncertain_directory = True
                self.accesses.append(_build_unknown_access("read", word))
        if part.opened_files == part.possible_read_paths:
            opened = reads
        else:
            opened = self._argument_paths.find_files("read", part.opened_files, where)
        for file in opened:
            if file.added_scope != "all" and not file.is_in_workspace:
                file.added_scope = "all"
                self._add_file(file, "all")

    def _find_required_reads(
        self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories
    ) -> tuple[Access, ...] | None:
        """List what a read-only command reads.

        None: the command is not read-only, its reads cannot be determined, or git may use the
        configuration of another repository.
        """
        if (
            not part.read_only
            or not where.is_certain
            or not all(word.is_literal for word in part.possible_read_paths)
        ):
            return None
        if part.requires_trust and any(
            can_find_foreign_repository(directory, self.resolver) for directory in where.directories
        ):
            return None
        return tuple([self._files.build_access(file, "bash", "ask_or_deny") for file in reads])

    def _add_redirect(
        self, redirect: RedirectedFile, where: WorkingDirectories, rule_scope: RuleScope
    ) -> None:
        word, is_top_level = redirect.word, rule_scope == "all"
        if not (where.is_certain and self._argument_paths.has_fixed_paths(word)):
            access = _build_unknown_access(redirect.permission, word)
            self.accesses.append(access if is_top_level else access.with_deny_rules_only())
        for file in self._argument_paths.find_files(redirect.permission, (word,), where):
            # An allowed command may read files in the workspace unless a rule restricts them.
            is_workspace_read = redirect.permission == "read" and file.is_in_workspace
            scope: RuleScope = "ask_or_deny" if is_workspace_read and not file.problem else "all"
            self._add_file(file, scope if is_top_level else rule_scope)


def _build_unknown_access(permission: Literal["read", "write"], word: Word) -> Access:
    return Access(
        permission,
        word.text,
        "bash",
        "read" if permission == "read" else "change",
        ask_reason=f"{word.text} cannot be resolved in advance",
        is_target_unknown=True,
        is_in_workspace=False,
        changes_nothing=permission == "read",
    )


def _find_ask_reason(part: CommandPart) -> str:
    if part.ask_reason:
        return part.ask_reason
    return f"it runs {part.words[0].text} by its path" if part.is_named_by_path else ""
