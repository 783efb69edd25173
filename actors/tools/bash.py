"""The tool `bash`: one command, run to its end."""

import asyncio
import signal

from pydantic import Field

from actors.paths.workspace import Workspace
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
"""Linux takes 128 KiB in one argument."""
_TITLE_CHARS = 200

DESCRIPTION = f"""\
Run a command with bash, without profile files, in the working folder. Each call is a new shell: \
cd and variables do not carry over.
There is no terminal and no input: a command that asks gets end of file. Standard output and \
error come together in order, at most {MAX_OUTPUT_CHARS:,} characters; of more the middle is left \
out and the whole goes to a file that is named.
After timeout_s seconds ({DEFAULT_TIMEOUT_S:g} unless given, at most {MAX_TIMEOUT_S:g}) the \
command and all it started are ended (TERM, {GRACE_S:g} s later KILL). Processes still there when \
the shell has ended (and {OUTPUT_GRACE_S:g} s passed for their output) are ended too: nothing goes \
on in the background.
To read, list, write or change files use read, ls, write and edit."""


class BashArguments(Arguments):
    """What the model sends."""

    command: str = Field(description="The command.")
    description: str = Field(default="", description="What it is for, in five to ten words.")
    timeout_s: float = Field(
        default=DEFAULT_TIMEOUT_S,
        gt=0,
        le=MAX_TIMEOUT_S,
        allow_inf_nan=False,
        description="Seconds until the command is ended.",
    )


async def plan(arguments: BashArguments, context: ToolContext) -> CallPlan:
    """Name the whole command as the one thing to judge, bound to the files that it runs."""
    command = arguments.command
    problem = _problem(command)
    if problem:
        raise ToolError(problem)
    shown = escape_control_characters(command.strip())
    if len(shown) > _TITLE_CHARS:
        shown = shown[:_TITLE_CHARS] + "…"
    request = PermissionRequest(permission="bash", target=command)
    runs = await _executed(command, context.workspace)
    return CallPlan(
        title=f"bash {shown}", full_text=command, requests=(request,), executed_files=runs
    )


async def run(arguments: BashArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """Run exactly the command that was judged.

    Raises:
        Drifted: a file that it runs is not what it was then.
    """
    now = await _executed(plan.full_text, context.workspace)
    if now != plan.executed_files:
        other = [
            each.path
            for each in (*now, *plan.executed_files)
            if (each in now) != (each in plan.executed_files)
        ]
        message = f"a file that it runs is another now: {', '.join(dict.fromkeys(other))}"
        raise TargetChangedError(message)
    finished = await context.command_runner.run(
        plan.full_text, context.workspace.cwd, arguments.timeout_s, context.output_folder
    )
    return format_result(finished, arguments.timeout_s)


def format_result(result: CommandResult, timeout_s: float) -> ToolOutput:
    """Put what happened into words; the last line says how a failure ended."""
    parts = [result.output.rstrip("\n") or "(no output)"]
    if result.had_leftover_processes:
        parts.append("[processes left in the background were ended]")
    if result.timed_out:
        parts.append(f"ended after {timeout_s:g} s, its time limit")
    elif result.exit_status < 0:
        parts.append(f"ended by {_signal_name(-result.exit_status)}")
        parts.append(f"exit status {128 - result.exit_status}")
    elif result.exit_status:
        parts.append(f"exit status {result.exit_status}")
    failed = result.timed_out or result.exit_status != 0
    return ToolOutput(text="\n".join(parts), is_error=failed)


async def _executed(command: str, workspace: Workspace) -> tuple[FileDigest, ...]:
    if has_no_file_names(command, workspace):
        return ()
    return await asyncio.to_thread(find_executed_files, command, workspace)


def _problem(command: str) -> str:
    if not command.strip():
        return "the command is empty"
    if "\0" in command:
        return "the command contains a NUL character"
    length_bytes = len(encode_text(command))
    if length_bytes > MAX_COMMAND_BYTES:
        return f"the command has {length_bytes:,} bytes, at most {MAX_COMMAND_BYTES:,} can be run"
    return ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


BASH = Tool(
    name="bash",
    description=DESCRIPTION,
    arguments=BashArguments,
    reads_only=False,
    plan=plan,
    run=run,
)
