"""From a path as the model gives it to the one file it means."""

import os
from pathlib import Path

from actors.paths.resolve import find_path_problem
from actors.paths.workspace import Workspace
from actors.tools.tool import TargetChangedError, ToolContext, ToolError
from messages.tool_calls import CallPlan

MAX_NAME_BYTES = 255


def resolve_path(path: str, workspace: Workspace) -> Path:
    """Make `path` absolute with every link resolved, also where its tail does not exist yet.

    `~` is the home folder; a relative path begins at the workspace's start folder.

    Raises:
        ToolError: it can name no file.
    """
    _check(path)
    resolved = os.path.realpath(workspace.cwd / _home(path))
    _check(resolved)
    return Path(resolved)


def recheck_target(path: str, planned_target: str, context: ToolContext) -> Path:
    """Resolve `path` when it is used; a link may have been swapped since it was judged.

    Raises:
        Drifted: it is no longer the target `planned`.
    """
    resolved = resolve_path(path, context.workspace)
    if context.workspace.to_target(resolved) != planned_target:
        message = f"{escape_control_characters(path)} now leads elsewhere"
        raise TargetChangedError(message)
    return resolved


def get_plan_target(plan: CallPlan) -> str:
    """Read off the one path that a file tool's plan asked for."""
    return plan.requests[0].target


def escape_control_characters(text: str) -> str:
    """Show control characters as escapes, so that a name cannot pose as more lines."""
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _home(path: str) -> str:
    try:
        return str(Path(path).expanduser()) if path.startswith("~") else path
    except RuntimeError as error:
        message = f"{escape_control_characters(path)}: no such home folder"
        raise ToolError(message) from error


def _check(path: str) -> None:
    problem = find_path_problem(path) or _find_name_problem(path)
    if problem:
        message = f"{escape_control_characters(path[:80])}: {problem}"
        raise ToolError(message)


def _find_name_problem(path: str) -> str:
    if any(len(name.encode()) > MAX_NAME_BYTES for name in path.split("/")):
        return f"a name in the path is longer than {MAX_NAME_BYTES} bytes"
    return ""
