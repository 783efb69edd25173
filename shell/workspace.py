"""Where an agent works: the repository around the start folder, if it is the user's own."""

import os
from pathlib import Path

from actors.tools.tool import Workspace

_POINTER = "gitdir:"
_MOST_BYTES = 4_096


def workspace_of(start: Path) -> Workspace:
    """Find the workspace: the git top level that contains `start`, else `start` itself.

    As git has it, a repository of somebody else does not count: whoever can write to a parent
    folder could else widen what the agent may read and write.
    """
    cwd = Path(os.path.realpath(start))
    for folder in (cwd, *cwd.parents):
        if _is_repository(folder / ".git"):
            ours = _is_ours(folder) and _is_ours(folder / ".git")
            return Workspace(root=folder if ours else cwd, cwd=cwd)
    return Workspace(root=cwd, cwd=cwd)


def git_folders(root: Path) -> tuple[Path, ...]:
    """List what git takes hooks and settings from when it does not lie in `.git` itself."""
    elsewhere = _pointed_at(root / ".git", _POINTER)
    if elsewhere is None:
        return ()
    common = _pointed_at(elsewhere / "commondir", "")
    return (elsewhere, common) if common else (elsewhere,)


def _is_repository(git: Path) -> bool:
    head = git / "HEAD"
    return os.path.isfile(head) or _pointed_at(git, _POINTER) is not None  # noqa: PTH113  (see below)


def _is_ours(path: Path) -> bool:
    return path.lstat().st_uid == os.geteuid()


def _pointed_at(file: Path, prefix: str) -> Path | None:
    """Follow a file whose one line names a folder, such as `gitdir: ../elsewhere`."""
    if not os.path.isfile(file):  # noqa: PTH113  (`Path.is_file` raises where it may not look)
        return None
    try:
        with file.open("rb") as opened:
            line = os.fsdecode(opened.read(_MOST_BYTES)).strip()
    except OSError:
        return None
    if not line.startswith(prefix) or "\0" in line:
        return None
    return Path(os.path.realpath(file.parent / line.removeprefix(prefix).strip()))
