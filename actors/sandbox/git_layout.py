"""Where the parts of a repository are that decide which programs git runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_OBEYED_NAMES = ("config", "config.worktree", "commondir", "gitdir")
"""Files that git follows."""
_MAX_POINTER_CHARS = 4_096


@dataclass(frozen=True, slots=True)
class GitLayout:
    """The git folders of a workspace."""

    writable: tuple[Path, ...] = ()
    """Folders that commits change."""
    read_only: tuple[Path, ...] = ()
    """Existing files and folders in them that must not change."""
    absent_folders: tuple[Path, ...] = ()
    """Folders in them that must not come into being."""


def find_git_layout(root: Path) -> GitLayout:
    """Find the git folders of the repository at `root`; empty if there is none."""
    entry = root / ".git"
    if entry.is_symlink():  # it may lead anywhere, so nothing of it is made writable
        return GitLayout(read_only=(entry.resolve(),))
    if entry.is_dir():
        return _describe(entry, entry)
    own = _read_pointer(entry, "gitdir:")
    if own is None:
        return GitLayout()
    layout = _describe(own, _read_pointer(own / "commondir", "") or own)
    return GitLayout(layout.writable, (entry, *layout.read_only), layout.absent_folders)


def _describe(own: Path, common: Path) -> GitLayout:
    """Describe a repository's folder and, for a worktree, the one that it shares with others."""
    read_only: list[Path] = []
    absent: list[Path] = []
    folders = tuple(dict.fromkeys((common, own)))
    for folder in (*folders, *_find_modules(common / "modules")):
        read_only += [folder / name for name in _OBEYED_NAMES if (folder / name).exists()]
        hooks = folder / "hooks"
        (read_only if hooks.is_dir() else absent).append(hooks)
    # Those of other worktrees: they belong to checkouts outside this workspace.
    worktrees = common / "worktrees"
    if worktrees.is_dir():
        read_only += [folder for folder in sorted(worktrees.iterdir()) if folder != own]
    return GitLayout(folders, tuple(read_only), tuple(absent))


def _find_modules(folder: Path) -> Iterator[Path]:
    """Yield the git folders of submodules, also of nested ones."""
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in sorted(folder.iterdir()):
        if (path / "HEAD").is_file():
            yield path
            yield from _find_modules(path / "modules")
        else:  # a submodule's name may contain slashes
            yield from _find_modules(path)


def _read_pointer(file: Path, prefix: str) -> Path | None:
    """Return the folder that a `.git` or `commondir` file names, if it names one."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as text:
            pointer = text.read(_MAX_POINTER_CHARS).removesuffix("\n")
    except OSError:
        return None
    if not pointer.startswith(prefix):
        return None
    folder = file.parent / pointer.removeprefix(prefix).removeprefix(" ")
    return folder.resolve() if folder.is_dir() else None
