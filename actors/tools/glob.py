"""The tool `glob`: files by the pattern of their names."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import Field

from actors.tools.cancellable_thread import run_cancellable
from actors.tools.file_walk import MAX_WALK_ENTRIES, FileWalk, SkippedEntries
from actors.tools.glob_patterns import compile_glob
from actors.tools.safe_open import map_plan_errors, map_run_errors, require_folder
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_MATCHES = 500

DESCRIPTION = f"""\
Find files by name below a folder, sorted; paths are relative to the working folder. `*` and `?` \
stop at /, `**` does not, `{{a,b}}` is either; a pattern without a / matches names at any depth: \
`*.py`, `src/**/test_*.py`. Hidden files are found; what .gitignore names, links and .git are not. \
At most {MAX_MATCHES} files are shown."""


class GlobArguments(Arguments):
    """What the model sends."""

    pattern: str = Field(description="The pattern, relative to the folder.")
    path: str = Field(
        default=".", description="The folder; relative to the working folder, absolute, or ~/…."
    )


async def plan(arguments: GlobArguments, context: ToolContext) -> CallPlan:
    """Find the folder."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: GlobArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Walk through it."""
    return await run_cancellable(partial(_run, arguments, plan, context))


def _plan(arguments: GlobArguments, context: ToolContext) -> CallPlan:
    compile_glob(arguments.pattern)  # a wrong one is told before anybody is asked
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path):
        require_folder(path, arguments.path)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="glob", target=target)
    title = f"glob {escape_control_characters(arguments.pattern)} in {escape_control_characters(target)}"
    return CallPlan(title=title, requests=(request,))


def _run(
    arguments: GlobArguments, plan: CallPlan, context: ToolContext, cancelled: Callable[[], bool]
) -> ToolOutput:
    folder = recheck_target(arguments.path, get_plan_target(plan), context)
    walk = FileWalk(context.workspace.root, folder, cancelled)
    matches = compile_glob(arguments.pattern)
    with map_run_errors(arguments.path):
        found = [path for path in walk.iter_files() if matches(path)]
    shown = [format_path(folder / path, context) for path in found[:MAX_MATCHES]]
    if len(found) > len(shown):
        shown.append(f"[the first {len(shown)} of {len(found):,}; narrow the pattern down]")
    return ToolOutput(
        text="\n".join([*(shown or ["(no file matches)"]), *format_skipped_notes(walk.skipped)])
    )


def format_path(path: Path, context: ToolContext) -> str:
    """Name a found file so that it can be given to `read`, on one line."""
    inside = path.is_relative_to(context.workspace.cwd)
    name = str(path.relative_to(context.workspace.cwd) if inside else path)
    return escape_control_characters(
        name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )


def format_skipped_notes(skipped: SkippedEntries) -> list[str]:
    """Count what was left out, for the model."""
    told = (
        format_count(skipped.ignored_count, "ignored by .gitignore"),
        format_count(skipped.irregular_count, "not regular {file} (links, pipes, devices)"),
        format_count(skipped.unlistable_count, "{folder} that may not be listed"),
    )
    found = ", ".join(filter(None, told))
    rest = [f"[only {MAX_WALK_ENTRIES:,} entries were looked at; name a folder further down]"]
    return [*([f"[left out: {found}]"] if found else []), *(rest if skipped.is_truncated else [])]


def format_count(count: int, template: str) -> str:
    """Say how many of what, `{file}` or `{folder}` in it; empty for none."""
    end = "" if count == 1 else "s"
    return f"{count:,} {template.format(file=f'file{end}', folder=f'folder{end}')}" if count else ""


GLOB = Tool(
    name="glob",
    description=DESCRIPTION,
    arguments=GlobArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
