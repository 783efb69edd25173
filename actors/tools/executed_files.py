"""Finds the files that a command executes, so that an approval is bound to their content."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from actors.bash.parse import CommandPart, has_effect_rule, parse_command
from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.paths.workspace import Workspace
from actors.permissions.working_directory import find_working_directories
from actors.tools.safe_open import READ_FLAGS
from messages.tool_calls import FileDigest

MAX_FILES = 64
MAX_COMMAND_CHARS = 200_000
"""A longer command is not analyzed."""
MAX_HASHED_BYTES = 16 * 1024 * 1024
"""A larger file is identified by inode, size and modification time instead of its content."""
MAX_QUICK_CHECK_CHARS = 500
"""A command up to this length can be parsed on the event loop without a noticeable delay."""
_SHEBANG = b"#!"


def find_executed_files(command: str, workspace: Workspace) -> tuple[FileDigest, ...]:
    """Return the digests of the files that a command executes, including those that are missing.

    These are programs and scripts named by a path, and any file named to a shell, an interpreter or
    a wrapper.
    """
    if len(command) > MAX_COMMAND_CHARS:
        return ()
    parsed = parse_command(command)
    paths = WorkspacePaths(root=str(workspace.root), cwd=str(workspace.cwd))
    locations = find_working_directories(parsed, PathResolver(paths))
    digests: dict[str, FileDigest] = {}
    for part, location in zip(parsed.parts, locations, strict=True):
        for path, is_executed in _iter_candidates(part, location.directories):
            digest = _digest_file(os.path.realpath(path), is_executed=is_executed)
            if digest is not None and len(digests) < MAX_FILES:
                digests[digest.path] = digest
    return tuple(digests.values())


def has_no_file_names(command: str, workspace: Workspace) -> bool:
    """Return True if a quick check shows that the command executes no file; False proves nothing.

    It looks up single names in the working directory only, which is opened to run the command
    anyway. So it cannot block where running would not, and most commands need no thread.
    """
    if len(command) > MAX_QUICK_CHECK_CHARS:
        return False
    candidates = (
        candidate
        for part in parse_command(command).parts
        for candidate in _iter_candidates(part, ("",))
    )
    return all(
        not (is_executed or "/" in name or os.path.lexists(workspace.cwd / name))
        for name, is_executed in candidates
    )


def _iter_candidates(part: CommandPart, directories: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Yield paths that may be files, and whether the command executes any kind of file there."""
    names = [word.text for word in part.words if word.is_literal and not word.text.startswith("-")]
    program = names[0] if names else ""
    is_runner = has_effect_rule(program) and program.rpartition("/")[2] != "git"
    for name in dict.fromkeys(names if "/" in program else names[1:]):
        for directory in directories:
            path = os.path.join(directory, name)  # noqa: PTH118  (text, not a file)
            yield path, is_runner or name == program
    for nested in part.nested_parts:
        yield from _iter_candidates(nested, directories)


def _digest_file(path: str, *, is_executed: bool) -> FileDigest | None:
    """Return the file's digest; None if it is not a regular file or nothing executes it."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return None
        descriptor = os.open(path, READ_FLAGS)
    except (OSError, ValueError):
        return FileDigest(path=path, digest="") if is_executed else None
    try:
        status = os.fstat(descriptor)
        head = os.pread(descriptor, len(_SHEBANG), 0)
        if not (is_executed or status.st_mode & 0o111 or head == _SHEBANG):
            return None
        return FileDigest(path=path, digest=_compute_digest(descriptor, status))
    except OSError:
        return FileDigest(path=path, digest="")
    finally:
        os.close(descriptor)


def _compute_digest(descriptor: int, status: os.stat_result) -> str:
    chunks: Iterable[bytes] = iter(lambda: os.read(descriptor, 1 << 20), b"")
    if status.st_size > MAX_HASHED_BYTES:
        chunks = (repr((status.st_ino, status.st_size, status.st_mtime_ns)).encode(),)
    sha256 = hashlib.sha256()
    for chunk in chunks:
        sha256.update(chunk)
    return sha256.hexdigest()
