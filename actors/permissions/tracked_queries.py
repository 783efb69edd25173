"""Which tracked files a git command prints or copies, as queries."""

import os
import re
from collections.abc import Iterator

from actors.bash.parse import TrackedReads, Word
from actors.paths.resolve import PathResolver
from actors.permissions.accessed_files import FileQuery
from actors.permissions.glob_expansion import is_glob
from actors.permissions.working_directory import PlacedPart

_REVISION = re.compile(r"[:^]|@\{|\.\.")


def list_tracked_queries(
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
