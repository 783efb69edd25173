"""The file system that a sandboxed command sees, as a list of mounts; later ones cover earlier."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from actors.permissions.protected_paths import (
    PROTECTED_FILES,
    PROTECTED_FOLDERS,
    PROTECTED_PROJECT_FOLDERS,
)
from actors.sandbox.git_layout import find_git_layout
from actors.sandbox.secret_files import SECRET_HOME_FILES, SECRET_SYSTEM_FILES
from messages.policy import WorkspaceAccess

TEMPORARY_FOLDER = Path("/tmp")  # noqa: S108  (the mount point, not a file that we create)
EMPTY_FOLDERS = (Path("/run"), Path("/var/tmp"))  # noqa: S108  (as above)
"""Folders of the system that hold sockets and other users' files; a command sees them empty."""
MASKED_FOLDERS = (TEMPORARY_FOLDER, *EMPTY_FOLDERS)
_UNIX_SOCKETS = Path("/proc/net/unix")
_LISTENING = 0x00010000
_FLAGS_FIELD, _PATH_FIELD = 3, 7

MountKind = Literal["read-only", "writable", "empty", "always-empty", "no-file"]
"""always-empty: an empty folder that nothing can be put into · no-file: an empty file."""


@dataclass(frozen=True, slots=True)
class Mount:
    """One mount of a sandbox."""

    kind: MountKind
    path: Path
    source: Path | None = None
    """What is shown at `path`; None: the same path of the machine."""


@dataclass(frozen=True, slots=True)
class SandboxedFolders:
    """The folders that a sandbox is made for; all are absolute, with links resolved."""

    workspace: tuple[Path, ...]
    """The root, then the added folders."""
    home: Path
    temporary: Path
    """Shown as /tmp; lives as long as the session."""
    write: tuple[Path, ...] = ()
    hide: tuple[Path, ...] = ()
    protected: tuple[Path, ...] = ()
    """Files and folders that are protected in addition to the known names."""
    search_path: tuple[Path, ...] = ()
    """Folders of programs, which stay visible."""


@dataclass(slots=True)
class MountPlan:
    """The mounts of one sandbox."""

    mounts: list[Mount] = field(default_factory=list[Mount])
    placeholders: list[Path] = field(default_factory=list[Path])
    """Folders that do not exist, but that the sandbox needs as mount points."""


def plan_mounts(folders: SandboxedFolders, access: WorkspaceAccess) -> MountPlan:
    """List the mounts of a sandbox. Reads the file system and changes nothing."""
    plan = MountPlan()
    mounts = plan.mounts
    mounts += [Mount("empty", path) for path in EMPTY_FOLDERS if path.is_dir()]
    mounts.append(Mount("writable", TEMPORARY_FOLDER, folders.temporary))
    programs = [path for path in folders.search_path if _is_in_any(path, MASKED_FOLDERS)]
    mounts += [Mount("read-only", path) for path in programs if path.is_dir()]
    roots = [root for root in folders.workspace if root.is_dir()]
    # A home folder is never writable as a whole: too much in it is obeyed by other programs.
    writable_roots = [
        root for root in roots if access == "writable" and not folders.home.is_relative_to(root)
    ]
    for root in roots:
        mounts.append(Mount("writable" if root in writable_roots else "read-only", root))
    for root in roots:  # a worktree's repository may be in a folder that is masked
        folders_of_git = find_git_layout(root).writable
        mounts += [Mount("read-only", path) for path in folders_of_git if _is_masked(path, roots)]
    if access == "writable":
        mounts += [Mount("writable", path) for path in folders.write if path.exists()]
        for root in writable_roots:
            _protect_root(plan, root)
        # Commits change the git folder; what must not change in it is already protected.
        writable = [path for root in roots for path in find_git_layout(root).writable]
        others = (path for path in folders.protected if path not in writable)
        mounts += [Mount("read-only", path) for path in others if path.exists()]
    mounts += _hide_secrets(folders, roots)
    mounts += [Mount("no-file", path) for path in _find_sockets((*roots, *programs))]
    return plan


def _protect_root(plan: MountPlan, root: Path) -> None:
    """Make everything read-only that a program outside the sandbox would obey."""
    git = find_git_layout(root)
    names = [name for name in (*PROTECTED_FOLDERS, *PROTECTED_FILES) if name != ".git"]
    existing = [path for name in names if "*" not in name and (path := root / name).exists()]
    missing = [_find_first_missing(root, name) for name in PROTECTED_PROJECT_FOLDERS]
    absent = [*git.absent_folders, *filter(None, missing)]
    read_only = [*git.read_only, *existing]
    # A mount point cannot be renamed. So the folders above a protected path are mounted too, or
    # else another folder could take the place of one of them.
    above = _list_folders_above((*git.writable, *read_only, *absent), root)
    plan.mounts += [Mount("writable", path) for path in sorted({*above, *git.writable})]
    plan.mounts += [Mount("read-only", path) for path in read_only]
    plan.mounts += [Mount("always-empty", path) for path in absent]
    plan.placeholders += absent


def _list_folders_above(paths: Iterable[Path], root: Path) -> set[Path]:
    """Return the folders on the way from the root to the paths, without these."""
    return {
        parent
        for path in paths
        for parent in path.parents
        if parent != root and parent.is_relative_to(root)
    }


def _find_first_missing(root: Path, name: str) -> Path | None:
    """Return the first folder on the way to `name` that does not exist, if any."""
    path = root / name
    way = (*(parent for parent in reversed(path.parents) if parent.is_relative_to(root)), path)
    return next((folder for folder in way if not (folder.is_symlink() or folder.exists())), None)


def _hide_secrets(folders: SandboxedFolders, roots: Sequence[Path]) -> Iterator[Mount]:
    names = (folders.home / name for name in SECRET_HOME_FILES)
    for path in (*names, *map(Path, SECRET_SYSTEM_FILES), *folders.hide):
        real = path.resolve()
        if any(root.is_relative_to(real) for root in roots):
            continue  # the workspace is in it
        if real.is_dir():
            yield Mount("always-empty", real)
        elif real.exists():
            yield Mount("no-file", real)


def _find_sockets(visible: Sequence[Path]) -> list[Path]:
    """Return the sockets that servers listen on and that a command could connect to.

    Neither a read-only mount nor a network namespace stops a connection to one.
    """
    try:
        lines = _UNIX_SOCKETS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    found: dict[Path, None] = {}
    for line in lines[1:]:
        fields = line.split(None, _PATH_FIELD)
        if len(fields) <= _PATH_FIELD or not int(fields[_FLAGS_FIELD], 16) & _LISTENING:
            continue
        path = Path(fields[_PATH_FIELD])
        if path.is_absolute() and not _is_masked(path, visible) and path.exists():
            found[path.resolve()] = None
    return list(found)


def _is_masked(path: Path, visible: Sequence[Path]) -> bool:
    return _is_in_any(path, MASKED_FOLDERS) and not _is_in_any(path, visible)


def _is_in_any(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
