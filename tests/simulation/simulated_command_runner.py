"""Commands that do nothing but take time, and say what they did when."""

import asyncio
import re
from pathlib import Path
from random import Random

from actors.tools.await_helpers import run_to_completion
from actors.tools.command_runner import CommandResult
from actors.tools.tool import ToolError
from tests.simulation.in_memory_workspace import EffectObserver

GRACE_S = 1.0
"""A command that does not hear TERM is gone after so long."""
COMMAND = re.compile(r"work (?P<tag>\S+) for (?P<seconds>[\d.]+)( as (?P<how>deaf|failing))?")


class SimulatedCommandRunner:
    """The port of commands: `work TAG for SECONDS` works in steps, and can be deaf or fail."""

    def __init__(self, random: Random, on_effect: EffectObserver) -> None:
        self._random = random
        self._happened = on_effect
        self.is_armed = False

    async def run(self, command: str, cwd: Path, timeout_s: float, outputs: Path) -> CommandResult:  # noqa: ARG002  (nothing is long)
        """Run `command`; see `Processes`."""
        if self.is_armed and self._random.random() < 0.02:
            message = "the command could not be started: planted"
            raise ToolError(message)
        found = COMMAND.fullmatch(command)
        if found is None:
            return CommandResult("command not found\n", 127, timed_out=False)
        working = asyncio.ensure_future(self._work(found["tag"], float(found["seconds"]), command))
        in_time = True
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(working)
        except TimeoutError:
            in_time = False
        finally:
            await run_to_completion(self._end(working, deaf=found["how"] == "deaf"))
        status = 0 if in_time else -15
        if in_time and found["how"] == "failing":
            status = 1
        return CommandResult("worked\n", status, timed_out=not in_time)

    async def _work(self, tag: str, seconds: float, command: str) -> None:
        self._happened(tag, "begins", command)
        for _ in range(4):
            await asyncio.sleep(seconds / 4)
            self._happened(tag, "works", command)

    async def _end(self, working: "asyncio.Future[None]", *, deaf: bool) -> None:
        """End it: TERM, and KILL for who does not hear."""
        if not working.done():
            await asyncio.sleep(GRACE_S if deaf else 0.01)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
