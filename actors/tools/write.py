"""The tool `write`: a whole file, new or in place of an old one."""

import asyncio

from pydantic import Field

from actors.tools.changing import applied, judging, planned
from actors.tools.files import MAX_CHANGED_BYTES, Content, encoded, load, require_unchanged
from actors.tools.finishing import seen_through
from actors.tools.folders import planning
from actors.tools.matching import uses_crlf, with_crlf
from actors.tools.paths import resolve
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.tools import CallPlan, ToolOutput

DESCRIPTION = f"""\
Write a whole text file (UTF-8), new or in place of the old one; missing folders are made. To \
change a part of a file use edit.
Refused when the file changed since you read it. An existing file keeps its mode, and its line \
endings where all are CRLF. At most {MAX_CHANGED_BYTES // 1024**2} MiB."""


class WriteArguments(Arguments):
    """What the model sends."""

    path: str = Field(description="The file; relative to the working folder, absolute, or ~/….")
    content: str = Field(description="The whole new text.")


async def plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    """Make the diff."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: WriteArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Write exactly what was planned; a cancelled one is not still writing when it returns."""
    return await seen_through(asyncio.to_thread(applied, arguments.path, plan, context))


def _plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    if len(encoded(arguments.content)) > MAX_CHANGED_BYTES:
        message = f"content is longer than {MAX_CHANGED_BYTES:,} bytes"
        raise ToolError(message)
    path = resolve(arguments.path, context.workspace)
    with planning(arguments.path):
        content = load(path)
    if content.data is not None:  # one that was deleted may be made again: it cannot be re-read
        require_unchanged(content.state, context.observed_files, arguments.path)
    with judging("write", content, context):
        return planned("write", content, _with_old_endings(arguments.content, content), context)


def _with_old_endings(text: str, content: Content) -> str:
    old = (content.data or b"").decode("utf-8", "replace")
    return with_crlf(text) if uses_crlf(old) else text


WRITE = Tool(
    name="write",
    description=DESCRIPTION,
    arguments=WriteArguments,
    reads_only=False,
    plan=plan,
    run=run,
)
