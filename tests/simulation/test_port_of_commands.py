"""Simulated commands and real ones are one port: the same ways to end, the same report of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.tools.local_processes import LocalProcesses
from actors.tools.processes import Finished, Processes
from tests.simulation.commands import SimulatedProcesses
from tests.simulation.loop import random_of, sim_loop

LONG_S = 30.0


@dataclass(frozen=True)
class Side:
    """One of the two, with its own words for the same commands."""

    processes: Processes
    commands: dict[str, str]
    marks: Callable[[], int]
    """How many steps the commands have done so far."""
    run: Callable[[Awaitable[object]], object]
    folder: Path

    def started(self, command: str, timeout_s: float = LONG_S) -> Awaitable[Finished]:
        return self.processes.run(self.commands[command], self.folder, timeout_s, self.folder)


def real(folder: Path) -> Side:
    steps = folder / "steps"
    step = f"echo x >>{steps}"
    commands = {
        "good": f"{step}; echo worked",
        "failing": "echo worked; exit 1",
        "long": f"while {step}; do sleep 0.05; done",
        "deaf": f"trap '' TERM; while {step}; do sleep 0.05; done",
        "unknown": "no-such-command-here",
    }

    def marks() -> int:
        return len(steps.read_text().splitlines()) if steps.exists() else 0

    return Side(LocalProcesses({"PATH": "/usr/bin:/bin"}), commands, marks, on_asyncio, folder)


def simulated(folder: Path) -> Side:
    done: list[str] = []

    def happened(tag: str, what: str, shown: str) -> None:
        done.append(f"{tag} {what} {shown}")

    processes = SimulatedProcesses(random_of(1, "processes"), happened)
    commands = {
        "good": "work e for 0.1",
        "failing": "work e for 0.1 as failing",
        "long": "work e for 60",
        "deaf": "work e for 60 as deaf",
        "unknown": "no-such-command-here",
    }
    return Side(processes, commands, lambda: len(done), on_the_loop, folder)


def on_asyncio(job: Awaitable[object]) -> object:
    return asyncio.run(awaited(job))


def on_the_loop(job: Awaitable[object]) -> object:
    loop = sim_loop(random_of(1, "loop"))
    task = loop.create_task(awaited(job))
    assert loop.run(task.done), "it hangs"
    loop.close()
    return task.result()


async def awaited(job: Awaitable[object]) -> object:
    return await job


@pytest.fixture(params=[real, simulated], ids=["real", "simulated"])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> Side:
    made: Callable[[Path], Side] = request.param
    return made(tmp_path)


def ended(side: Side, command: str, timeout_s: float = LONG_S) -> Finished:
    finished = side.run(side.started(command, timeout_s))
    assert isinstance(finished, Finished)
    return finished


@pytest.mark.parametrize(("command", "status"), [("good", 0), ("failing", 1)])
def test_a_command_that_ends_by_itself_says_how(side: Side, command: str, status: int) -> None:
    assert ended(side, command) == Finished("worked\n", status, timed_out=False, whole_output=None)


def test_a_command_that_is_not_there_is_the_shells_failure(side: Side) -> None:
    finished = ended(side, "unknown")
    assert (finished.exit_status, finished.timed_out) == (127, False)
    assert "command not found" in finished.output


@pytest.mark.parametrize("command", ["long", "deaf"])
def test_a_time_limit_ends_it_and_nothing_happens_afterwards(side: Side, command: str) -> None:
    finished = ended(side, command, 0.3)
    assert finished.timed_out
    assert finished.exit_status < 0
    side.run(nothing_more_happens(side))


@pytest.mark.parametrize("command", ["long", "deaf"])
def test_a_cancel_returns_only_when_nothing_happens_any_more(side: Side, command: str) -> None:
    async def cancelled() -> None:
        task = asyncio.ensure_future(side.started(command))
        await until_begun(side)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await nothing_more_happens(side)

    side.run(cancelled())


async def until_begun(side: Side) -> None:
    while not side.marks():  # noqa: ASYNC110  (a process tells it by a file only)
        await asyncio.sleep(0.01)


async def nothing_more_happens(side: Side) -> None:
    """Only the steps of the next two commands are added, which take a while."""
    before = side.marks()
    await side.started("good")
    steps = side.marks() - before
    await side.started("good")
    assert side.marks() == before + 2 * steps
