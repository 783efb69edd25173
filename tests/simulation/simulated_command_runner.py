"""Commands that only take virtual time, and report each step to the simulation."""

import asyncio
import re
from pathlib import Path
from random import Random

from actors.sandbox.policy import Confinement
from actors.tools.await_helpers import run_to_completion
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.tool import ToolError
from tests.simulation.in_memory_workspace import EffectObserver

KILL_DELAY_S = 1.0
"""Time from TERM to KILL, for a command that ignores TERM."""
STEP_COUNT = 4
COMMAND = re.compile(
    r"work (?P<tag>\S+) for (?P<seconds>[\d.]+)( (?P<variant>ignoring-term|failing))?"
)


class SimulatedCommandRunner:
    """Runs `work TAG for SECONDS`, which works in steps; it may ignore TERM or fail.

    Its sleeps are the duration of the command, in virtual time of the simulated loop.
    """

    def __init__(self, random: Random, on_effect: EffectObserver) -> None:
        self._random = random
        self._on_effect = on_effect
        self.is_armed = False

    async def run(
        self,
        command: str,
        cwd: Path,  # noqa: ARG002  (as the port)
        timeout_s: float,
        output: OutputTarget,  # noqa: ARG002  (output is never long)
        sandbox: Confinement | None = None,  # noqa: ARG002  (it touches no file)
    ) -> CommandResult:
        """Run a command; see `CommandRunner`."""
        if self.is_armed and self._random.random() < 0.02:
            message = "the command could not be started: injected"
            raise ToolError(message)
        match = COMMAND.fullmatch(command)
        if match is None:
            return CommandResult("command not found\n", 127, timed_out=False)
        task = asyncio.ensure_future(self._work(match["tag"], float(match["seconds"]), command))
        timed_out = False
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(task)
        except TimeoutError:
            timed_out = True
        finally:
            ignores_term = match["variant"] == "ignoring-term"
            await run_to_completion(self._kill(task, ignores_term=ignores_term))
        status = -15 if timed_out else 0
        if not timed_out and match["variant"] == "failing":
            status = 1
        return CommandResult("worked\n", status, timed_out=timed_out)

    async def _work(self, tag: str, duration_s: float, command: str) -> None:
        self._on_effect(tag, "starts", command)
        for _ in range(STEP_COUNT):
            await asyncio.sleep(duration_s / STEP_COUNT)
            self._on_effect(tag, "works", command)

    async def _kill(self, task: "asyncio.Future[None]", *, ignores_term: bool) -> None:
        """End a command by TERM, or by KILL if it ignores TERM."""
        if not task.done():
            await asyncio.sleep(KILL_DELAY_S if ignores_term else 0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
