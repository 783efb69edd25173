"""Finds the workspace: the git repository around the start folder, if the user owns it."""

import os
from pathlib import Path

from actors.paths.workspace import Workspace
from shell.startup.errors import StartError
from shell.text.sanitize import replace_invalid_utf8

_GITDIR_PREFIX = "gitdir:"
_MAX_POINTER_BYTES = 4_096


def find_workspace(start_folder: Path, added: tuple[Path, ...] = ()) -> Workspace:
    """Return the workspace: the git top level that contains `start_folder`, else `start_folder`.

    `added` are real, absolute paths; those inside the workspace root are dropped.

    Like git, this ignores repositories of other users. Otherwise a user who can write to a parent
    folder could widen what the agent may read and write.
    """
    cwd = Path(os.path.realpath(start_folder))
    for folder in (cwd, *cwd.parents):
        if _is_repository(folder / ".git"):
            is_own = _is_owned_by_user(folder) and _is_owned_by_user(folder / ".git")
            return _make_workspace(folder if is_own else cwd, cwd, added)
    return _make_workspace(cwd, cwd, added)


def resolve_added_folders(paths: tuple[str, ...], start_folder: Path) -> tuple[Path, ...]:
    """Resolve the values of `--add-dir`.

    Raises:
        StartError: one does not exist, is not a directory, or cannot be entered.
    """
    return tuple(_resolve_folder(path, start_folder) for path in paths)


def get_current_folder() -> Path:
    """Return the current directory.

    Raises:
        StartError: it no longer exists, or its name is not UTF-8.
    """
    try:
        folder = Path.cwd()
    except OSError as error:
        message = f"cannot use the current directory: {error.strerror}"
        raise StartError(message) from error
    if replace_invalid_utf8(str(folder)) != str(folder):
        message = f"the name of the current directory is not UTF-8: {os.fsencode(folder)!r}"
        raise StartError(message)
    return folder


def find_git_folders(root: Path) -> tuple[Path, ...]:
    """List the folders outside `.git` that git reads hooks and settings from."""
    git_folder = _read_pointer(root / ".git", _GITDIR_PREFIX)
    if git_folder is None:
        return ()
    common_folder = _read_pointer(git_folder / "commondir", "")
    return (git_folder, common_folder) if common_folder else (git_folder,)


def _resolve_folder(path: str, start_folder: Path) -> Path:
    try:
        folder = Path(os.path.realpath(start_folder / Path(path).expanduser(), strict=True))
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"--add-dir {path}: {reason}"
        raise StartError(message) from error
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        reason = "cannot be read" if folder.is_dir() else "is not a directory"
        message = f"--add-dir {path}: {reason}"
        raise StartError(message)
    return folder


def _make_workspace(root: Path, cwd: Path, added: tuple[Path, ...]) -> Workspace:
    outside = dict.fromkeys(folder for folder in added if not folder.is_relative_to(root))
    return Workspace(root=root, cwd=cwd, added_folders=tuple(outside))


def _is_repository(git: Path) -> bool:
    head = git / "HEAD"
    # `Path.is_file` would raise where it may not look.
    return os.path.isfile(head) or _read_pointer(git, _GITDIR_PREFIX) is not None  # noqa: PTH113


def _is_owned_by_user(path: Path) -> bool:
    return path.lstat().st_uid == os.geteuid()


def _read_pointer(file: Path, prefix: str) -> Path | None:
    """Return the folder named by a one-line file, such as `gitdir: ../elsewhere`."""
    if not os.path.isfile(file):  # noqa: PTH113  (as above)
        return None
    try:
        with file.open("rb") as opened:
            line = os.fsdecode(opened.read(_MAX_POINTER_BYTES)).strip()
    except OSError:
        return None
    if not line.startswith(prefix) or "\0" in line:
        return None
    return Path(os.path.realpath(file.parent / line.removeprefix(prefix).strip()))
