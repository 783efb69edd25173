"""Processes that leave their command's group: found by its mark, and ended with it."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.process_tags import TAG_VARIABLE, find_tagged_processes, new_tag
from messages.tool_calls import ToolOutput
from tests.actors.tools.tool_caller import ToolCaller, is_gone

needs_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="nothing else finds them")

ORPHAN_COMMANDS = {
    "setsid": "setsid bash -c 'echo $$ > {out}; exec sleep 100' &",
    "a double fork": "(setsid bash -c '(echo $BASHPID > {out}; exec sleep 100) &' &)",
    "no ear for TERM": (
        """setsid bash -c 'trap "" TERM; echo $$ > {out}; while :; do sleep 9; done' &"""
    ),
    "a silent one": "setsid bash -c 'echo $$ > {out}; exec sleep 100 >/dev/null 2>&1' &",
    "one in whose place comes another": (
        """setsid bash -c 'trap "setsid sleep 100; exit" TERM; echo $$ > {out}; sleep 100' &"""
    ),
}
stray = pytest.mark.parametrize("stray", ORPHAN_COMMANDS.values(), ids=ORPHAN_COMMANDS.keys())


def run_bash(caller: ToolCaller, command: str, timeout_s: float = 20.0) -> ToolOutput:
    plan = caller.plan("bash", command=command, timeout_s=timeout_s)
    return caller.run("bash", plan, command=command, timeout_s=timeout_s)


def find_sleeping_processes() -> list[int]:
    """Every process below a command of this test run."""
    mine = os.environ[TAG_VARIABLE]
    return list(find_tagged_processes(mine))


@pytest.fixture(autouse=True)
def _set_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' commands run inside a command of ours, so that all of theirs can be found."""
    monkeypatch.setenv(TAG_VARIABLE, new_tag({}))


@needs_proc
@stray
def test_the_time_limit_ends_who_left_the_group(caller: ToolCaller, stray: str) -> None:
    output = run_bash(caller, stray.format(out="/dev/stdout") + "\nsleep 100", timeout_s=0.5)
    pid, *_, last = output.text.splitlines()
    assert last == "ended after 0.5 s, its time limit"
    assert is_gone(int(pid))
    assert find_sleeping_processes() == []


@needs_proc
@stray
def test_a_cancel_ends_who_left_the_group(caller: ToolCaller, stray: str) -> None:
    fifo = caller.root / "pid"
    os.mkfifo(fifo)
    command = stray.format(out=fifo) + "\nsleep 100"

    async def cancelled() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        pid = await asyncio.to_thread(fifo.read_text)  # waits for the writer
        assert not is_gone(int(pid))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert is_gone(int(pid))
        assert find_sleeping_processes() == []

    asyncio.run(cancelled())


@needs_proc
def test_who_left_the_group_and_holds_the_pipe_is_ended_when_the_shell_has(
    caller: ToolCaller,
) -> None:
    output = run_bash(caller, "setsid sleep 100 & echo $!")
    pid, note = output.text.splitlines()
    assert note == "[processes left in the background were ended]"
    assert is_gone(int(pid))


def test_who_cannot_be_found_does_not_hold_the_call(caller: ToolCaller) -> None:
    output = run_bash(caller, "env -i setsid sleep 100 & echo $!")
    os.kill(int(output.text), signal.SIGKILL)
    assert not output.is_error


@needs_proc
def test_the_end_of_one_command_is_not_that_of_another(caller: ToolCaller) -> None:
    ready = caller.root / "ready"
    os.mkfifo(ready)
    other = f"read -r word < {ready}; setsid echo $word"

    async def side_by_side() -> None:
        run = LocalCommandRunner().run
        going_on = asyncio.ensure_future(
            run(other, caller.root, 20.0, caller.context.output_folder)
        )
        await run("setsid sleep 100 & sleep 100", caller.root, 0.1, caller.context.output_folder)
        await asyncio.to_thread(ready.write_text, "done\n")  # waits for the reader
        assert (await going_on).output == "done\n"

    asyncio.run(side_by_side())


@needs_proc
@pytest.mark.parametrize(
    ("borne", "found"), [("ab", True), ("ab/cd", True), ("abc", False), ("", False)]
)
def test_a_mark_finds_what_bears_it_or_one_made_inside_it(borne: str, found: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    mark = new_tag({})
    environment = {TAG_VARIABLE: borne.replace("ab", mark)}
    with subprocess.Popen(
        ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"x")
        process.stdout.read(1)  # it is itself by now
        assert list(find_tagged_processes(mark)) == ([process.pid] if found else [])
        process.stdin.close()


def test_a_mark_made_inside_a_command_extends_that_one_s() -> None:
    assert new_tag({TAG_VARIABLE: "outer"}).startswith("outer/")


def test_no_two_marks_are_alike() -> None:
    assert len({new_tag({}) for _ in range(100)}) == 100
