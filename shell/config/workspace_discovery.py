"""Where an agent works: the repository around the start folder, if it is the user's own."""

import os
from pathlib import Path

from actors.paths.workspace import Workspace
from shell.cli.arguments import StartError, replace_invalid_utf8

_POINTER = "gitdir:"
_MOST_BYTES = 4_096


def find_workspace(start_folder: Path, added: tuple[Path, ...] = ()) -> Workspace:
    """Find the workspace: the git top level that contains `start`, else `start` itself.

    `added` are further folders, real and absolute; nothing that lies inside already is kept.

    As git has it, a repository of somebody else does not count: whoever can write to a parent
    folder could else widen what the agent may read and write.
    """
    cwd = Path(os.path.realpath(start_folder))
    for folder in (cwd, *cwd.parents):
        if _is_repository(folder / ".git"):
            ours = _is_ours(folder) and _is_ours(folder / ".git")
            return _with_added(folder if ours else cwd, cwd, added)
    return _with_added(cwd, cwd, added)


def resolve_added_folders(given: tuple[str, ...], start_folder: Path) -> tuple[Path, ...]:
    """Resolve the folders that `--add-dir` names.

    Raises:
        StartError: one is not there, is no folder, or cannot be entered.
    """
    return tuple(_added(each, start_folder) for each in given)


def _added(given: str, start: Path) -> Path:
    try:
        folder = Path(os.path.realpath(start / Path(given).expanduser(), strict=True))
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"--add-dir {given}: {why}"
        raise StartError(message) from error
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        what = "cannot be entered" if folder.is_dir() else "no folder"
        message = f"--add-dir {given}: {what}"
        raise StartError(message)
    return folder


def _with_added(root: Path, cwd: Path, added: tuple[Path, ...]) -> Workspace:
    outside = dict.fromkeys(folder for folder in added if not folder.is_relative_to(root))
    return Workspace(root=root, cwd=cwd, added_folders=tuple(outside))


def get_current_folder() -> Path:
    """Find the folder that the program was started in.

    Raises:
        StartError: it is gone, or its name cannot be told to a model.
    """
    try:
        folder = Path.cwd()
    except OSError as error:
        message = f"the current folder cannot be used: {error.strerror}"
        raise StartError(message) from error
    if replace_invalid_utf8(str(folder)) != str(folder):
        message = f"the current folder's name is not UTF-8: {os.fsencode(folder)!r}"
        raise StartError(message)
    return folder


def find_git_folders(root: Path) -> tuple[Path, ...]:
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
