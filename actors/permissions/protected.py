"""Files that later grant power to whoever writes them; no rule and no mode opens them.

They are protected by name, so also while they do not exist.
"""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

_FOLDERS = (
    (".greenroom",),
    (".claude",),
    (".codex",),
    (".cursor",),
    (".gemini",),
    (".opencode",),
    (".qwen",),
    (".git",),
    (".husky",),
    (".vscode",),
    (".idea",),
    (".zed",),
    (".config", "fish"),
    (".config", "git"),
    (".config", "greenroom"),
)
_FILES = (
    (".gitmodules",),
    (".gitconfig",),
    (".mcp.json",),
    (".bashrc",),
    (".bash_aliases",),
    (".bash_profile",),
    (".bash_login",),
    (".bash_logout",),
    (".profile",),
    (".inputrc",),
    (".zshrc",),
    (".zshenv",),
    (".zlogin",),
    (".zlogout",),
    (".zprofile",),
    (".kshrc",),
    (".cshrc",),
    (".tcshrc",),
    (".login",),
    (".xprofile",),
    (".envrc",),
    (".ssh", "authorized_keys"),
    (".ssh", "config"),
    (".ssh", "rc"),
)
_PLANS = (".greenroom", "plans")


def is_protected(target: str, ours: tuple[str, ...] = ()) -> bool:
    """Whether a path (as in a permission request) needs a person each time.

    `ours` are more files and folders, as targets; see `targets_of`.
    """
    names = _names(target)
    if any(_is_below(target, names, each) for each in ours):
        return True
    if len(names) == len(_PLANS) + 1 and names[:-1] == _PLANS and names[-1].endswith(".md"):
        return False
    return any(_holds(names, folder, inside=True) for folder in _FOLDERS) or any(
        _holds(names, file, inside=False) for file in _FILES
    )


def targets_of(paths: Iterable[Path], root: Path) -> tuple[str, ...]:
    """Name resolved files and folders as a request would.

    `.` is the whole workspace, should it lie in one of them.
    """
    return tuple(_target_of(path, root) for path in paths)


def _target_of(path: Path, root: Path) -> str:
    if root.is_relative_to(path):
        return "."
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _names(path: str) -> tuple[str, ...]:
    """Split a path into names as the most forgiving file system compares them.

    Without case, composed, and without characters that are not seen (HFS+ passes over them).
    """
    composed = unicodedata.normalize("NFC", path).casefold()
    seen = "".join(char for char in composed if unicodedata.category(char) != "Cf")
    return tuple(part for part in seen.split("/") if part not in ("", "."))


def _is_below(target: str, names: tuple[str, ...], folder: str) -> bool:
    above = _names(folder)
    same_side = target.startswith("/") == folder.startswith("/")
    return same_side and names[: len(above)] == above


def _holds(names: tuple[str, ...], wanted: tuple[str, ...], *, inside: bool) -> bool:
    """Find `wanted` in a path: anywhere for folders, at its end for files."""
    size = len(wanted)
    starts = range(len(names) - size + 1) if inside else (len(names) - size,)
    return any(start >= 0 and names[start : start + size] == wanted for start in starts)
