"""The `bash` tool: runs one command until it exits."""

import asyncio
import signal

from pydantic import AliasChoices, Field

from actors.paths.workspace import Workspace
from actors.tools import tool_list
from actors.tools.command_runner import CommandResult
from actors.tools.executed_files import find_executed_files, has_no_file_names
from actors.tools.file_content import encode_text
from actors.tools.local_command_runner import OUTPUT_GRACE_S
from actors.tools.output_spool import MAX_OUTPUT_CHARS
from actors.tools.process_group import GRACE_S
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import Arguments, TargetChangedError, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, ToolOutput

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 600.0
MAX_COMMAND_BYTES = 120_000
"""Linux allows 128 KiB in one argument."""
_MAX_TITLE_CHARS = 200

DESCRIPTION = f"""\
Run a command with bash, without startup files, in the working directory. Each call starts a new \
shell: cd and variables do not carry over to the next call.
There is no terminal and no input: a command that reads standard input gets end of file. Returns \
standard output and standard error interleaved, then the exit status if it is not 0. Output over \
{MAX_OUTPUT_CHARS:,} characters is truncated in the middle; the full output is saved to a file \
that the result names.
After timeout_s seconds (default {DEFAULT_TIMEOUT_S:g}, maximum {MAX_TIMEOUT_S:g}), the command \
and every process it started are terminated (SIGTERM, then SIGKILL after {GRACE_S:g} s). Processes \
still running {OUTPUT_GRACE_S:g} s after the shell exits are terminated too, so nothing keeps \
running in the background.
To read, list, search, write or edit files, prefer read, ls, glob, grep, write and edit."""


class BashArguments(Arguments):
    """What the model sends."""

    command: str = Field(
        validation_alias=AliasChoices("command", "cmd"),
        description=f"The command to run, at most {MAX_COMMAND_BYTES:,} bytes of UTF-8.",
    )
    description: str = Field(default="", description="What the command does, in five to ten words.")
    timeout_s: float = Field(
        default=DEFAULT_TIMEOUT_S,
        gt=0,
        le=MAX_TIMEOUT_S,
        allow_inf_nan=False,
        description=f"Time limit in seconds, at most {MAX_TIMEOUT_S:g}.",
    )


async def plan(arguments: BashArguments, context: ToolContext) -> CallPlan:
    """Plan the whole command as one permission request, bound to the files that it executes."""
    command = arguments.command
    problem = _find_problem(command)
    if problem:
        raise ToolError(problem)
    title = escape_control_characters(command.strip())
    if len(title) > _MAX_TITLE_CHARS:
        title = title[:_MAX_TITLE_CHARS] + "…"
    return CallPlan(
        title=f"bash {title}",
        full_text=command,
        requests=(PermissionRequest(permission="bash", target=command),),
        executed_files=await _find_executed_files(command, context.workspace),
    )


async def run(arguments: BashArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Run exactly the command that was planned.

    Raises:
        TargetChangedError: a file that it executes has changed since then.
    """
    executed_files = await _find_executed_files(plan.full_text, context.workspace)
    if executed_files != plan.executed_files:
        changed = [
            file.path
            for file in (*executed_files, *plan.executed_files)
            if (file in executed_files) != (file in plan.executed_files)
        ]
        message = f"a file that it executes has changed: {', '.join(dict.fromkeys(changed))}"
        raise TargetChangedError(message)
    result = await context.command_runner.run(
        plan.full_text, context.workspace.cwd, arguments.timeout_s, context.output_folder
    )
    return format_result(result, arguments.timeout_s)


def format_result(result: CommandResult, timeout_s: float) -> ToolOutput:
    """Write a command's output and how it ended; the last line is the cause of a failure."""
    parts = [result.output.rstrip("\n") or "(no output)"]
    if result.had_leftover_processes:
        parts.append("[processes left in the background were terminated]")
    if result.timed_out:
        parts.append(f"timed out after {timeout_s:g} s and was terminated")
    elif result.exit_status < 0:
        parts.append(f"terminated by {_get_signal_name(-result.exit_status)}")
        parts.append(f"exit status {128 - result.exit_status}")
    elif result.exit_status:
        parts.append(f"exit status {result.exit_status}")
    has_failed = result.timed_out or result.exit_status != 0
    return ToolOutput(text="\n".join(parts), is_error=has_failed)


async def _find_executed_files(command: str, workspace: Workspace) -> tuple[FileDigest, ...]:
    if has_no_file_names(command, workspace):
        return ()
    return await asyncio.to_thread(find_executed_files, command, workspace)


def _find_problem(command: str) -> str:
    if not command.strip():
        return "the command is empty"
    if "\0" in command:
        return "the command contains a NUL character"
    length_bytes = len(encode_text(command))
    if length_bytes > MAX_COMMAND_BYTES:
        return (
            f"the command is {length_bytes:,} bytes long; the maximum is {MAX_COMMAND_BYTES:,}. "
            "Write it to a script with write, then run the script"
        )
    return ""


def _get_signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


BASH = Tool(
    tool_list.BASH,
    description=DESCRIPTION,
    arguments=BashArguments,
    plan=plan,
    run=run,
)
