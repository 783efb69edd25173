"""Runs shell commands on this machine."""

import asyncio
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from actors.paths.program_search import find_program
from actors.redaction.redaction import StreamRedactor, read_secrets
from actors.sandbox.policy import Confinement, OpenFiles
from actors.sandbox.sandbox import Sandbox
from actors.tools.await_helpers import (
    run_to_completion,
    wait_until_readable,
    wait_with_timeout,
)
from actors.tools.command_runner import CommandCancelledError, CommandResult, OutputTarget
from actors.tools.command_watcher import LEFTOVER_GRACE_S
from actors.tools.output_spool import OutputSpool
from actors.tools.safe_open import open_folder
from actors.tools.tool import ToolError
from actors.tools.watcher_client import WATCHER_CLIENT, WatchedCommand, WatcherLostError

WATCHER_LOST = (
    "the command killed Greenroom's process that watches it, so all of its processes were killed "
    "and its result is unknown"
)
NO_SANDBOX = "the command needs a sandbox, but this session has none"
_DEFAULT_BASH = "/bin/bash"
_CHUNK_BYTES = 64 * 1024

# Without a terminal, a pager or a prompt for a password would never end.
_OVERRIDES = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
# With these, bash runs or reads something that the command's text does not show.
_REMOVED = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "CDPATH", "GLOBIGNORE")
_REMOVED_PREFIXES = ("ANTHROPIC_", "BASH_FUNC_")  # keys, and functions that replace commands
_GIT_CONFIG_COUNT = "GIT_CONFIG_COUNT"


@dataclass(frozen=True, slots=True)
class _Command:
    """A program to start."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    open_files: OpenFiles = ()


class LocalCommandRunner:
    """Runs commands with bash, each in its own session and below its own watcher."""

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        projects: Iterable[Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Create a runner whose commands inherit from `environment`.

        All commands run with the same bash: the first one on PATH that is in no project.
        """
        self._environment = environment
        self._secrets = read_secrets(environment)
        self._sandbox = sandbox
        path_variable = environment.get("PATH", os.defpath)
        self._bash = find_program("bash", path_variable, projects) or _DEFAULT_BASH

    async def run(
        self,
        command: str,
        cwd: Path,
        timeout_s: float,
        output: OutputTarget,
        sandbox: Confinement | None = None,
    ) -> CommandResult:
        """Run `command`; see `CommandRunner`.

        Raises:
            ToolError: it cannot be started.
            CommandCancelledError: it was cancelled.
        """
        spool = OutputSpool(output)
        is_kept = False
        try:
            result = await self._run(command, cwd, timeout_s, spool, sandbox)
            is_kept = True
        except asyncio.CancelledError as error:
            text = await spool.format_output()
            is_kept = True
            raise CommandCancelledError(text) from error
        finally:
            spool.close(discard=not is_kept)
        return result

    async def _run(
        self,
        command: str,
        cwd: Path,
        timeout_s: float,
        spool: OutputSpool,
        sandbox: Confinement | None,
    ) -> CommandResult:
        arguments = (self._bash, "--noprofile", "--norc", "-c", command)
        # An inherited PWD may name the folder through a link, and bash would resolve `..` from
        # that name.
        environment = make_child_environment(self._environment) | {"PWD": str(cwd)}
        if sandbox is None:
            return await self._watch(_Command(arguments, environment), cwd, timeout_s, spool)
        if self._sandbox is None:
            raise ToolError(NO_SANDBOX)
        with (
            _map_start_errors(),
            self._sandbox.prepare(arguments, cwd, sandbox, environment) as prepared,
        ):
            sandboxed = _Command(prepared.arguments, prepared.environment, prepared.open_files)
            result = await self._watch(sandboxed, cwd, timeout_s, spool)
            if prepared.has_sandbox_failed(result.exit_status):
                message = f"the sandbox failed, so the command did not run: {result.output}"
                raise ToolError(message)
        return replace(result, sandbox=sandbox)

    async def _watch(
        self, command: "_Command", cwd: Path, timeout_s: float, spool: OutputSpool
    ) -> CommandResult:
        redactor = StreamRedactor(self._secrets)
        with _map_start_errors():
            output, watched = _start_watcher(cwd, command.environment)
        reading = asyncio.ensure_future(_read_output(output, redactor, spool))
        try:
            with _map_start_errors():
                report, in_time = await watched.run(
                    command.arguments, command.environment, timeout_s, command.open_files
                )
        finally:
            if not reading.done():
                await run_to_completion(_finish_reading(reading))
        await spool.add(redactor.flush())
        return CommandResult(
            output=await spool.format_output(),
            exit_status=report.exit_status,
            timed_out=not in_time,
            terminated_processes=report.terminated if in_time else (),
            running_processes=report.still_running,
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


@contextmanager
def _map_start_errors() -> Generator[None]:
    """Map errors of starting a command to errors for the model.

    Raises:
        ToolError: the command could not be started, or its watcher was killed.
    """
    try:
        yield
    except OSError as error:
        message = f"the command could not be started: {error.strerror}"
        raise ToolError(message) from error
    except WatcherLostError as error:
        raise ToolError(WATCHER_LOST) from error


def _start_watcher(cwd: Path, environment: Mapping[str, str]) -> tuple[int, WatchedCommand]:
    """Start a watcher; return the read end of its command's output pipe, and the command."""
    output, child_output = os.pipe()
    try:
        with open_folder(cwd) as folder:  # the folder that was checked, not one that replaced it
            return output, WATCHER_CLIENT.watch(child_output, folder, environment)
    except BaseException:
        os.close(output)
        raise
    finally:
        os.close(child_output)


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


async def _finish_reading(reading: asyncio.Future[None]) -> None:
    """Read the last output of a command that has ended."""
    # A process that we could not terminate can hold the pipe open forever.
    await wait_with_timeout(asyncio.shield(reading), LEFTOVER_GRACE_S)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
