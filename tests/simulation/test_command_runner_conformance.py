"""Simulated commands and real ones are one port: the same ways to end, the same report of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.tools.command_runner import CommandResult, CommandRunner
from actors.tools.local_command_runner import LocalCommandRunner
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_loop import make_random, make_simulated_loop

LONG_S = 30.0


@dataclass(frozen=True)
class CommandRunnerFixture:
    """One of the two, with its own words for the same commands."""

    command_runner: CommandRunner
    commands: dict[str, str]
    count_steps: Callable[[], int]
    """How many steps the commands have done so far."""
    run: Callable[[Awaitable[object]], object]
    folder: Path

    def start(self, command: str, timeout_s: float = LONG_S) -> Awaitable[CommandResult]:
        return self.command_runner.run(self.commands[command], self.folder, timeout_s, self.folder)


def make_real_side(folder: Path) -> CommandRunnerFixture:
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

    return CommandRunnerFixture(
        LocalCommandRunner({"PATH": "/usr/bin:/bin"}), commands, marks, run_on_asyncio, folder
    )


def make_simulated_side(folder: Path) -> CommandRunnerFixture:
    done: list[str] = []

    def happened(tag: str, what: str, shown: str) -> None:
        done.append(f"{tag} {what} {shown}")

    processes = SimulatedCommandRunner(make_random(1, "processes"), happened)
    commands = {
        "good": "work e for 0.1",
        "failing": "work e for 0.1 as failing",
        "long": "work e for 60",
        "deaf": "work e for 60 as deaf",
        "unknown": "no-such-command-here",
    }
    return CommandRunnerFixture(
        processes, commands, lambda: len(done), run_on_simulated_loop, folder
    )


def run_on_asyncio(job: Awaitable[object]) -> object:
    return asyncio.run(await_job(job))


def run_on_simulated_loop(job: Awaitable[object]) -> object:
    loop = make_simulated_loop(make_random(1, "loop"))
    task = loop.create_task(await_job(job))
    assert loop.run(task.done), "it hangs"
    loop.close()
    return task.result()


async def await_job(job: Awaitable[object]) -> object:
    return await job


@pytest.fixture(params=[make_real_side, make_simulated_side], ids=["real", "simulated"])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> CommandRunnerFixture:
    made: Callable[[Path], CommandRunnerFixture] = request.param
    return made(tmp_path)


def run_command(
    side: CommandRunnerFixture, command: str, timeout_s: float = LONG_S
) -> CommandResult:
    finished = side.run(side.start(command, timeout_s))
    assert isinstance(finished, CommandResult)
    return finished


@pytest.mark.parametrize(("command", "status"), [("good", 0), ("failing", 1)])
def test_a_command_that_ends_by_itself_says_how(
    side: CommandRunnerFixture, command: str, status: int
) -> None:
    assert run_command(side, command) == CommandResult(
        "worked\n", status, timed_out=False
    )


def test_a_command_that_is_not_there_is_the_shells_failure(side: CommandRunnerFixture) -> None:
    finished = run_command(side, "unknown")
    assert (finished.exit_status, finished.timed_out) == (127, False)
    assert "command not found" in finished.output


@pytest.mark.parametrize("command", ["long", "deaf"])
def test_a_time_limit_ends_it_and_nothing_happens_afterwards(
    side: CommandRunnerFixture, command: str
) -> None:
    finished = run_command(side, command, 0.3)
    assert finished.timed_out
    assert finished.exit_status < 0
    side.run(assert_no_more_steps(side))


@pytest.mark.parametrize("command", ["long", "deaf"])
def test_a_cancel_returns_only_when_nothing_happens_any_more(
    side: CommandRunnerFixture, command: str
) -> None:
    async def cancelled() -> None:
        task = asyncio.ensure_future(side.start(command))
        await wait_until_started(side)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await assert_no_more_steps(side)

    side.run(cancelled())


async def wait_until_started(side: CommandRunnerFixture) -> None:
    while not side.count_steps():  # noqa: ASYNC110  (a process tells it by a file only)
        await asyncio.sleep(0.01)


async def assert_no_more_steps(side: CommandRunnerFixture) -> None:
    """Only the steps of the next two commands are added, which take a while."""
    before = side.count_steps()
    await side.start("good")
    steps = side.count_steps() - before
    await side.start("good")
    assert side.count_steps() == before + 2 * steps
