"""The `read` tool: returns part of a text file with line numbers."""

import asyncio
import hashlib
import os

from pydantic import Field

from actors.tools import tool_list
from actors.tools.binary_detection import detect_binary_type
from actors.tools.line_window import MAX_BYTES, MAX_LINE_CHARS, MAX_LINES, LineWindow
from actors.tools.safe_open import (
    map_plan_errors,
    map_run_errors,
    open_parent_folder,
    open_regular_file,
    require_regular,
)
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import FILE_PATH_NAMES, PATH_FORMS, Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, ToolOutput

MAX_FILE_BYTES = 1024 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024

DESCRIPTION = f"""\
Read a text file. Each line of the result is a line number, a tab and the line's text; the number \
and the tab are not part of the file.
Returns at most {MAX_LINES:,} lines, {MAX_BYTES // 1024} KiB, and {MAX_LINE_CHARS:,} characters \
per line. If the file continues, the result ends with the offset to use next. Directories, images, \
other binary files and files over {MAX_FILE_BYTES // 1024**3} GiB cannot be read. Prefer this to \
cat, head or sed in bash."""


class ReadArguments(Arguments):
    """What the model sends."""

    path: str = Field(
        validation_alias=FILE_PATH_NAMES, description=f"The file to read: {PATH_FORMS}."
    )
    offset: int = Field(default=1, ge=1, description="First line to return, counting from 1.")
    limit: int = Field(
        default=MAX_LINES,
        ge=1,
        description=f"Maximum number of lines to return, up to {MAX_LINES:,}.",
    )


async def plan(arguments: ReadArguments, context: ToolContext) -> CallPlan:
    """Find the file without reading its content."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: ReadArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Return the requested lines."""
    return await asyncio.to_thread(_run, arguments, plan, context)


def _plan(arguments: ReadArguments, context: ToolContext) -> CallPlan:
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        require_regular(path.lstat().st_mode, path)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="read", target=target)
    return CallPlan(title=f"read {escape_control_characters(target)}", requests=(request,))


def _run(arguments: ReadArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    window = LineWindow(arguments.offset, min(arguments.limit, MAX_LINES))
    with (
        map_run_errors(arguments.path),
        open_parent_folder(path) as folder,
        open_regular_file(path, folder) as file,
    ):
        digest = _stream_into(window, file, arguments.path)
    observed = FileDigest(path=str(path), digest=digest)
    return ToolOutput(text=_format_window(window, arguments), observed_files=(observed,))


def _stream_into(window: LineWindow, file: int, given_path: str) -> str:
    """Feed the whole file into the window; return its SHA-256 digest."""
    size_bytes = os.fstat(file).st_size
    _require_size(size_bytes, given_path)
    sha256, total_bytes = hashlib.sha256(), 0
    while chunk := os.read(file, _CHUNK_BYTES):
        if not total_bytes and (kind := detect_binary_type(chunk)):
            name = escape_control_characters(given_path)
            message = f"{name} cannot be shown as text: it is {kind}, {size_bytes:,} bytes"
            raise ToolError(message)
        total_bytes += len(chunk)
        _require_size(total_bytes, given_path)  # some system files report size 0 and never end
        sha256.update(chunk)
        window.feed(chunk)
    window.finish()
    return sha256.hexdigest()


def _require_size(size_bytes: int, given_path: str) -> None:
    if size_bytes > MAX_FILE_BYTES:
        name = escape_control_characters(given_path)
        message = f"{name} is larger than {MAX_FILE_BYTES:,} bytes; read parts of it with bash"
        raise ToolError(message)


def _format_window(window: LineWindow, arguments: ReadArguments) -> str:
    if not window.newline_count:
        return "(the file is empty)"
    if not window.rows:
        message = (
            f"offset {arguments.offset} is past the end: the file has "
            f"{window.newline_count:,} lines"
        )
        raise ToolError(message)
    return "\n".join([*window.rows, *_format_notes(window)])


def _format_notes(window: LineWindow) -> list[str]:
    notes: list[str] = []
    if window.next_line <= window.newline_count:
        lines = f"lines {window.first_line}-{window.next_line - 1} of {window.newline_count:,}"
        notes.append(f"[{lines}; to continue, use offset={window.next_line}]")
    if window.has_invalid_utf8:
        notes.append("[not valid UTF-8: bytes that cannot be decoded are shown as \ufffd]")
    return notes


READ = Tool(
    tool_list.READ,
    description=DESCRIPTION,
    arguments=ReadArguments,
    plan=plan,
    run=run,
)
