"""The tool `edit`: one exact text in a file, replaced by another."""

import asyncio

from pydantic import Field

from actors.tools.changing import applied, judging, planned
from actors.tools.files import MAX_CHANGED_BYTES, Content, encoded, load, require_unchanged
from actors.tools.finishing import seen_through
from actors.tools.folders import planning
from actors.tools.matching import replaced
from actors.tools.paths import one_line, resolve
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.tools import CallPlan, ToolOutput

DESCRIPTION = f"""\
Replace text in a file. old_string must match exactly, whitespace too, and occur once; add \
surrounding lines until it does, or set replace_all. Leave out the line numbers that read shows.
Refused when the file changed since you read it, and when old_string is missing or ambiguous. \
Line endings are kept: send \\n also for files with CRLF. UTF-8 files of at most \
{MAX_CHANGED_BYTES // 1024**2} MiB."""


class EditArguments(Arguments):
    """What the model sends."""

    path: str = Field(description="The file; relative to the working folder, absolute, or ~/….")
    old_string: str = Field(description="The text to replace, not empty.")
    new_string: str = Field(description="The text to put in its place; empty deletes.")
    replace_all: bool = Field(default=False, description="Replace every occurrence.")


async def plan(arguments: EditArguments, context: ToolContext) -> CallPlan:
    """Find the text and make the diff."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: EditArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Write exactly what was planned; a cancelled one is not still writing when it returns."""
    return await seen_through(asyncio.to_thread(applied, arguments.path, plan, context))


def _plan(arguments: EditArguments, context: ToolContext) -> CallPlan:
    _check(arguments)
    path = resolve(arguments.path, context.workspace)
    with planning(arguments.path):
        content = load(path)
    with judging("edit", content, context):
        text = _text(content, arguments.path)
        require_unchanged(content.state, context.observed_files, arguments.path)
        after = replaced(
            text, arguments.old_string, arguments.new_string, everywhere=arguments.replace_all
        )
        return planned("edit", content, after, context)


def _check(arguments: EditArguments) -> None:
    problem = ""
    if not arguments.old_string:
        problem = "old_string is empty; to write a whole file use write"
    elif arguments.old_string == arguments.new_string:
        problem = "old_string and new_string are the same"
    if problem:
        raise ToolError(problem)
    encoded(arguments.new_string)


def _text(content: Content, shown: str) -> str:
    if content.data is None:
        message = f"{one_line(shown)}: no such file; to make it use write"
        raise ToolError(message)
    try:
        return content.data.decode()
    except UnicodeDecodeError as error:
        message = f"{one_line(shown)} is not UTF-8 text; change it with bash"
        raise ToolError(message) from error


EDIT = Tool(
    name="edit",
    description=DESCRIPTION,
    arguments=EditArguments,
    reads_only=False,
    plan=plan,
    run=run,
)
