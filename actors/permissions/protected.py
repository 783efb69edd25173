"""Files that later grant power to whoever writes them; no rule and no mode opens them.

They are protected by name, so also while they do not exist.
"""

_FOLDERS = (
    (".greenroom",),
    (".claude",),
    (".qwen",),
    (".git", "hooks"),
    (".vscode",),
    (".idea",),
    (".config", "greenroom"),
)
_FILES = (
    (".git", "config"),
    (".gitmodules",),
    (".gitconfig",),
    (".mcp.json",),
    (".bashrc",),
    (".bash_profile",),
    (".bash_login",),
    (".bash_logout",),
    (".profile",),
    (".zshrc",),
    (".zshenv",),
    (".zprofile",),
    (".envrc",),
    (".ssh", "authorized_keys"),
    (".ssh", "config"),
)
_OPEN = ((".greenroom", "plans"),)


def is_protected(target: str) -> bool:
    """Whether a path (as in a permission request) needs a person each time.

    Names are compared without case, since some file systems do.
    """
    names = tuple(part for part in target.casefold().split("/") if part)
    if any(_holds(names, folder, inside=True) for folder in _OPEN):
        return False
    return any(_holds(names, folder, inside=True) for folder in _FOLDERS) or any(
        _holds(names, file, inside=False) for file in _FILES
    )


def _holds(names: tuple[str, ...], wanted: tuple[str, ...], *, inside: bool) -> bool:
    """Find `wanted` in a path: anywhere for folders, at its end for files."""
    size = len(wanted)
    starts = range(len(names) - size + 1) if inside else (len(names) - size,)
    return any(start >= 0 and names[start : start + size] == wanted for start in starts)
