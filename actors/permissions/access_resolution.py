"""Second pass of a decision: the accesses of a tool call, with every path resolved.

It finds all files that the call names in one pass of queries, and builds the accesses from the
result.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from actors.bash.parse import UNNAMED_FILES, CommandPart, Word
from actors.paths.program_search import find_project_program
from actors.paths.resolve import PathResolver, is_in_workspace
from actors.permissions.access import Access, RuleScope
from actors.permissions.accessed_files import AccessedFiles, FileAccess, FileQuery, find_files
from actors.permissions.call_analysis import AnalyzedRequest
from actors.permissions.command_file_queries import QueriedPart, QueriedRequest, build_queries
from actors.permissions.foreign_repositories import can_find_foreign_repository
from actors.permissions.partial_words import has_fixed_paths, is_fully_expanded, may_be_replaced
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rule_matching import (
    FILE_READ_CATEGORIES,
    INTERNAL_CATEGORIES,
    OUTSIDE_PERMISSION,
)
from actors.permissions.working_directory import WorkingDirectories
from messages.policy import ToolCategory

_EXPLICITLY_RELATIVE = ("./", "../")
"""Paths with these prefixes are relative to the directory that a program runs in."""
_FOREIGN_REPOSITORY = (
    "git may use a repository other than the workspace's own, whose configuration can run programs"
)
_BUILTINS = frozenset(("cd", "echo", "pwd", "printf", "test", "[", "true", "false", ":", "type"))
"""Read-only commands that bash runs itself, without looking at PATH."""


class ResolvedAccesses(NamedTuple):
    """Everything that a tool call would do."""

    accesses: tuple[Access, ...]
    """The accesses to decide."""
    unmatched_files: tuple[tuple[str, str], ...]
    """Permission and target of the files that no rule can match."""
    changes_nothing: bool
    """Everything in the call is known to only read; False also if that is unclear."""


def resolve_accesses(
    analyzed_requests: Iterable[AnalyzedRequest], resolver: PathResolver, rule_index: RuleIndex
) -> ResolvedAccesses:
    """Find everything that a call would do; the rule index shows what no rule can match."""
    requests, queries = build_queries(analyzed_requests, resolver, rule_index)
    files = find_files(queries, resolver, rule_index)
    builder = _AccessBuilder(resolver, files)
    accesses = [access for request in requests for access in builder.build(request)]
    decidable, others = rule_index.select_decidable(accesses)
    unmatched_files = dict.fromkeys(
        (access.permission, access.target) for access in others if access.category != "command"
    )
    trusted = rule_index.policy.trusted
    changes_nothing = all(_is_known_to_read(access, trusted=trusted) for access in accesses)
    return ResolvedAccesses(tuple(decidable), tuple(unmatched_files), changes_nothing)


@dataclass(slots=True)
class _AccessBuilder:
    """Builds the accesses of one call; each file is added once."""

    resolver: PathResolver
    files: AccessedFiles
    _added_scopes: dict[FileAccess, RuleScope] = field(default_factory=dict[FileAccess, RuleScope])
    """The widest rule scope in which a file was added as an argument of a command."""
    _has_asked_for_uncertain_directory: bool = False
    """One access asks already because the working directory is uncertain."""

    def build(self, request: QueriedRequest) -> Iterator[Access]:
        """Yield everything that one request of a tool would do."""
        analyzed = request.analyzed
        tool = analyzed.request.permission
        is_decided_as_a_whole = bool(analyzed.ask_reason or analyzed.deny_reason)
        if is_decided_as_a_whole or not (analyzed.command or request.files):
            yield _build_plain_access(analyzed, request.category)
        for at, query in enumerate(request.files):
            for file in self.files.by_query[query].files:
                yield _build_file_access(file, tool, "ask_or_deny" if at else "all")
        for part in request.parts:
            yield from self._build_part(part)

    def _build_part(self, part: QueriedPart) -> Iterator[Access]:
        """Yield what a part does.

        A part nested in another one can only restrict: only deny rules and protection apply to it.
        """
        command_part, where, is_nested = part.placed
        found = [self.files.by_query[query] for query in part.reads if not query.is_implied]
        reads = [file for query in found for file in query.files]
        writes = [file for query in part.writes for file in self.files.by_query[query].files]
        # A part that is not read-only may also change what it reads.
        changed = writes if command_part.read_only else reads + writes
        protection_reason = next(
            (file.protection_reason for file in changed if file.protection_reason), ""
        )
        queries = (self.files.by_query[query] for query in part.reads)
        scan_problem = next((query.scan_problem for query in queries if query.scan_problem), "")
        if part.others_change and command_part.read_depth == "follow_links":
            scan_problem = "it follows links, and another part of the command may create one"
        yield (
            Access(
                "bash",
                command_part.text,
                "bash",
                "command",
                "deny_only",
                command_part.aliases,
                protection_reason=protection_reason,
                changes_nothing=command_part.read_only,
            )
            if is_nested
            else self._build_part_access(part, reads, scan_problem, protection_reason)
        )
        below = [file for query in found for file in query.files_below]
        yield from self._add_files(
            [*reads, *below, *writes], "deny_only" if is_nested else "ask_or_deny"
        )
        yield from self._build_implied_reads(part)
        if not is_nested and (command_part.opened_files or command_part.read_only):
            yield from self._add_opened_files(part)
        for query in part.redirects:
            yield from self._build_redirect(query, part, where, is_nested=is_nested)

    def _build_part_access(
        self, part: QueriedPart, reads: list[FileAccess], scan_problem: str, protection_reason: str
    ) -> Access:
        """Build the access for a part itself, from what was found about its files."""
        command_part, where, _ = part.placed
        problem = (
            self._find_write_problem(part)
            or self._find_repository_problem(part)
            or scan_problem
            or self.files.problem
        )
        ask_reason = _find_ask_reason(command_part) or problem
        is_exact = not ask_reason and self._is_fully_described_by_text(part)
        project_program = self._find_project_program(command_part, where)
        is_read_only = command_part.read_only and not project_program
        return Access(
            "bash",
            command_part.text,
            "bash",
            "command",
            other_spellings=command_part.aliases,
            ask_reason=ask_reason,
            grant_text="" if is_exact else part.command_text,  # elsewhere, this text may do more
            protection_reason=protection_reason,
            changes_nothing=is_read_only,
            required_reads=(
                self._find_required_reads(command_part, reads, where) if is_read_only else None
            ),
            project_program=project_program,
            requires_trust=command_part.requires_trust
            or (command_part.read_only and command_part.finds_repository),
            # A rule that names the program says nothing about such a problem.
            named_prefix="" if problem else self._find_named_prefix(part),
        )

    def _find_named_prefix(self, part: QueriedPart) -> str:
        """Return the words that name the program that a part runs, if they name only that one.

        A path names another program in another directory, or once another part has replaced it.
        """
        prefix = part.placed.part.named_prefix
        paths = [Word(text) for text in prefix.split() if "/" in text]
        if not paths:
            return prefix
        has_moved = part.has_moved and not all(path.text.startswith("/") for path in paths)
        is_fixed = not any(self._may_be_created(path, part) for path in paths)
        return prefix if is_fixed and not has_moved else ""

    def _find_write_problem(self, part: QueriedPart) -> str:
        """Return why it is not known which files a part writes, or nothing.

        What a pattern matches is known, unless another part may create files that match it.
        """
        home = self.resolver.workspace_paths.home
        is_known = has_fixed_paths if part.others_write else is_fully_expanded
        for word in part.placed.part.written_paths:
            if word is UNNAMED_FILES:
                return "it creates files that the command does not name"
            if not (word.is_literal or is_known(word, home)):
                return f"it writes to {word.text}, which cannot be resolved in advance"
        return ""

    def _find_repository_problem(self, part: QueriedPart) -> str:
        """Return why git may use another repository than the workspace's own, or nothing."""
        command_part, where, _ = part.placed
        if not command_part.finds_repository:
            return ""
        root = self.resolver.workspace_paths.root
        may_be_created = where.directories != (root,) and (
            part.others_write
            or (part.others_change and not all(map(os.path.lexists, where.directories)))
        )
        is_own = where.is_certain and not any(
            can_find_foreign_repository(directory, root) for directory in where.directories
        )
        return "" if is_own and not may_be_created else _FOREIGN_REPOSITORY

    def _find_project_program(self, part: CommandPart, where: WorkingDirectories) -> str:
        """Return the project's program that a read-only part would run, or nothing."""
        paths = self.resolver.workspace_paths
        if not paths.search_path or not part.read_only or not part.words:
            return ""
        name = part.words[0].text
        if name in _BUILTINS:
            return ""
        projects = (paths.root, *paths.added_folders)
        return find_project_program(name, paths.search_path, projects, where.directories)

    def _is_fully_described_by_text(self, part: QueriedPart) -> bool:
        """Whether the part's text says it all: no quotes, no other directory, no input."""
        if part.has_moved or "<" in part.command_text:
            return False
        return all(word.is_unquoted and word.is_literal for word in part.placed.part.words)

    def _find_required_reads(
        self, part: CommandPart, reads: list[FileAccess], where: WorkingDirectories
    ) -> tuple[Access, ...] | None:
        """List what a read-only command reads.

        None: the command is not read-only, or its reads cannot be determined.
        """
        if (
            not part.read_only
            or not where.is_certain
            or not all(map(_names_known_files, part.possible_read_paths))
        ):
            return None
        is_plain = all(word.is_literal for word in part.possible_read_paths)
        must_be_inside = part.requires_trust or not is_plain
        if must_be_inside and not all(
            is_in_workspace(self.resolver.to_target(directory)) for directory in where.directories
        ):
            return None
        return tuple([_build_file_access(file, "bash", "ask_or_deny") for file in reads])

    def _add_files(self, files: list[FileAccess], rule_scope: RuleScope) -> Iterator[Access]:
        """Add each file once. An `ask_or_deny` access includes what `deny_only` would."""
        for file in files:
            if self._added_scopes.get(file) not in ("all", "ask_or_deny", rule_scope):
                self._added_scopes[file] = rule_scope
                yield _build_file_access(file, "bash", rule_scope)

    def _build_implied_reads(self, part: QueriedPart) -> Iterator[Access]:
        """Yield the files that the part reads without naming them."""
        for query in (query for query in part.reads if query.is_implied):
            for file in self.files.by_query[query].files_below:
                yield _build_file_access(file, "bash", "ask_or_deny")._replace(is_implied=True)

    def _add_opened_files(self, part: QueriedPart) -> Iterator[Access]:
        """Add the files that the part opens outside the workspace or that cannot be determined.

        A rule that allows the command does not allow these. Files inside the workspace may be read
        by an allowed command unless a rule restricts them.
        """
        command_part, where, _ = part.placed
        home = self.resolver.workspace_paths.home
        for word in command_part.opened_files:
            if not (word.is_literal or is_fully_expanded(word, home)):
                yield _build_unknown_access("read", word)
            elif not (
                where.is_certain
                or self._has_asked_for_uncertain_directory
                or word.text.startswith("/")
            ):
                self._has_asked_for_uncertain_directory = True
                yield _build_unknown_access("read", word)
            elif command_part.words[0].text != "cd" and self._may_be_created(word, part):
                yield _build_created_access(word)
        for file in (each for query in part.opened for each in self.files.by_query[query].files):
            if self._added_scopes.get(file) != "all" and not file.is_in_workspace:
                self._added_scopes[file] = "all"
                yield _build_file_access(file, "bash", "all")

    def _may_be_created(self, word: Word, part: QueriedPart) -> bool:
        """Whether another part may create what a word names, or put something else in its place."""
        if not part.others_change:
            return False
        home = self.resolver.workspace_paths.home
        return may_be_replaced(
            word, part.placed.where.directories, home, part.list_written_by_others()
        )

    def _build_redirect(
        self, query: FileQuery, part: QueriedPart, where: WorkingDirectories, *, is_nested: bool
    ) -> Iterator[Access]:
        home = self.resolver.workspace_paths.home
        for word in query.words:
            if not (where.is_certain and (word.is_literal or has_fixed_paths(word, home))):
                access = _build_unknown_access(query.permission, word)
                yield access.with_deny_rules_only() if is_nested else access
            elif query.permission == "read" and not is_nested and self._may_be_created(word, part):
                yield _build_created_access(word)
        for file in self.files.by_query[query].files:
            # An allowed command may read files in the workspace unless a rule restricts them.
            is_workspace_read = query.permission == "read" and file.is_in_workspace
            scope: RuleScope = "ask_or_deny" if is_workspace_read and not file.problem else "all"
            yield _build_file_access(file, "bash", "deny_only" if is_nested else scope)


def _build_created_access(word: Word) -> Access:
    reason = f"another part of the command may create {word.text}"
    return _build_unknown_access("read", word)._replace(ask_reason=reason)


def _is_known_to_read(access: Access, *, trusted: bool) -> bool:
    """Return whether an access only reads; git does so only in a trusted workspace of its own."""
    is_trusted = not access.requires_trust or (trusted and access.required_reads is not None)
    return access.changes_nothing and is_trusted and not access.ask_reason


def _build_plain_access(analyzed: AnalyzedRequest, category: ToolCategory) -> Access:
    """Build the access for a request as a whole."""
    permission = analyzed.request.permission
    return Access(
        permission,
        analyzed.request.target,
        "bash" if permission == OUTSIDE_PERMISSION else permission,  # no tool has that name
        category,
        ask_reason=analyzed.ask_reason,
        deny_reason=analyzed.deny_reason,
        changes_nothing=category in INTERNAL_CATEGORIES,
    )


def _build_file_access(file: FileAccess, tool: str, rule_scope: RuleScope) -> Access:
    """Build the access to a file. If only deny rules apply, an uncertain path does not ask."""
    return Access(
        file.permission,
        file.target,
        tool,
        file.category,
        rule_scope,
        other_spellings=file.other_spellings,
        is_case_insensitive=file.is_case_insensitive,
        is_in_workspace=file.is_in_workspace,
        ask_reason="" if rule_scope == "deny_only" else file.problem,
        protection_reason=file.protection_reason if file.category == "change" else "",
        changes_nothing=file.category in FILE_READ_CATEGORIES,
        is_target_unknown=bool(file.problem),
    )


def _build_unknown_access(permission: str, word: Word) -> Access:
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


def _names_known_files(word: Word) -> bool:
    """Whether it is known which files a word of a read-only command names.

    The matches of a pattern are known only if a rule restricts them or they are outside the
    workspace. That suffices: a read-only command may read all others.
    """
    return word.is_literal or word.is_plain_pattern


def _find_ask_reason(part: CommandPart) -> str:
    if part.ask_reason:
        return part.ask_reason
    return f"it runs {part.words[0].text} by its path" if part.is_named_by_path else ""
