"""Resolves a path from the model to the one file that it names."""

import os
from pathlib import Path

from actors.paths.resolve import find_path_problem
from actors.paths.workspace import Workspace
from actors.tools.tool import TargetChangedError, ToolContext, ToolError
from messages.tool_calls import CallPlan

MAX_NAME_BYTES = 255


def resolve_path(path: str, workspace: Workspace) -> Path:
    """Return `path` as an absolute path with every link resolved; it need not exist.

    `~` is the home folder. A relative path starts at the workspace's working directory.

    Raises:
        ToolError: it cannot be a path.
    """
    _require_valid_path(path)
    resolved = os.path.realpath(workspace.cwd / _expand_home(path))
    _require_valid_path(resolved)  # a link may lead to a path with other names
    return Path(resolved)


def recheck_target(path: str, planned_target: str, context: ToolContext) -> Path:
    """Resolve `path` again when it is used, because a link may have changed since it was planned.

    Raises:
        TargetChangedError: it no longer resolves to `planned_target`.
    """
    resolved = resolve_path(path, context.workspace)
    if context.workspace.to_target(resolved) != planned_target:
        message = f"{escape_control_characters(path)} now resolves to a different file"
        raise TargetChangedError(message)
    return resolved


def get_plan_target(plan: CallPlan) -> str:
    """Return the path in the single permission request of a file tool's plan."""
    return plan.requests[0].target


def escape_control_characters(text: str) -> str:
    """Write control characters as escapes, so that a file name cannot fake extra lines."""
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _expand_home(path: str) -> str:
    try:
        return str(Path(path).expanduser()) if path.startswith("~") else path
    except RuntimeError as error:
        message = f"{escape_control_characters(path)}: no such home directory"
        raise ToolError(message) from error


def _require_valid_path(path: str) -> None:
    problem = find_path_problem(path) or _find_name_problem(path)
    if problem:
        message = f"{escape_control_characters(path[:80])}: {problem}"
        raise ToolError(message)


def _find_name_problem(path: str) -> str:
    if any(len(name.encode()) > MAX_NAME_BYTES for name in path.split("/")):
        return f"a name in the path is longer than {MAX_NAME_BYTES} bytes"
    return ""
