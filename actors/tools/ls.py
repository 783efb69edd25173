"""The `ls` tool: lists the entries of one directory."""

import asyncio
import heapq
import itertools
import os

from pydantic import Field

from actors.tools import tool_list
from actors.tools.safe_open import map_plan_errors, map_run_errors, open_folder, require_folder
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import DIRECTORY_PATH_NAMES, PATH_FORMS, Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_ENTRIES = 1_000

DESCRIPTION = f"""\
List the entries of one directory, not recursively, sorted by name, including hidden ones. \
Directories end in /, and symbolic links show their target. Returns at most {MAX_ENTRIES:,} \
entries. To find files by name in subdirectories, use glob."""


class LsArguments(Arguments):
    """What the model sends."""

    path: str = Field(
        default=".",
        validation_alias=DIRECTORY_PATH_NAMES,
        description=f"The directory to list: {PATH_FORMS}.",
    )


async def plan(arguments: LsArguments, context: ToolContext) -> CallPlan:
    """Find the directory."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: LsArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """List the directory."""
    return await asyncio.to_thread(_run, arguments, plan, context)


def _plan(arguments: LsArguments, context: ToolContext) -> CallPlan:
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        require_folder(path, arguments.path)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="ls", target=target)
    return CallPlan(title=f"ls {escape_control_characters(target)}", requests=(request,))


def _run(arguments: LsArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    with map_run_errors(arguments.path), open_folder(path) as folder:
        total, rows = _list_entries(folder)
    if total > len(rows):
        rows.append(
            f"[truncated: the first {len(rows):,} of {total:,} entries; list the rest with bash]"
        )
    return ToolOutput(text="\n".join(rows) or "(empty directory)")


def _list_entries(folder: int) -> tuple[int, list[str]]:
    """Return the number of entries, and a row for each of the first `MAX_ENTRIES`."""
    count = itertools.count()
    with os.scandir(folder) as entries:
        # All are counted, but few are kept in memory, however large the folder is.
        counted = (entry for entry, _ in zip(entries, count, strict=False))
        first = heapq.nsmallest(MAX_ENTRIES, counted, key=lambda entry: entry.name)
    return next(count), [_format_entry(entry, folder) for entry in first]


def _format_entry(entry: "os.DirEntry[str]", folder: int) -> str:
    name = _format_name(entry.name)
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    if entry.is_symlink():
        return f"{name} -> {_format_name(os.readlink(entry.name, dir_fd=folder))}"
    return name


def _format_name(name: str) -> str:
    # A file name need not be UTF-8; other bytes are shown as \xNN.
    return escape_control_characters(os.fsencode(name).decode("utf-8", "backslashreplace"))


LS = Tool(
    tool_list.LS,
    description=DESCRIPTION,
    arguments=LsArguments,
    plan=plan,
    run=run,
)
