"""Files that give their writer power; no rule and no mode allows changing them.

They are protected by name, so they are protected even before they exist.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from itertools import islice, pairwise
from pathlib import Path

from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.permissions.rule_matching import fold_case

_PROJECT_FOLDER_NAMES = """
.greenroom .git .husky .github/workflows
.claude .codex .cursor .gemini .opencode .qwen
.vscode .idea .zed .fleet .devcontainer
"""
_HOME_FOLDER_NAMES = """
.vim .emacs.d .config/fish .config/git .config/greenroom .config/nvim
"""
_FILE_NAMES = """
AGENTS.md CLAUDE.md GEMINI.md .mcp.json
.gitmodules .gitconfig .pre-commit-config.yaml .npmrc .cargo/config.toml sitecustomize.py
.bashrc .bash_aliases .bash_profile .bash_login .bash_logout .profile .inputrc
.zshrc .zshenv .zlogin .zlogout .zprofile .kshrc .cshrc .tcshrc .login .xprofile
.envrc .direnvrc .mise.toml .ssh/authorized_keys .ssh/config .ssh/rc
.vimrc .nvimrc .exrc .nvim.lua .emacs .dir-locals.el .devcontainer.json
*.code-workspace *.sublime-project
"""
PROTECTED_PROJECT_FOLDERS = tuple(_PROJECT_FOLDER_NAMES.split())
"""Those that programs obey in a project's folder."""
PROTECTED_FOLDERS = (*PROTECTED_PROJECT_FOLDERS, *_HOME_FOLDER_NAMES.split())
"""Folders, also inside other folders, in which every file is protected."""
PROTECTED_FILES = tuple(_FILE_NAMES.split())
"""Files that are protected in every folder: they instruct agents, or name what other programs run
on their own."""


def _select_plain_names(names: Iterable[str]) -> frozenset[str]:
    """Return the names without a folder or `*`, in lower case."""
    return frozenset(name.lower() for name in names if "/" not in name and "*" not in name)


def _split_pairs(names: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Return the names with a folder, in lower case, each as the folder and the name in it."""
    return frozenset(tuple(name.lower().split("/")) for name in names if "/" in name)


_FOLDERS = _select_plain_names(PROTECTED_FOLDERS)
_FOLDER_PAIRS = _split_pairs(PROTECTED_FOLDERS)
_FILES = _select_plain_names(PROTECTED_FILES)
_FILE_PAIRS = _split_pairs(PROTECTED_FILES)
_ENDINGS = tuple(name.removeprefix("*") for name in PROTECTED_FILES if name.startswith("*"))
_NAMES_WITHOUT_DOT = tuple(name for name in _FILES if not name.startswith("."))
_PLAN_FOLDERS = (".greenroom", "plans")

_HOOKS_PATH = re.compile(r"^\s*hooksPath\s*=\s*(\S[^#;\n]*)", re.IGNORECASE | re.MULTILINE)
_MAX_SETTINGS_FILE_BYTES = 1024 * 1024
_MAX_CHECKED_LINKS = 1_000

PROTECTED_LINK_NAMES = (
    *(name for name in (*PROTECTED_FOLDERS, *PROTECTED_FILES) if name.lower() in _FOLDERS | _FILES),
    ".git/hooks",
    ".git/config",
)
"""If one of these is a link, its target is protected too."""


class ProtectedPaths:
    """The paths whose every change needs approval: those with known names, and additional ones."""

    def __init__(self, extra_targets: Iterable[str] = ()) -> None:
        """Protect additional files and folders, given as targets (see `to_targets`)."""
        self._extra_names: dict[bool, dict[int, set[tuple[str, ...]]]] = {True: {}, False: {}}
        """The names on the way to additional targets, by whether they are absolute and by depth."""
        self._extra_first_names: set[str] = set()
        """The first names of additional targets; empty for the workspace itself."""
        for target in extra_targets:
            names = _split_names(target)
            by_depth = self._extra_names[target.startswith("/")]
            by_depth.setdefault(len(names), set()).add(names)
            self._extra_first_names.add(names[0] if names else "")

    def find_protected(self, targets: Iterable[str]) -> set[str]:
        """Return the targets that are protected."""
        return {target for target in targets if self.is_protected(target)}

    def is_protected(self, target: str) -> bool:
        """Whether a target (as in a permission request) is protected."""
        if self._is_obviously_unprotected(target):
            return False
        names = _split_names(target)
        for depth, protected in self._extra_names[target.startswith("/")].items():
            if names[:depth] in protected:
                return True
        if not names or _is_plan_path(names):
            return False
        return (
            not _FOLDERS.isdisjoint(names)
            or names[-1] in _FILES
            or names[-1].endswith(_ENDINGS)
            or names[-2:] in _FILE_PAIRS
            or not _FOLDER_PAIRS.isdisjoint(pairwise(names))
        )

    def _is_obviously_unprotected(self, target: str) -> bool:
        """Rule out most paths quickly.

        A protected name starts with a dot, has a protected ending or is one of the few others, or
        is an additional target.
        """
        if target[:1] == "." or "/." in target or not target.isascii():
            return False
        lower = target.lower()
        for name in self._extra_first_names:
            if name in lower:
                return False
        return not lower.rstrip("/").endswith(_ENDINGS + _NAMES_WITHOUT_DOT)


def is_plan_file(target: str) -> bool:
    """Whether a target is one of the workspace's plan files, which an agent may write."""
    may_be_plan = target[-3:].lower() == ".md" and not target.startswith("/")
    return may_be_plan and _is_plan_path(_split_names(target))


def find_link_targets(workspace_paths: WorkspacePaths) -> tuple[Path, ...]:
    """Return where protected names in the root and the home folder lead, if they are links."""
    resolver = PathResolver(workspace_paths)
    names = islice(
        (
            (name, base)
            for base in (workspace_paths.root, workspace_paths.home)
            for name in PROTECTED_LINK_NAMES
        ),
        _MAX_CHECKED_LINKS,
    )
    found = ((resolver.resolve(name, base).path, f"{base}/{name}") for name, base in names)
    return tuple(Path(path) for path, link in found if path != link)


def find_hooks_folders(root: str, home: str) -> tuple[Path, ...]:
    """Return the folders that git's configuration names for hooks (`core.hooksPath`)."""
    in_repository = ((root, ".git/config"), (root, ".git/config.worktree"))
    in_home = ((root, f"{home}/.gitconfig"), (root, f"{home}/.config/git/config"))
    found = (
        _resolve_hooks_path(value, base, home)
        for base, name in (*in_repository, *in_home)
        for value in _HOOKS_PATH.findall(read_file_start(Path(base, name)))
    )
    return tuple(dict.fromkeys(found))


def _resolve_hooks_path(value: str, base: str, home: str) -> Path:
    value = value.strip().strip('"')
    path = home + value[1:] if value.startswith("~/") else value
    return Path(os.path.realpath(Path(base, path)))


def read_file_start(path: str | Path) -> str:
    """Read at most the first MiB of a settings file; return an empty string if that fails."""
    # Without waiting: a hostile repository may contain a pipe of that name.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, _MAX_SETTINGS_FILE_BYTES) if is_file else b""
    finally:
        os.close(descriptor)
    # Values become paths, and a path with a NUL character raises an error.
    return data.decode("utf-8", "replace").replace("\0", "")


def to_targets(paths: Iterable[Path], root: Path) -> tuple[str, ...]:
    """Convert resolved paths to targets as in permission requests.

    A path that contains the whole workspace becomes `.`.
    """
    return tuple(_to_target(path, root) for path in paths)


def _to_target(path: Path, root: Path) -> str:
    if root.is_relative_to(path):
        return "."
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _is_plan_path(names: tuple[str, ...]) -> bool:
    is_in_plan_folder = len(names) == len(_PLAN_FOLDERS) + 1 and names[:-1] == _PLAN_FOLDERS
    return is_in_plan_folder and names[-1].endswith(".md")


def _split_names(path: str) -> tuple[str, ...]:
    """Split a path into names in the form that the most lenient file system compares.

    That is: case folded, composed, and without invisible characters (HFS+ ignores them).
    """
    folded = path.lower() if path.isascii() else _remove_invisible(fold_case(path))
    return tuple([name for name in folded.split("/") if name not in ("", ".")])


def _remove_invisible(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf")
