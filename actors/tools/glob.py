"""The `glob` tool: finds files by name."""

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import Field

from actors.tools import tool_list
from actors.tools.cancellable_thread import run_cancellable
from actors.tools.file_walk import FileWalk
from actors.tools.glob_patterns import compile_glob
from actors.tools.safe_open import map_plan_errors, map_run_errors, require_folder
from actors.tools.search_result_format import format_path, format_skipped_notes
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import DIRECTORY_PATH_NAMES, PATH_FORMS, Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_MATCHES = 500

DESCRIPTION = f"""\
Find files by name in a directory and its subdirectories. Returns paths relative to the \
working directory, the most recently changed first, at most {MAX_MATCHES}.
In the pattern, * and ? do not match /, ** does, and {{a,b}} matches either alternative. A pattern \
without / matches names at any depth: *.py, src/**/test_*.py. Hidden files are included. Files \
ignored by .gitignore, symbolic links and .git are skipped. Prefer this to find in bash."""


class GlobArguments(Arguments):
    """What the model sends."""

    pattern: str = Field(description="The pattern, relative to the directory to search.")
    path: str = Field(
        default=".",
        validation_alias=DIRECTORY_PATH_NAMES,
        description=f"The directory to search: {PATH_FORMS}.",
    )


async def plan(arguments: GlobArguments, context: ToolContext) -> CallPlan:
    """Find the directory."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: GlobArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Walk the directory and list the files that match."""
    return await run_cancellable(partial(_run, arguments, plan, context))


def _plan(arguments: GlobArguments, context: ToolContext) -> CallPlan:
    compile_glob(arguments.pattern)  # reports a bad pattern before the user is asked
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        require_folder(path, arguments.path)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="glob", target=target)
    pattern = escape_control_characters(arguments.pattern)
    title = f"glob {pattern} in {escape_control_characters(target)}"
    return CallPlan(title=title, requests=(request,))


def _run(
    arguments: GlobArguments, plan: CallPlan, context: ToolContext, is_cancelled: Callable[[], bool]
) -> ToolOutput:
    folder = recheck_target(arguments.path, get_plan_target(plan), context)
    walk = FileWalk(context.workspace.root, folder, is_cancelled)
    matches = compile_glob(arguments.pattern)
    with map_run_errors(arguments.path):
        found = _sort_newest_first(folder, [path for path in walk.iter_files() if matches(path)])
    rows = [format_path(folder / path, context) for path in found[:MAX_MATCHES]]
    if len(found) > len(rows):
        rows.append(
            f"[truncated: the newest {len(rows)} of {len(found):,} files; "
            "use a more specific pattern]"
        )
    return ToolOutput(
        text="\n".join([*(rows or ["(no files match)"]), *format_skipped_notes(walk.skipped)])
    )


def _sort_newest_first(folder: Path, paths: list[str]) -> list[str]:
    """Sort by modification time; files of the same time keep their order."""
    return sorted(paths, key=lambda path: -_get_modified_ns(f"{folder}/{path}"))


def _get_modified_ns(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:  # deleted meanwhile
        return 0


GLOB = Tool(
    tool_list.GLOB,
    description=DESCRIPTION,
    arguments=GlobArguments,
    plan=plan,
    run=run,
)
