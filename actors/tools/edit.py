"""The `edit` tool: replaces one exact text in a file with another."""

import asyncio
from pathlib import Path

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
from actors.tools.similar_names import suggest_names
from actors.tools.target_paths import escape_control_characters, resolve_path
from actors.tools.text_match import replace_text
from actors.tools.tool import FILE_PATH_NAMES, PATH_FORMS, Arguments, Tool, ToolContext, ToolError
from actors.tools.unified_diff import CONTEXT_LINES, format_new_lines
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = f"""\
Replace text in a file. old_string must match the file exactly, including whitespace, and must \
occur only once: include enough surrounding lines to make it unique, or set replace_all. Leave out \
the line numbers that read adds.
Fails if old_string is not found or not unique, or if the file has changed since you last read it. \
Returns the new lines with numbers and {CONTEXT_LINES} lines of context, so you need not read the \
file again. Line endings are preserved: send \\n even for files that use CRLF. The file must be \
UTF-8 and at most {MAX_EDITABLE_BYTES // 1024**2} MiB."""


class EditArguments(Arguments):
    """What the model sends."""

    path: str = Field(
        validation_alias=FILE_PATH_NAMES, description=f"The file to change: {PATH_FORMS}."
    )
    old_string: str = Field(
        validation_alias=AliasChoices("old_string", "old_str", "oldString"),
        description="The text to replace; must not be empty.",
    )
    new_string: str = Field(
        validation_alias=AliasChoices("new_string", "new_str", "newString"),
        description="The replacement; an empty string deletes the text.",
    )
    replace_all: bool = Field(
        validation_alias=AliasChoices("replace_all", "replaceAll"),
        default=False,
        description="Replace every occurrence.",
    )


async def plan(arguments: EditArguments, context: ToolContext) -> CallPlan:
    """Find the text and make the diff."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: EditArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Write exactly what was planned; when cancelled, return only after the write has ended."""
    return await run_to_completion(asyncio.to_thread(_run, arguments, plan, context))


def _plan(arguments: EditArguments, context: ToolContext) -> CallPlan:
    _require_valid_strings(arguments)
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        content = load_file(path)
    with guard_unread_content("edit", content, context):
        text = _decode(content, arguments.path, context)
        require_unchanged(content.file_digest, context.observed_files, arguments.path)
        new_text = replace_text(
            text, arguments.old_string, arguments.new_string, replace_all=arguments.replace_all
        )
        return plan_patch("edit", content, new_text, context)


def _run(arguments: EditArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    output = apply_plan(arguments.path, plan, context)
    new_lines = format_new_lines(plan.patch.diff) if plan.patch else ""
    return output.model_copy(update={"text": f"{output.text}\n{new_lines}".rstrip("\n")})


def _require_valid_strings(arguments: EditArguments) -> None:
    problem = ""
    if not arguments.old_string:
        problem = "old_string is empty; to write a whole file, use write"
    elif arguments.old_string == arguments.new_string:
        problem = "old_string and new_string are identical"
    if problem:
        raise ToolError(problem)
    encode_text(arguments.new_string)


def _decode(content: FileContent, given_path: str, context: ToolContext) -> str:
    if content.data is None:
        hint = suggest_names(Path(content.file_digest.path), context.workspace)
        name = escape_control_characters(given_path)
        message = f"{name}: no such file{hint or '; to create it, use write'}"
        raise ToolError(message)
    try:
        return content.data.decode()
    except UnicodeDecodeError as error:
        message = f"{escape_control_characters(given_path)} is not UTF-8 text; change it with bash"
        raise ToolError(message) from error


EDIT = Tool(
    tool_list.EDIT,
    description=DESCRIPTION,
    arguments=EditArguments,
    plan=plan,
    run=run,
)
