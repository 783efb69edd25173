"""The tool `glob`: files by the pattern of their names."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import Field

from actors.tools.cancelling import polling
from actors.tools.folders import planning, require_folder, running
from actors.tools.glob_patterns import matcher
from actors.tools.paths import one_line, resolve, resolve_again, target_of
from actors.tools.tool import Arguments, Tool, ToolContext
from actors.tools.walking import MAX_ENTRIES, Skipped, Walk
from messages.rules import PermissionRequest
from messages.tools import CallPlan, ToolOutput

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
    return await polling(partial(_run, arguments, plan, context))


def _plan(arguments: GlobArguments, context: ToolContext) -> CallPlan:
    matcher(arguments.pattern)  # a wrong one is told before anybody is asked
    path = resolve(arguments.path, context.workspace)
    with planning(arguments.path):
        require_folder(path, arguments.path)
    target = context.workspace.target(path)
    request = PermissionRequest(permission="glob", target=target)
    title = f"glob {one_line(arguments.pattern)} in {one_line(target)}"
    return CallPlan(title=title, requests=(request,))


def _run(
    arguments: GlobArguments, plan: CallPlan, context: ToolContext, cancelled: Callable[[], bool]
) -> ToolOutput:
    folder = resolve_again(arguments.path, target_of(plan), context)
    walk = Walk(context.workspace.root, folder, cancelled)
    matches = matcher(arguments.pattern)
    with running(arguments.path):
        found = [path for path in walk.files() if matches(path)]
    shown = [shown_path(folder / path, context) for path in found[:MAX_MATCHES]]
    if len(found) > len(shown):
        shown.append(f"[the first {len(shown)} of {len(found):,}; narrow the pattern down]")
    return ToolOutput(text="\n".join([*(shown or ["(no file matches)"]), *notes(walk.skipped)]))


def shown_path(path: Path, context: ToolContext) -> str:
    """Name a found file so that it can be given to `read`, on one line."""
    inside = path.is_relative_to(context.workspace.cwd)
    name = str(path.relative_to(context.workspace.cwd) if inside else path)
    return one_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def notes(skipped: Skipped) -> list[str]:
    """Count what was left out, for the model."""
    told = (
        counted(skipped.ignored, "ignored by .gitignore"),
        counted(skipped.not_files, "not regular {file} (links, pipes, devices)"),
        counted(skipped.closed, "{folder} that may not be listed"),
    )
    found = ", ".join(filter(None, told))
    rest = [f"[only {MAX_ENTRIES:,} entries were looked at; name a folder further down]"]
    return [*([f"[left out: {found}]"] if found else []), *(rest if skipped.rest else [])]


def counted(count: int, what: str) -> str:
    """Say how many of what, `{file}` or `{folder}` in it; empty for none."""
    end = "" if count == 1 else "s"
    return f"{count:,} {what.format(file=f'file{end}', folder=f'folder{end}')}" if count else ""


GLOB = Tool(
    name="glob",
    description=DESCRIPTION,
    arguments=GlobArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
