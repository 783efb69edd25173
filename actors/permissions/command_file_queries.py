"""Lists queries for the files that a tool call names, for each part in its own directories."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actors.bash.parse import ParsedCommand, TrackedReads, Word
from actors.paths.resolve import PathResolver
from actors.permissions.accessed_files import FileQuery
from actors.permissions.call_analysis import AnalyzedRequest
from actors.permissions.glob_expansion import is_glob
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rule_matching import PATH_CATEGORIES
from actors.permissions.working_directory import PlacedPart, WorkingDirectories, place_parts
from messages.policy import ToolCategory

_EXPLICITLY_RELATIVE = ("./", "../")
"""Paths with these prefixes are relative to the directory that a program runs in."""
_REVISION = re.compile(r"[:^]|@\{|\.\.")


class QueriedPart(NamedTuple):
    """A part of a command, with the queries for the files that it names."""

    placed: PlacedPart
    command_text: str
    """The whole command."""
    has_moved: bool
    """It runs, or may run, in another directory than the command starts in."""
    written: dict[int, list[str]]
    """By the identity of each part of the command that may create files: the absolute paths that it
    names as files that it writes."""
    others_change: bool
    """Another part of the command, which may run before it, may create files."""
    others_write: bool
    """Another part names files that it writes."""
    reads: tuple[FileQuery, ...]
    """What it may read; a second query is relative to the root."""
    opened: tuple[FileQuery, ...]
    """What it certainly opens."""
    writes: tuple[FileQuery, ...]
    redirects: tuple[FileQuery, ...]

    def list_written_by_others(self) -> list[str]:
        """List the absolute paths that other parts name as files that they write."""
        own = id(self.placed.part)
        return [path for part, paths in self.written.items() if part != own for path in paths]


class QueriedRequest(NamedTuple):
    """A request of a tool, with the queries for the files that it names."""

    analyzed: AnalyzedRequest
    category: ToolCategory
    files: tuple[FileQuery, ...] = ()
    """For a tool whose target is a path."""
    parts: tuple[QueriedPart, ...] = ()
    """For a command."""


def build_queries(
    analyzed_requests: Iterable[AnalyzedRequest], resolver: PathResolver, rule_index: RuleIndex
) -> tuple[list[QueriedRequest], list[FileQuery]]:
    """Return the requests with their queries, and all queries.

    The order of the queries matters if a limit is reached.
    """
    requests = [_build_request(analyzed, resolver, rule_index) for analyzed in analyzed_requests]
    queries: list[FileQuery] = []
    for request in requests:
        queries += request.files
        for part in request.parts:
            queries += (*part.reads, *part.writes, *part.opened, *part.redirects)
    return requests, queries


def _build_request(
    analyzed: AnalyzedRequest, resolver: PathResolver, rule_index: RuleIndex
) -> QueriedRequest:
    """Add the queries to a request. A change is also a read: its diff shows the file."""
    permission, target = analyzed.request.permission, analyzed.request.target
    category = rule_index.categories.get(permission, "external")
    if analyzed.is_too_long:
        return QueriedRequest(analyzed, category)
    if analyzed.command is not None:
        return QueriedRequest(
            analyzed, category, parts=_build_parts(analyzed.command, target, resolver)
        )
    if category not in PATH_CATEGORIES:
        return QueriedRequest(analyzed, category)
    permissions = (permission, "read") if category == "change" else (permission,)
    root = (resolver.workspace_paths.root,)
    files = [FileQuery(name, (Word(target),), root) for name in permissions]
    return QueriedRequest(analyzed, category, files=tuple(files))


def _build_parts(
    command: ParsedCommand, command_text: str, resolver: PathResolver
) -> tuple[QueriedPart, ...]:
    placed_parts = place_parts(command, resolver)
    written: dict[int, list[str]] = {}
    for placed in placed_parts:
        if not placed.is_nested and _adds_files(placed):
            written.setdefault(id(placed.part), []).extend(_list_written(placed))
    path_count = sum(map(len, written.values()))
    return tuple(
        [
            _build_part(placed, command_text, resolver, written, path_count)
            for placed in placed_parts
        ]
    )


def _adds_files(placed: PlacedPart) -> bool:
    redirects = placed.part.redirects
    return placed.part.may_add_files or any(file.permission == "write" for file in redirects)


def _list_written(placed: PlacedPart) -> list[str]:
    """List the paths that a part names as files that it writes; git writes in its repository."""
    part, where, _ = placed
    words = () if part.finds_repository else part.written_paths
    targets = [*words, *(file.word for file in part.redirects if file.permission == "write")]
    return [
        os.path.normpath(os.path.join(folder, word.text.removesuffix("/*")))  # noqa: PTH118  (text)
        for word in targets
        for folder in where.directories
    ]


def _build_part(
    placed: PlacedPart,
    command_text: str,
    resolver: PathResolver,
    written: dict[int, list[str]],
    written_path_count: int,
) -> QueriedPart:
    part, directories = placed.part, placed.where.directories
    words = part.possible_read_paths
    has_moved = placed.where != WorkingDirectories((resolver.workspace_paths.cwd,))
    # Without an operand, `ls` or `rg` reads the directory that it runs in.
    if not words and part.read_only and (part.read_depth or has_moved):
        words = (Word("."),)
    reads: list[FileQuery] = []
    if words:
        reads.append(FileQuery("read", words, directories, part.read_depth, part.name_patterns))
    if has_moved and part.has_root_paths:
        from_root = [word for word in words if not word.text.startswith(_EXPLICITLY_RELATIVE)]
        root = (resolver.workspace_paths.root,)
        reads.append(FileQuery("read", tuple(from_root), root, part.read_depth, part.name_patterns))
    opened = [*reads]
    if part.tracked_reads is not None:
        reads += _list_tracked_queries(placed, part.tracked_reads, resolver)
    if part.opened_files != part.possible_read_paths:
        opened = [FileQuery("read", part.opened_files, directories)]
    written_paths = part.written_paths
    return QueriedPart(
        placed,
        command_text,
        has_moved,
        written,
        len(written) > (id(part) in written),
        written_path_count > len(written.get(id(part), ())),
        tuple(reads),
        tuple(opened),
        writes=(FileQuery("write", written_paths, directories),) if written_paths else (),
        redirects=tuple(
            [FileQuery(file.permission, (file.word,), directories) for file in part.redirects]
        ),
    )


def _list_tracked_queries(
    placed: PlacedPart, tracked: TrackedReads, resolver: PathResolver
) -> Iterator[FileQuery]:
    """Yield the queries for the tracked files that a part prints or copies."""
    directories = placed.where.directories
    if tracked.possible_paths:
        yield FileQuery("read", tracked.possible_paths, directories, "tracked")
    is_limited = any(
        word.text[:1] != ":" and (tracked.are_certain or _is_pathspec(word.text, directories))
        for word in tracked.limits
    )
    if not is_limited and not placed.is_nested:
        root = (resolver.workspace_paths.root,)
        yield FileQuery("read", (Word("."),), root, "tracked", is_implied=True)


def _is_pathspec(text: str, directories: tuple[str, ...]) -> bool:
    """Whether git takes an argument as a path, not as a revision."""
    if is_glob(text):
        return not _REVISION.search(text)
    return all(os.path.lexists(os.path.join(folder, text)) for folder in directories)  # noqa: PTH118  (text)
