"""Commands on this machine."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from actors.redaction.redaction import StreamRedactor, read_secrets
from actors.tools.await_helpers import run_to_completion, wait_with_timeout
from actors.tools.command_runner import CommandResult
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
"""How long output may still come after the shell has ended."""
_OPEN_FILES = "/proc/self/fd"
_CHUNK_BYTES = 64 * 1024

_QUIET = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
# With these, bash runs or reads something that the command's text does not show.
_HIDDEN = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "CDPATH", "GLOBIGNORE")
_LEFT_OUT = ("ANTHROPIC_", "BASH_FUNC_")


class LocalCommandRunner:
    """Runs commands with bash, each in a session of its own."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._at_work: dict[str, subprocess.Popen[bytes]] = {}
        """By mark."""

    def kill_all(self) -> None:
        """Kill every command that runs, from any thread, since nothing here turns any more."""
        for mark, process in tuple(self._at_work.items()):
            kill_all(process, mark)

    async def run(
        self, command: str, cwd: Path, timeout_s: float, output_folder: Path
    ) -> CommandResult:
        """Run `command`; see `Processes`.

        Raises:
            ToolError: it cannot be started.
        """
        spool = OutputSpool(output_folder)
        try:
            finished = await self._run(command, cwd, timeout_s, spool)
        except BaseException:
            spool.close(discard=True)
            raise
        spool.close()
        return finished

    async def _run(
        self, command: str, cwd: Path, timeout_s: float, spool: OutputSpool
    ) -> CommandResult:
        mark = new_tag(self._environment)
        environment = make_child_environment(self._environment) | {TAG_VARIABLE: mark}
        output, process = _start(command, cwd, environment)
        self._at_work[mark] = process
        hiding = StreamRedactor(read_secrets(self._environment))
        collecting = asyncio.ensure_future(_collect(output, hiding, spool))
        in_time = False
        try:
            in_time = await wait_with_timeout(wait_for_exit(process), timeout_s)
            if in_time:
                await wait_with_timeout(asyncio.shield(collecting), OUTPUT_GRACE_S)
        finally:
            # To look for who left the group is dear. After a command that ended by itself it is
            # done when somebody lives in the group or holds the pipe: a silent daemon is kept.
            over = in_time and collecting.done() and not is_group_alive(process)
            try:
                left_behind = not over and await run_to_completion(
                    _wind_down(process, collecting, mark)
                )
            finally:
                del self._at_work[mark]
        await spool.add(hiding.flush())
        return CommandResult(
            output=await spool.format_output(),
            exit_status=process.returncode if process.returncode is not None else -9,
            timed_out=not in_time,
            full_output_file=spool.path,
            had_leftover_processes=in_time and left_behind,
        )


def make_child_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Take what a command inherits: no credentials of ours, no pager, nothing that bash runs."""
    kept = {
        name: value
        for name, value in inherited.items()
        if name not in _HIDDEN and not name.startswith(_LEFT_OUT)
    }
    return kept | _QUIET


def _start(
    command: str, cwd: Path, environment: dict[str, str]
) -> tuple[int, subprocess.Popen[bytes]]:
    bash = shutil.which("bash")
    if bash is None:
        message = "there is no bash on this machine's PATH; commands cannot be run"
        raise ToolError(message)
    output, theirs = os.pipe()
    try:
        with open_folder(cwd) as folder:  # the very folder that was judged, not what replaced it
            process = subprocess.Popen(
                [bash, "--noprofile", "--norc", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                cwd=f"{_OPEN_FILES}/{folder}" if os.path.isdir(_OPEN_FILES) else cwd,  # noqa: PTH112  (text)
                # Else bash would take `..` away from a name that its parent process went by.
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
        os.close(theirs)
    return output, process


async def _collect(output: int, hiding: StreamRedactor, spool: OutputSpool) -> None:
    try:
        while True:
            await wait_until_readable(output)
            chunk = os.read(output, _CHUNK_BYTES)
            if not chunk:
                return
            await spool.add(hiding.feed(chunk))
    finally:
        os.close(output)


async def _wind_down(
    process: subprocess.Popen[bytes], collecting: asyncio.Future[None], mark: str
) -> bool:
    """End what is left of the command and take its last words; whether there was anybody."""
    left = await terminate_all(process, mark)
    # Who was not found, or may not be ended, may hold the pipe open for ever.
    await wait_with_timeout(asyncio.shield(collecting), OUTPUT_GRACE_S)
    collecting.cancel()
    await asyncio.gather(collecting, return_exceptions=True)
    return left
