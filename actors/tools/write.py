"""The tool `write`: a whole file, new or in place of an old one."""

import asyncio

from pydantic import Field

from actors.tools.await_helpers import run_to_completion
from actors.tools.file_content import (
    MAX_EDITABLE_BYTES,
    FileContent,
    encode_text,
    load_file,
    require_unchanged,
)
from actors.tools.file_patch import apply_plan, guard_unread_content, plan_patch
from actors.tools.safe_open import map_plan_errors
from actors.tools.target_paths import resolve_path
from actors.tools.text_match import uses_crlf, with_crlf
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = f"""\
Write a whole text file (UTF-8), new or in place of the old one; missing folders are made. To \
change a part of a file use edit.
Refused when the file changed since you read it. An existing file keeps its mode, and its line \
endings where all are CRLF. At most {MAX_EDITABLE_BYTES // 1024**2} MiB."""


class WriteArguments(Arguments):
    """What the model sends."""

    path: str = Field(description="The file; relative to the working folder, absolute, or ~/….")
    content: str = Field(description="The whole new text.")


async def plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    """Make the diff."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: WriteArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Write exactly what was planned; a cancelled one is not still writing when it returns."""
    return await run_to_completion(asyncio.to_thread(apply_plan, arguments.path, plan, context))


def _plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    if len(encode_text(arguments.content)) > MAX_EDITABLE_BYTES:
        message = f"content is longer than {MAX_EDITABLE_BYTES:,} bytes"
        raise ToolError(message)
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path):
        content = load_file(path)
    if content.data is not None:  # one that was deleted may be made again: it cannot be re-read
        require_unchanged(content.file_digest, context.observed_files, arguments.path)
    with guard_unread_content("write", content, context):
        return plan_patch("write", content, _with_old_endings(arguments.content, content), context)


def _with_old_endings(text: str, content: FileContent) -> str:
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
