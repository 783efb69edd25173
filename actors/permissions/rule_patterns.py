"""The meaning of a rule's pattern: one or more patterns in the form of the targets they match.

Targets are normalized (`messages.policy.PermissionRequest`), so patterns must be, too. Pure.
"""

from actors.permissions.rule_matching import PATH_CATEGORIES
from messages.policy import Rule, ToolCategory

_ANY_ARGUMENTS = ":*"
"""Claude Code's spelling of ` *` at the end of a command."""


def expand_pattern(
    rule: Rule, category: ToolCategory, *, workspace_root: str, home: str
) -> tuple[str, ...]:
    """Return the patterns to match for a rule whose permission has this category.

    Both folders are absolute with links resolved; an empty one is unknown.
    """
    if category in PATH_CATEGORIES:
        return _expand_path(rule, workspace_root, home)
    if category == "command" and rule.pattern.endswith(_ANY_ARGUMENTS):
        return rule.pattern, f"{rule.pattern.removesuffix(_ANY_ARGUMENTS)} *"
    return (rule.pattern,)


def _expand_path(rule: Rule, root: str, home: str) -> tuple[str, ...]:
    """Normalize a path pattern; a folder, which ends in `/`, means everything below it.

    An ask or deny rule for a folder also applies to the folder itself. A pattern that leaves the
    workspace becomes absolute, but not in an allow rule: its author must write it that way.
    """
    pattern = rule.pattern
    path = f"{home}{pattern[1:]}" if home and f"{pattern}/".startswith("~/") else pattern
    is_absolute, names = path.startswith("/"), _normalize(path)
    if names[:1] == [".."] and root:
        is_absolute, names = True, _normalize(f"{root}/{path}")
    is_allow, below = rule.action == "allow", ["*"] if path.endswith("/") else []
    text = _join(names + below, is_absolute=is_absolute)
    if is_allow:
        # An allow rule matches only the target itself, which is relative inside the workspace.
        text = _make_relative(text, root)
        is_outside = text.startswith("/") and not path.startswith("/")
        return (pattern if is_outside else text,)
    has_exact_name = bool(names) and "*" not in names[-1]
    itself = (_join(names, is_absolute=is_absolute),) if below and has_exact_name else ()
    return (text, *itself)


def _normalize(path: str) -> list[str]:
    """Return the names in a path as text, without `.`, empty names, and `..` where possible."""
    names: list[str] = []
    for name in path.split("/"):
        if name == ".." and names and names[-1] != ".." and "*" not in names[-1]:
            names.pop()
        elif name not in ("", ".") and not (name == ".." and path.startswith("/") and not names):
            names.append(name)
    return names


def _join(names: list[str], *, is_absolute: bool) -> str:
    return "/" + "/".join(names) if is_absolute else "/".join(names) or "."


def _make_relative(path: str, root: str) -> str:
    if root and path == root:
        return "."
    return path.removeprefix(f"{root.rstrip('/')}/") if root else path
