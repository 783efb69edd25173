"""Attaches the files and folders that a prompt mentions, exactly as `read` and `ls` return them.

Planning has no side effects. The permission engine decides on each plan, and only those that it
allows are read: naming a file is no approval, because the text may be pasted.
"""

import asyncio
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from actors.prompt_context.mentions import FileMention, iter_readings
from actors.tools.ls import LS
from actors.tools.read import READ
from actors.tools.target_paths import resolve_path
from actors.tools.tool import AnyTool, TargetChangedError, ToolContext, ToolError
from messages.tool_calls import CallPlan
from messages.turns import Attachment

MAX_ATTACHMENTS = 20
MAX_TOTAL_CHARS = 256 * 1024
"""Text of all attachments of one prompt; a single one is limited like a call of the tool."""
MAX_EXAMINED_NAMES = 1_000
_TOOLS: dict[str, AnyTool] = {"read": READ, "ls": LS}
_NUMBERED_ROW = r"(?m)^ *\d+\t"


@dataclass(frozen=True, slots=True)
class PlannedAttachment:
    """A file or folder that exists and would be read if that is allowed."""

    mention: str
    """As in `Attachment`; empty: the top-level listing of the environment."""
    tool: str
    arguments: dict[str, JsonValue]
    plan: CallPlan


def build_unattached(mention: str, problem: str, hint: str = "") -> Attachment:
    """Return a mentioned file that is not attached, with what the user and the model read."""
    text = _wrap(f"@{mention} was not attached ({problem}).{hint}") if mention else f"({problem})"
    return Attachment(mention=mention, problem=problem, text=text)


def _wrap(text: str) -> str:
    return f"<attachment>\n{text}\n</attachment>"


async def plan_listing(context: ToolContext) -> PlannedAttachment | None:
    """Plan the listing of the working directory; None: it is not a folder any more."""
    try:
        return await _plan("", "ls", {}, context)
    except ToolError:
        return None


async def plan_attachments(
    mentions: tuple[str, ...], context: ToolContext
) -> tuple[PlannedAttachment | Attachment, ...]:
    """Plan what the mentions name; words that do not look like a path are left out."""
    planned: dict[object, PlannedAttachment | Attachment] = {}
    for mention in mentions:
        item = await _plan_mention(mention, context)
        if isinstance(item, PlannedAttachment):
            planned.setdefault((item.plan.requests, item.arguments.get("offset")), item)
        elif item is not None:
            planned[mention] = item
    return tuple(
        item if index < MAX_ATTACHMENTS else build_unattached(item.mention, _TOO_MANY)
        for index, item in enumerate(planned.values())
    )


_TOO_MANY = f"a prompt has at most {MAX_ATTACHMENTS} attachments"


async def _plan_mention(
    mention: str, context: ToolContext
) -> PlannedAttachment | Attachment | None:
    found = await asyncio.to_thread(_find_file, mention, context)
    if found is None:
        return None
    reading, tool = found
    arguments: dict[str, JsonValue] = {"path": reading.path}
    if tool == "read" and reading.first_line:
        line_count = reading.last_line - reading.first_line + 1
        arguments |= {"offset": reading.first_line, "limit": line_count}
    try:
        return await _plan(reading.text, tool, arguments, context)
    except ToolError as error:
        return build_unattached(reading.text, str(error))


async def _plan(
    mention: str, tool: str, arguments: dict[str, JsonValue], context: ToolContext
) -> PlannedAttachment:
    plan = await _TOOLS[tool].plan(_TOOLS[tool].arguments(**arguments), context)
    return PlannedAttachment(mention=mention, tool=tool, arguments=arguments, plan=plan)


def _find_file(mention: str, context: ToolContext) -> tuple[FileMention, str] | None:
    """Return how to read a mention, and the tool for it; None: it does not look like a path.

    If there is no such file, that is what the tool reports.
    """
    reading: FileMention | None = None
    for reading in iter_readings(mention):
        try:
            mode = os.stat(resolve_path(reading.path, context.workspace)).st_mode  # noqa: PTH116  (text)
        except (OSError, ToolError):
            continue
        return reading, "ls" if stat.S_ISDIR(mode) else "read"
    if reading and (mention.startswith('"') or _looks_like_path(reading, context.workspace.cwd)):
        return reading, "read"
    return None


def _looks_like_path(reading: FileMention, cwd: Path) -> bool:
    """Return whether a word is a path with a mistake in it, not a decorator or a user's name.

    A word without a slash is one if a file beside it has the same suffix.
    """
    path, suffix = reading.path, Path(reading.path).suffix
    first, slash, _ = path.partition("/")
    if reading.first_line or first in ("", ".", "..", "~"):
        return True
    if slash:
        return bool(suffix) or (cwd / first).is_dir()
    return bool(suffix) and any(name.endswith(suffix) for name in _iter_names(cwd))


def _iter_names(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        yield from (entry.name for entry in islice(entries, MAX_EXAMINED_NAMES))


async def read_attachments(
    planned: tuple[PlannedAttachment, ...], context: ToolContext
) -> tuple[Attachment, ...]:
    """Read what the permission engine allowed, in order."""
    attachments: list[Attachment] = []
    left_chars = MAX_TOTAL_CHARS
    for item in planned:
        attachment = await _read(item, context)
        if len(attachment.text) > left_chars:
            problem = f"attachments have at most {MAX_TOTAL_CHARS:,} characters in all"
            attachment = build_unattached(item.mention, problem, f" Use {item.tool} to see it.")
        left_chars -= len(attachment.text)
        attachments.append(attachment)
    return tuple(attachments)


async def _read(item: PlannedAttachment, context: ToolContext) -> Attachment:
    tool = _TOOLS[item.tool]
    try:
        output = await tool.run(tool.arguments(**item.arguments), item.plan, context)
    except (ToolError, TargetChangedError) as error:
        return build_unattached(item.mention, str(error))
    arguments = json.dumps(item.arguments, ensure_ascii=False)
    header = f"The user attached @{item.mention}. Result of {item.tool} {arguments}:"
    return Attachment(
        mention=item.mention,
        summary=_summarize(item, output.text),
        text=_wrap(f"{header}\n{output.text}") if item.mention else output.text,
        observed_files=output.observed_files,
    )


def _summarize(item: PlannedAttachment, text: str) -> str:
    """Return how much of the file or folder is attached, for the user."""
    rows = text.split("\n")
    has_note = rows[-1].startswith(("[lines ", "[truncated"))
    if text.startswith("("):
        return "empty"
    if item.tool == "ls":
        count, one, many = len(rows) - has_note, "entry", "entries"
    else:
        count, one, many = len(re.findall(_NUMBERED_ROW, text)), "line", "lines"
    # The lines that the user asked for are complete, even if the file continues.
    is_truncated = has_note and count != item.arguments.get("limit")
    noun = one if count == 1 else many
    return f"{count:,} {noun}{', truncated' if is_truncated else ''}"
