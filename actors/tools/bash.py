"""The `bash` tool: runs one command until it exits."""

import asyncio
import hashlib
import shlex
import signal
import stat
from pathlib import Path

from pydantic import AliasChoices, Field

from actors.bash.parse import parse_command
from actors.paths.resolve import WorkspacePaths
from actors.paths.workspace import Workspace
from actors.permissions.executed_files import find_executed_files, has_no_file_names
from actors.permissions.rule_matching import OUTSIDE_PERMISSION
from actors.sandbox.policy import Confinement, FixedFile
from actors.tools import tool_list
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.command_watcher import GRACE_S, LEFTOVER_GRACE_S
from actors.tools.file_content import encode_text
from actors.tools.output_spool import MAX_OUTPUT_CHARS
from actors.tools.safe_open import map_plan_errors, require_folder
from actors.tools.target_paths import escape_control_characters, resolve_path
from actors.tools.tool import (
    PATH_FORMS,
    Arguments,
    TargetChangedError,
    Tool,
    ToolContext,
    ToolError,
)
from messages.policy import CommandSandbox, PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, ToolOutput

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 600.0
MAX_COMMAND_BYTES = 120_000
"""Linux allows 128 KiB in one argument."""
_MAX_TITLE_CHARS = 200
_MAX_NAMED_PROCESSES = 10
_MAX_FIXED_BYTES = 1024 * 1024
"""A larger file is a program rather than a script."""

DESCRIPTION = f"""\
Run a command with bash, without startup files. Each call starts a new shell in the working \
directory, so cd and variables do not carry over to the next call; to run a command in another \
directory, set cwd.
Commands that only read run in parallel with other calls of the same message; all others run one \
after the other, in order. Chain commands that depend on each other with &&.
Where there is a sandbox, commands run in it: without a network, with a private /tmp, and with the \
workspace read-only unless writes is set. Such commands usually need no approval.
There is no terminal and no input: a command that reads standard input gets end of file. Use \
options such as --yes, and start no editor or pager. Returns standard output and standard error \
interleaved, then the exit status if it is not 0. Output over {MAX_OUTPUT_CHARS:,} characters is \
truncated in the middle; the full output is saved to a file that the result names and that read \
and grep can open.
After timeout_s seconds (default {DEFAULT_TIMEOUT_S:g}, maximum {MAX_TIMEOUT_S:g}), the command \
and every process it started are terminated (SIGTERM, then SIGKILL after {GRACE_S:g} s). Processes \
still running {LEFTOVER_GRACE_S:g} s after the shell exits are terminated too, also after nohup or \
setsid, so nothing keeps running in the background.
To read, list, search, write or edit files, prefer read, ls, glob, grep, write and edit."""


class BashArguments(Arguments):
    """What the model sends."""

    command: str = Field(
        validation_alias=AliasChoices("command", "cmd"),
        description=f"The command to run, at most {MAX_COMMAND_BYTES:,} bytes of UTF-8.",
    )
    cwd: str = Field(
        default=".",
        validation_alias=AliasChoices("cwd", "workdir", "dir_path", "directory"),
        description=f"The directory to run it in: {PATH_FORMS}.",
    )
    description: str = Field(default="", description="What the command does, in five to ten words.")
    writes: bool = Field(
        default=False,
        description="True if the command must change files of the workspace. Without it, the "
        "sandbox, where there is one, keeps the workspace read-only.",
    )
    outside: bool = Field(
        default=False,
        description="True to run without the sandbox, for example to use the network. The user is "
        "asked. Use it only after the command failed in the sandbox, and give the reason in why.",
    )
    why: str = Field(default="", description="With outside: why the sandbox is in the way.")
    timeout_s: float = Field(
        default=DEFAULT_TIMEOUT_S,
        gt=0,
        le=MAX_TIMEOUT_S,
        allow_inf_nan=False,
        description=f"Time limit in seconds, at most {MAX_TIMEOUT_S:g}.",
    )


async def plan(arguments: BashArguments, context: ToolContext) -> CallPlan:
    """Plan the whole command as one permission request, bound to the files that it executes."""
    _require_valid(arguments.command)
    command = arguments.command
    if arguments.cwd not in ("", "."):
        command = await asyncio.to_thread(_add_directory, arguments, context)
        _require_valid(command)
    title = escape_control_characters(command.strip())
    if len(title) > _MAX_TITLE_CHARS:
        title = title[:_MAX_TITLE_CHARS] + "…"
    permissions = ("bash", OUTSIDE_PERMISSION) if arguments.outside else ("bash",)
    return CallPlan(
        title=f"bash {title}",
        full_text=command,
        requests=tuple(PermissionRequest(permission=name, target=command) for name in permissions),
        workspace_access="writable" if arguments.writes else "read-only",
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
    confinement = None
    if context.sandbox is not None:
        confinement = await asyncio.to_thread(_confine, plan, context.sandbox, context.workspace)
    result = await context.command_runner.run(
        plan.full_text,
        context.workspace.cwd,
        arguments.timeout_s,
        OutputTarget(context.output_folder, context.on_output),
        confinement,
    )
    return format_result(result, arguments.timeout_s)


def format_result(result: CommandResult, timeout_s: float) -> ToolOutput:
    """Write a command's output and how it ended; the last line is the cause of a failure."""
    parts = [result.output.rstrip("\n") or "(no output)"]
    if result.terminated_processes:
        names = _format_processes(result.terminated_processes)
        parts.append(f"[processes left in the background were terminated: {names}]")
    if result.running_processes:
        names = _format_processes(result.running_processes)
        parts.append(f"[still running, because they could not be terminated: {names}]")
    if result.timed_out:
        parts.append(f"timed out after {timeout_s:g} s and was terminated")
    elif result.exit_status < 0:
        parts.append(f"terminated by {_get_signal_name(-result.exit_status)}")
        parts.append(f"exit status {128 - result.exit_status}")
    elif result.exit_status:
        parts.append(f"exit status {result.exit_status}")
    if result.sandbox is not None and result.exit_status:
        parts.insert(1, _describe_sandbox(result.sandbox))
    has_failed = result.timed_out or result.exit_status != 0
    return ToolOutput(text="\n".join(parts), is_error=has_failed)


def _describe_sandbox(sandbox: Confinement) -> str:
    """Say what limited a command that failed; whether that is why it failed is not known."""
    is_read_only = sandbox.access == "read-only"
    workspace = "read-only (set writes to change files)" if is_read_only else "writable"
    return (
        f"[it ran in the sandbox: the workspace is {workspace}, other folders are read-only, "
        "/tmp is private, and there is no network]"  # noqa: S108  (text for the model)
    )


def _format_processes(processes: tuple[str, ...]) -> str:
    names = [escape_control_characters(name) for name in processes[:_MAX_NAMED_PROCESSES]]
    more = len(processes) - len(names)
    return ", ".join([*names, f"{more} more"] if more else names)


def _confine(plan: CallPlan, sandbox: CommandSandbox, workspace: Workspace) -> Confinement:
    """Return the sandbox of a command, in which the scripts that it names cannot change.

    Nobody can change what was shown between the check and the start: the command sees a copy.

    Raises:
        TargetChangedError: a script has changed since it was planned.
    """
    fixed_files: tuple[FixedFile, ...] = ()
    is_read_only = sandbox.access == "read-only"
    # The first part of a longer command may change a script for the second one.
    if is_read_only or len(parse_command(plan.full_text).parts) == 1:
        files = (file for file in plan.executed_files if file.digest)
        fixed_files = tuple(filter(None, (_fix_file(file, workspace) for file in files)))
    return Confinement(sandbox.access, sandbox.hidden_files, fixed_files)


def _fix_file(file: FileDigest, workspace: Workspace) -> FixedFile | None:
    """Read a script of the workspace; None for other and for large files."""
    path = Path(file.path)
    if not any(path.is_relative_to(root) for root in (workspace.root, *workspace.added_folders)):
        return None
    try:
        status = path.stat()
        content = path.read_bytes() if status.st_size <= _MAX_FIXED_BYTES else None
    except OSError as error:
        message = f"a file that it executes cannot be read: {file.path}: {error.strerror}"
        raise TargetChangedError(message) from error
    if content is None:
        return None
    if hashlib.sha256(content).hexdigest() != file.digest:
        message = f"a file that it executes has changed: {file.path}"
        raise TargetChangedError(message)
    return FixedFile(path, content, stat.S_IMODE(status.st_mode))


async def _find_executed_files(command: str, workspace: Workspace) -> tuple[FileDigest, ...]:
    if has_no_file_names(command, workspace.cwd):
        return ()
    paths = WorkspacePaths(root=str(workspace.root), cwd=str(workspace.cwd))
    files = await asyncio.to_thread(find_executed_files, command, paths)
    return tuple(FileDigest(path=file.path, digest=file.digest) for file in files)


def _add_directory(arguments: BashArguments, context: ToolContext) -> str:
    """Return the command with a `cd` before it, so that what is decided, shown and run is one text.

    Everything after a `cd` that fails must not run, so several commands are put into a group.
    """
    path = resolve_path(arguments.cwd, context.workspace)
    with map_plan_errors(arguments.cwd, path, context):
        require_folder(path, arguments.cwd)
    start, command = context.workspace.cwd, arguments.command
    if path == start:
        return command
    directory = str(path.relative_to(start) if path.is_relative_to(start) else path)
    if directory.startswith("-"):  # otherwise cd takes it as an option
        directory = f"./{directory}"
    if any(char in command for char in ";&|\n"):
        command = f"{{\n{command}\n}}"
    return f"cd {shlex.quote(directory)} && {command}"


def _require_valid(command: str) -> None:
    problem = _find_problem(command)
    if problem:
        raise ToolError(problem)


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
