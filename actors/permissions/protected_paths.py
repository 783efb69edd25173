"""Files that later grant power to whoever writes them; no rule and no mode opens them.

They are protected by name, so also while they do not exist.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from actors.permissions.rules import fold_case

_FOLDERS = frozenset(
    {
        ".greenroom",
        ".claude",
        ".codex",
        ".cursor",
        ".gemini",
        ".opencode",
        ".qwen",
        ".git",
        ".husky",
        ".vscode",
        ".idea",
        ".zed",
        ".fleet",
        ".devcontainer",
        ".vim",
        ".emacs.d",
    }
)
_FOLDERS_IN = frozenset(
    {(".config", name) for name in ("fish", "git", "greenroom", "nvim")},
)
_FILES = frozenset(
    {
        ".gitmodules",
        ".gitconfig",
        ".mcp.json",
        ".bashrc",
        ".bash_aliases",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".inputrc",
        ".zshrc",
        ".zshenv",
        ".zlogin",
        ".zlogout",
        ".zprofile",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".xprofile",
        ".envrc",
        ".vimrc",
        ".nvimrc",
        ".exrc",
        ".nvim.lua",
        ".emacs",
        ".dir-locals.el",
        ".devcontainer.json",
    }
)
_FILES_IN = frozenset({(".ssh", name) for name in ("authorized_keys", "config", "rc")})
_ENDINGS = (".code-workspace", ".sublime-project")
_PLANS = (".greenroom", "plans")

_HOOKS_PATH = re.compile(r"^\s*hooksPath\s*=\s*(\S[^#;\n]*)", re.IGNORECASE | re.MULTILINE)
_MOST_BYTES = 1024 * 1024

PROTECTED_LINK_NAMES = (*sorted(_FOLDERS), ".git/hooks", ".git/config", *sorted(_FILES))
"""Where one of these is a link, what it leads to is protected too."""


class ProtectedPaths:
    """What needs a person each time: what is known by its name, and these files and folders."""

    def __init__(self, extra_targets: Iterable[str] = ()) -> None:
        """Take more files and folders, as targets; see `targets_of`."""
        self._sizes: dict[bool, dict[int, set[tuple[str, ...]]]] = {True: {}, False: {}}
        """Ours, whether they are absolute and by how many names lead to them."""
        self._beginnings: set[str] = set()
        """With the first names of ours; the workspace itself has none."""
        for folder in extra_targets:
            names = _names(folder)
            self._sizes[folder.startswith("/")].setdefault(len(names), set()).add(names)
            self._beginnings.add(names[0] if names else "")

    def is_protected(self, target: str) -> bool:
        """Whether a path (as in a permission request) is protected."""
        if self._is_plainly_open(target):
            return False
        names = _names(target)
        for size, above in self._sizes[target.startswith("/")].items():
            if names[:size] in above:
                return True
        if not names or _is_plan(names):
            return False
        return (
            not _FOLDERS.isdisjoint(names)
            or names[-1] in _FILES
            or names[-1].endswith(_ENDINGS)
            or names[-2:] in _FILES_IN
            or not _FOLDERS_IN.isdisjoint(pairwise(names))
        )

    def _is_plainly_open(self, target: str) -> bool:
        """Pass over most: protected names begin with a dot, end as some do, or are in ours."""
        if target[:1] == "." or "/." in target or not target.isascii():
            return False
        lower = target.lower()
        for name in self._beginnings:
            if name in lower:
                return False
        return not lower.rstrip("/").endswith(_ENDINGS)


def is_plan_file(target: str) -> bool:
    """Whether a target is one of the workspace's plans, which an agent may write."""
    may_be = target[-3:].lower() == ".md" and not target.startswith("/")
    return may_be and _is_plan(_names(target))


def find_hooks_folders(root: str, home: str) -> tuple[Path, ...]:
    """Find the folders that git's own settings name for hooks (`core.hooksPath`)."""
    bases = ((root, ".git/config"), (root, ".git/config.worktree"))
    users = ((root, f"{home}/.gitconfig"), (root, f"{home}/.config/git/config"))
    found = (
        _resolved(value, base, home)
        for base, name in (*bases, *users)
        for value in _HOOKS_PATH.findall(read_file_start(Path(base, name)))
    )
    return tuple(dict.fromkeys(found))


def _resolved(value: str, base: str, home: str) -> Path:
    value = value.strip().strip('"')
    path = home + value[1:] if value.startswith("~/") else value
    return Path(os.path.realpath(Path(base, path)))


def read_file_start(path: str | Path) -> str:
    """Read a settings file, not without end; what cannot be read says nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, _MOST_BYTES) if is_file else b""
    finally:
        os.close(descriptor)
    return data.decode("utf-8", "replace").replace("\0", "")


def to_targets(paths: Iterable[Path], root: Path) -> tuple[str, ...]:
    """Name resolved files and folders as a request would.

    `.` is the whole workspace, should it lie in one of them.
    """
    return tuple(_target_of(path, root) for path in paths)


def _target_of(path: Path, root: Path) -> str:
    if root.is_relative_to(path):
        return "."
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _is_plan(names: tuple[str, ...]) -> bool:
    return len(names) == len(_PLANS) + 1 and names[:-1] == _PLANS and names[-1].endswith(".md")


def _names(path: str) -> tuple[str, ...]:
    """Split a path into names as the most forgiving file system compares them.

    Without case, composed, and without characters that are not seen (HFS+ passes over them).
    """
    seen = path.lower() if path.isascii() else _without_unseen(fold_case(path))
    return tuple([part for part in seen.split("/") if part not in ("", ".")])


def _without_unseen(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf")
