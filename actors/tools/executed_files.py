"""The files that a command runs, as far as its text names them: a yes is to their content, too."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from actors.paths.workspace import Workspace
from messages.tool_calls import FileDigest

if TYPE_CHECKING:
    from actors.bash.parse import CommandPart

MAX_FILES = 64
MAX_COMMAND_CHARS = 200_000
"""Of a command; a longer one is not looked into."""
MAX_HASHED_BYTES = 16 * 1024 * 1024
"""Of a larger file it only counts which one it is, how long and how old."""
MAX_QUICK_CHECK_CHARS = 500
"""Of a command that is glanced at: to read it takes no time that others would notice."""
_SCRIPT = b"#!"


def find_executed_files(command: str, workspace: Workspace) -> tuple[FileDigest, ...]:
    """List them as they are now, and those that are named but not there.

    They are the programs and scripts that are named by a path, and whatever is named to a shell,
    an interpreter or a wrapper.
    """
    if len(command) > MAX_COMMAND_CHARS:
        return ()
    # As in the engine: the grammar takes 15 ms, and not on the way to the screen.
    from actors.bash.parse import parse_command  # noqa: PLC0415
    from actors.paths.resolve import PathResolver, WorkspacePaths  # noqa: PLC0415
    from actors.permissions.working_directory import find_working_directories  # noqa: PLC0415

    parsed = parse_command(command)
    ground = WorkspacePaths(root=str(workspace.root), cwd=str(workspace.cwd))
    folders = find_working_directories(parsed, PathResolver(ground))
    found: dict[str, FileDigest] = {}
    for part, where in zip(parsed.parts, folders, strict=True):
        for path, is_run in _named(part, where.directories):
            state = _state(os.path.realpath(path), whatever=is_run)
            if state is not None and len(found) < MAX_FILES:
                found[state.path] = state
    return tuple(found.values())


def has_no_file_names(command: str, workspace: Workspace) -> bool:
    """Whether a glance shows that there is nothing to list; False says nothing.

    It looks for single names in the working folder alone, which is opened to run it anyway: so
    it does not block where that would not, and most commands need no thread.
    """
    if len(command) > MAX_QUICK_CHECK_CHARS:
        return False
    from actors.bash.parse import parse_command  # noqa: PLC0415  (as above)

    named = (each for part in parse_command(command).parts for each in _named(part, ("",)))
    return all(not (is_run or "/" in name or _is_there(workspace, name)) for name, is_run in named)


def _is_there(workspace: Workspace, name: str) -> bool:
    return os.path.lexists(workspace.cwd / name)


def _named(part: "CommandPart", bases: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Write out what may be files; with whether they are run, whatever they look like."""
    from actors.bash.parse import has_effect_rule  # noqa: PLC0415  (as above)

    names = [word.text for word in part.words if word.is_literal and not word.text.startswith("-")]
    first = names[0] if names else ""
    runs = has_effect_rule(first) and first.rpartition("/")[2] != "git"
    for name in dict.fromkeys(names if "/" in first else names[1:]):
        for base in bases:
            yield os.path.join(base, name), runs or name == first  # noqa: PTH118  (text, not a file)
    for inner in part.nested_parts:
        yield from _named(inner, bases)


def _state(path: str, *, whatever: bool) -> FileDigest | None:
    """Say what a file is now; None: it is none, or nothing that runs."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return FileDigest(path=path, digest="") if whatever else None
    try:
        status = os.fstat(descriptor)
        begins = os.pread(descriptor, len(_SCRIPT), 0)
        if not (whatever or status.st_mode & 0o111 or begins == _SCRIPT):
            return None
        return FileDigest(path=path, digest=_digest(descriptor, status))
    except OSError:
        return FileDigest(path=path, digest="")
    finally:
        os.close(descriptor)


def _digest(descriptor: int, status: os.stat_result) -> str:
    content: Iterable[bytes] = iter(lambda: os.read(descriptor, 1 << 20), b"")
    if status.st_size > MAX_HASHED_BYTES:
        content = (repr((status.st_ino, status.st_size, status.st_mtime_ns)).encode(),)
    digest = hashlib.sha256()
    for piece in content:
        digest.update(piece)
    return digest.hexdigest()
