"""The `write` tool: creates a text file or replaces its whole content."""

import asyncio

from pydantic import AliasChoices, Field

from actors.tools import tool_list
from actors.tools.await_helpers import run_to_completion
from actors.tools.file_content import (
    MAX_EDITABLE_BYTES,
    FileContent,
    encode_text,
    load_file,
    require_unchanged,
)
from actors.tools.patch_planning import apply_plan, guard_unread_content, plan_patch
from actors.tools.safe_open import map_plan_errors
from actors.tools.target_paths import escape_control_characters, resolve_path
from actors.tools.text_match import uses_crlf, with_crlf
from actors.tools.tool import FILE_PATH_NAMES, PATH_FORMS, Arguments, Tool, ToolContext, ToolError
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = f"""\
Create a text file (UTF-8), or replace the whole content of an existing one; missing directories \
are created. To change part of a file, use edit.
To replace an existing file, read it first; the call fails if you have not, or if the file has \
changed since. It keeps its mode, and keeps CRLF line endings if it uses them throughout. Maximum \
size: {MAX_EDITABLE_BYTES // 1024**2} MiB."""

NOT_READ = (
    "{path} exists, and you have not read it in this conversation. Read it first; to change part "
    "of it, use edit"
)


class WriteArguments(Arguments):
    """What the model sends."""

    path: str = Field(
        validation_alias=FILE_PATH_NAMES, description=f"The file to write: {PATH_FORMS}."
    )
    content: str = Field(
        validation_alias=AliasChoices("content", "file_text"),
        description="The complete new content of the file.",
    )


async def plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    """Make the diff."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: WriteArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Write exactly what was planned; when cancelled, return only after the write has ended."""
    return await run_to_completion(asyncio.to_thread(apply_plan, arguments.path, plan, context))


def _plan(arguments: WriteArguments, context: ToolContext) -> CallPlan:
    if len(encode_text(arguments.content)) > MAX_EDITABLE_BYTES:
        message = (
            f"content is longer than {MAX_EDITABLE_BYTES:,} bytes; write it in parts with bash"
        )
        raise ToolError(message)
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        content = load_file(path)
    if content.data is not None:  # a deleted file may be created again: it cannot be read again
        with guard_unread_content("write", content, context):
            _require_read(content, arguments.path, context)
        require_unchanged(content.file_digest, context.observed_files, arguments.path)
    new_text = _with_same_line_endings(arguments.content, content)
    return plan_patch("write", content, new_text, context)


def _require_read(content: FileContent, given_path: str, context: ToolContext) -> None:
    """Keep a file from being replaced whose content the agent does not know."""
    if content.file_digest.path not in context.observed_files:
        raise ToolError(NOT_READ.format(path=escape_control_characters(given_path)))


def _with_same_line_endings(text: str, content: FileContent) -> str:
    old_text = (content.data or b"").decode("utf-8", "replace")
    return with_crlf(text) if uses_crlf(old_text) else text


WRITE = Tool(
    tool_list.WRITE,
    description=DESCRIPTION,
    arguments=WriteArguments,
    plan=plan,
    run=run,
)
