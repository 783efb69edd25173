"""The tool `ls`: what is in a folder."""

import asyncio
import heapq
import itertools
import os

from pydantic import Field

from actors.tools.safe_open import map_plan_errors, map_run_errors, open_folder, require_folder
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_ENTRIES = 1_000

DESCRIPTION = f"""\
List one folder, sorted by name, hidden entries too, not what is below. Folders end in /, links \
show where they lead. Shows at most {MAX_ENTRIES:,} entries."""


class LsArguments(Arguments):
    """What the model sends."""

    path: str = Field(
        default=".", description="The folder; relative to the working folder, absolute, or ~/…."
    )


async def plan(arguments: LsArguments, context: ToolContext) -> CallPlan:
    """Find the folder."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: LsArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """List it."""
    return await asyncio.to_thread(_run, arguments, plan, context)


def _plan(arguments: LsArguments, context: ToolContext) -> CallPlan:
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path):
        require_folder(path, arguments.path)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="ls", target=target)
    return CallPlan(title=f"ls {escape_control_characters(target)}", requests=(request,))


def _run(arguments: LsArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    with map_run_errors(arguments.path), open_folder(path) as folder:
        total, rows = _rows(folder)
    if total > len(rows):
        rows.append(f"[the first {len(rows):,} of {total:,} entries; narrow it down with bash]")
    return ToolOutput(text="\n".join(rows) or "(empty folder)")


def _rows(folder: int) -> tuple[int, list[str]]:
    count = itertools.count()
    with os.scandir(folder) as found:
        counted = (entry for entry, _ in zip(found, count, strict=False))
        first = heapq.nsmallest(MAX_ENTRIES, counted, key=lambda entry: entry.name)
    return next(count), [_row(entry, folder) for entry in first]


def _row(entry: "os.DirEntry[str]", folder: int) -> str:
    name = _readable(entry.name)
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    if entry.is_symlink():
        return f"{name} -> {_readable(os.readlink(entry.name, dir_fd=folder))}"
    return name


def _readable(name: str) -> str:
    # A name need not be UTF-8; what is not is shown as \xNN.
    return escape_control_characters(os.fsencode(name).decode("utf-8", "backslashreplace"))


LS = Tool(
    name="ls",
    description=DESCRIPTION,
    arguments=LsArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
