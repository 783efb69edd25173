"""The tool `read`: a part of a text file, numbered by line."""

import asyncio
import difflib
import hashlib
import os
from itertools import islice
from pathlib import Path

from pydantic import Field

from actors.tools.file_types import detect_binary_type
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
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, ToolOutput

MAX_FILE_BYTES = 1024 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024

DESCRIPTION = f"""\
Read a text file. Each line comes as its number, a tab and its text; the number and the tab are \
not part of the file.
Shows at most {MAX_LINES:,} lines, {MAX_BYTES // 1024} KiB and {MAX_LINE_CHARS:,} characters of a \
line; says how to go on when there is more. Binary files, images, folders and files over \
{MAX_FILE_BYTES // 1024**3} GiB are refused. Use it rather than cat, head or sed."""


class ReadArguments(Arguments):
    """What the model sends."""

    path: str = Field(description="The file; relative to the working folder, absolute, or ~/….")
    offset: int = Field(default=1, ge=1, description="First line to show, counted from 1.")
    limit: int = Field(
        default=MAX_LINES, ge=1, description=f"How many lines to show, at most {MAX_LINES:,}."
    )


async def plan(arguments: ReadArguments, context: ToolContext) -> CallPlan:
    """Find the file; nothing of its content is read yet."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: ReadArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Show the part that was asked for."""
    return await asyncio.to_thread(_run, arguments, plan, context)


def _plan(arguments: ReadArguments, context: ToolContext) -> CallPlan:
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path):
        try:
            require_regular(path.lstat().st_mode, path)
        except FileNotFoundError as error:
            raise ToolError(_missing(arguments.path, path, context)) from error
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="read", target=target)
    return CallPlan(title=f"read {escape_control_characters(target)}", requests=(request,))


def _missing(shown: str, path: Path, context: ToolContext) -> str:
    # Names outside the workspace are not given away before anybody was asked.
    inside = path.is_relative_to(context.workspace.root) and path.parent.is_dir()
    names = [one.name for one in islice(path.parent.iterdir(), 1_000)] if inside else []
    near = [escape_control_characters(name) for name in difflib.get_close_matches(path.name, names)]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{escape_control_characters(shown)}: no such file{hint}"


def _run(arguments: ReadArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    window = LineWindow(arguments.offset, min(arguments.limit, MAX_LINES))
    with (
        map_run_errors(arguments.path),
        open_parent_folder(path) as folder,
        open_regular_file(path, folder) as file,
    ):
        state = FileDigest(path=str(path), digest=_stream(file, window, arguments.path))
    return ToolOutput(text=_text(window, arguments), observed_files=(state,))


def _stream(file: int, window: LineWindow, shown: str) -> str:
    size_bytes = os.fstat(file).st_size
    _require_size(size_bytes, shown)
    hashed, total_bytes = hashlib.sha256(), 0
    while chunk := os.read(file, _CHUNK_BYTES):
        if not total_bytes and (kind := detect_binary_type(chunk)):
            message = f"{escape_control_characters(shown)} is not shown: it is {kind}, {size_bytes:,} bytes"
            raise ToolError(message)
        total_bytes += len(chunk)
        _require_size(total_bytes, shown)  # some system files never end and say they are empty
        hashed.update(chunk)
        window.feed(chunk)
    window.finish()
    return hashed.hexdigest()


def _require_size(size_bytes: int, shown: str) -> None:
    if size_bytes > MAX_FILE_BYTES:
        message = f"{escape_control_characters(shown)} is larger than {MAX_FILE_BYTES:,} bytes; look at it with bash"
        raise ToolError(message)


def _text(window: LineWindow, arguments: ReadArguments) -> str:
    if not window.newline_count:
        return "(the file is empty)"
    if not window.rows:
        message = f"offset {arguments.offset} is past the end: the file has {window.newline_count:,} lines"
        raise ToolError(message)
    return "\n".join([*window.rows, *_notes(window)])


def _notes(window: LineWindow) -> list[str]:
    notes: list[str] = []
    if window.next_line <= window.newline_count:
        shown = f"lines {window.first_line}-{window.next_line - 1} of {window.newline_count:,}"
        notes.append(f"[{shown}; go on with offset={window.next_line}]")
    if window.has_invalid_utf8:
        notes.append("[not valid UTF-8: what could not be decoded is shown as \ufffd]")
    return notes


READ = Tool(
    name="read",
    description=DESCRIPTION,
    arguments=ReadArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
