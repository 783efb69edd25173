"""Runs shell commands on this machine."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from actors.redaction.redaction import StreamRedactor, read_secrets
from actors.tools.await_helpers import run_to_completion, wait_with_timeout
from actors.tools.command_runner import CommandCancelledError, CommandResult
from actors.tools.output_spool import OutputSpool
from actors.tools.process_group import (
    is_group_alive,
    kill_all,
    terminate_all,
    wait_for_exit,
    wait_until_readable,
)
from actors.tools.process_tags import TAG_VARIABLE, new_tag
from actors.tools.safe_open import open_folder
from actors.tools.tool import ToolError

OUTPUT_GRACE_S = 0.2
"""How long output may still arrive after the shell has exited."""
_DESCRIPTOR_FOLDER = "/proc/self/fd"
_CHUNK_BYTES = 64 * 1024

_OVERRIDES = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
# With these, bash runs or reads something that the command's text does not show.
_REMOVED = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "CDPATH", "GLOBIGNORE")
_REMOVED_PREFIXES = ("ANTHROPIC_", "BASH_FUNC_")
_GIT_CONFIG_COUNT = "GIT_CONFIG_COUNT"


class LocalCommandRunner:
    """Runs commands with bash, each in its own session."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        """Create a runner whose commands inherit from `environment`."""
        self._environment = environment
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        """By process tag."""

    def kill_all(self) -> None:
        """Kill every running command; for use from any thread when the event loop is stuck."""
        for tag, process in tuple(self._running.items()):
            kill_all(process, tag)

    async def run(
        self, command: str, cwd: Path, timeout_s: float, output_folder: Path
    ) -> CommandResult:
        """Run `command`; see `CommandRunner`.

        Raises:
            ToolError: it cannot be started.
            CommandCancelledError: it was cancelled.
        """
        spool = OutputSpool(output_folder)
        is_kept = False
        try:
            result = await self._run(command, cwd, timeout_s, spool)
            is_kept = True
        except asyncio.CancelledError as error:
            output = await spool.format_output()
            is_kept = True
            raise CommandCancelledError(output) from error
        finally:
            spool.close(discard=not is_kept)
        return result

    async def _run(
        self, command: str, cwd: Path, timeout_s: float, spool: OutputSpool
    ) -> CommandResult:
        tag = new_tag(self._environment)
        environment = make_child_environment(self._environment) | {TAG_VARIABLE: tag}
        output, process = _start(command, cwd, environment)
        self._running[tag] = process
        redactor = StreamRedactor(read_secrets(self._environment))
        reading = asyncio.ensure_future(_read_output(output, redactor, spool))
        in_time = False
        try:
            in_time = await wait_with_timeout(wait_for_exit(process), timeout_s)
            if in_time:
                await wait_with_timeout(asyncio.shield(reading), OUTPUT_GRACE_S)
        finally:
            # Searching for processes that left the group is expensive. After a normal exit it is
            # done only if the group is alive or the pipe is open, so a silent daemon survives.
            is_over = in_time and reading.done() and not is_group_alive(process)
            try:
                had_leftovers = not is_over and await run_to_completion(
                    _terminate(process, reading, tag)
                )
            finally:
                del self._running[tag]
        await spool.add(redactor.flush())
        return CommandResult(
            output=await spool.format_output(),
            exit_status=process.returncode if process.returncode is not None else -9,
            timed_out=not in_time,
            had_leftover_processes=in_time and had_leftovers,
        )


def make_child_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return a command's environment: no credentials, no pager, nothing that bash would execute."""
    environment = {
        name: value
        for name, value in inherited.items()
        if name not in _REMOVED and not name.startswith(_REMOVED_PREFIXES)
    }
    return environment | _OVERRIDES | _make_git_configuration(inherited.get(_GIT_CONFIG_COUNT, ""))


def _make_git_configuration(count: str) -> dict[str, str]:
    """Return the variables that stop git from using a bare repository in a folder of the project.

    Ordinary files can form one, and its configuration can name programs that git runs. The setting
    follows those that the environment already has, so it wins.
    """
    index = int(count) if count.isascii() and count.isdigit() else 0
    return {
        f"GIT_CONFIG_KEY_{index}": "safe.bareRepository",
        f"GIT_CONFIG_VALUE_{index}": "explicit",
        _GIT_CONFIG_COUNT: str(index + 1),
    }


def _start(
    command: str, cwd: Path, environment: dict[str, str]
) -> tuple[int, subprocess.Popen[bytes]]:
    """Start a command; return the read end of its output pipe and the process."""
    bash = shutil.which("bash")
    if bash is None:
        message = "commands cannot be run: there is no bash on PATH"
        raise ToolError(message)
    output, child_output = os.pipe()
    try:
        with open_folder(cwd) as folder:  # the folder that was checked, not one that replaced it
            process = subprocess.Popen(
                [bash, "--noprofile", "--norc", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=child_output,
                stderr=child_output,
                cwd=f"{_DESCRIPTOR_FOLDER}/{folder}" if os.path.isdir(_DESCRIPTOR_FOLDER) else cwd,  # noqa: PTH112  (text)
                # An inherited PWD may name the folder through a link, and bash would resolve `..`
                # from that name.
                env=environment | {"PWD": str(cwd)},
                start_new_session=True,
            )
    except OSError as error:
        os.close(output)
        message = f"the command could not be started: {error.strerror}"
        raise ToolError(message) from error
    except BaseException:
        os.close(output)
        raise
    finally:
        os.close(child_output)
    return output, process


async def _read_output(output: int, redactor: StreamRedactor, spool: OutputSpool) -> None:
    try:
        while True:
            await wait_until_readable(output)
            chunk = os.read(output, _CHUNK_BYTES)
            if not chunk:
                return
            await spool.add(redactor.feed(chunk))
    finally:
        os.close(output)


async def _terminate(
    process: subprocess.Popen[bytes], reading: asyncio.Future[None], tag: str
) -> bool:
    """Terminate what is left of the command, read its last output; return whether any was left."""
    had_leftovers = await terminate_all(process, tag)
    # A process that was not found, or that we may not kill, can hold the pipe open forever.
    await wait_with_timeout(asyncio.shield(reading), OUTPUT_GRACE_S)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return had_leftovers
