"""The simulated and the real command runner end commands in the same ways."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from actors.tools.command_runner import CommandResult, CommandRunner, OutputTarget
from actors.tools.local_command_runner import LocalCommandRunner
from tests.program.program_harness import CommandWatch
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_loop import make_random, run_on_asyncio, run_on_simulated_loop

LONG_S = 30.0


@dataclass(frozen=True)
class CommandRunnerFixture:
    """One of the two runners, with its own text for the same commands."""

    command_runner: CommandRunner
    commands: dict[str, str]
    count_steps: Callable[[], int]
    """Returns the number of steps that all commands have done."""
    wait_for_start: Callable[[], Awaitable[object]]
    """Waits until a long command has done its first step."""
    run: Callable[[Awaitable[object]], object]
    folder: Path

    def start(self, command: str, timeout_s: float = LONG_S) -> Awaitable[CommandResult]:
        return self.command_runner.run(
            self.commands[command], self.folder, timeout_s, OutputTarget(self.folder)
        )


@contextmanager
def open_real_fixture(folder: Path) -> Generator[CommandRunnerFixture]:
    steps, watch = folder / "steps", CommandWatch(folder / "watch")
    step = f"echo x >>{steps}"
    repeat_step = f"{step}; echo started >{watch.path}; while {step}; do sleep 0.05; done"
    commands = {
        "succeeding": f"{step}; echo worked",
        "failing": "echo worked; exit 1",
        "long": repeat_step,
        "ignoring TERM": f"trap '' TERM; {repeat_step}",
        "unknown": "no-such-command-here",
    }

    def count_steps() -> int:
        return len(steps.read_text().splitlines()) if steps.exists() else 0

    yield CommandRunnerFixture(
        LocalCommandRunner({"PATH": "/usr/bin:/bin"}),
        commands,
        count_steps,
        partial(asyncio.to_thread, watch.wait_for_output),
        run_on_asyncio,
        folder,
    )
    watch.close()


@contextmanager
def open_simulated_fixture(folder: Path) -> Generator[CommandRunnerFixture]:
    effects: list[str] = []
    started = asyncio.Event()

    def on_effect(tag: str, effect: str, details: str) -> None:
        effects.append(f"{tag} {effect} {details}")
        started.set()

    runner = SimulatedCommandRunner(make_random(1, "commands"), on_effect)
    commands = {
        "succeeding": "work e for 0.1",
        "failing": "work e for 0.1 failing",
        "long": "work e for 60",
        "ignoring TERM": "work e for 60 ignoring-term",
        "unknown": "no-such-command-here",
    }
    yield CommandRunnerFixture(
        runner, commands, lambda: len(effects), started.wait, run_on_simulated_loop, folder
    )


@pytest.fixture(params=[open_real_fixture, open_simulated_fixture], ids=["real", "simulated"])
def fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[CommandRunnerFixture]:
    open_fixture: Callable[[Path], AbstractContextManager[CommandRunnerFixture]] = request.param
    with open_fixture(tmp_path) as opened:
        yield opened


def run_command(
    fixture: CommandRunnerFixture, command: str, timeout_s: float = LONG_S
) -> CommandResult:
    result = fixture.run(fixture.start(command, timeout_s))
    assert isinstance(result, CommandResult)
    return result


@pytest.mark.parametrize(("command", "status"), [("succeeding", 0), ("failing", 1)])
def test_a_command_returns_its_output_and_exit_status(
    fixture: CommandRunnerFixture, command: str, status: int
) -> None:
    assert run_command(fixture, command) == CommandResult("worked\n", status, timed_out=False)


def test_an_unknown_command_fails_with_status_127(fixture: CommandRunnerFixture) -> None:
    result = run_command(fixture, "unknown")
    assert (result.exit_status, result.timed_out) == (127, False)
    assert "command not found" in result.output


@pytest.mark.parametrize("command", ["long", "ignoring TERM"])
def test_a_timeout_ends_the_command_and_all_effects(
    fixture: CommandRunnerFixture, command: str
) -> None:
    result = run_command(fixture, command, 0.3)
    assert result.timed_out
    assert result.exit_status < 0
    fixture.run(assert_no_more_steps(fixture))


@pytest.mark.parametrize("command", ["long", "ignoring TERM"])
def test_a_cancel_returns_only_after_the_last_effect(
    fixture: CommandRunnerFixture, command: str
) -> None:
    async def start_and_cancel() -> None:
        task = asyncio.ensure_future(fixture.start(command))
        await fixture.wait_for_start()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await assert_no_more_steps(fixture)

    fixture.run(start_and_cancel())


async def assert_no_more_steps(fixture: CommandRunnerFixture) -> None:
    """Check that the next two commands, which take a while, are the only ones with effects."""
    before = fixture.count_steps()
    await fixture.start("succeeding")
    steps = fixture.count_steps() - before
    await fixture.start("succeeding")
    assert fixture.count_steps() == before + 2 * steps
