"""Processes that leave their command's group are found by its tag and terminated with it."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.process_tags import TAG_VARIABLE, find_tagged_processes, new_tag
from tests.actors.tools.tool_caller import ToolCaller, is_gone

needs_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="only /proc shows environments")

ORPHAN_COMMANDS = {
    "setsid": "setsid bash -c 'echo $$ > {out}; exec sleep 100' &",
    "double fork": "(setsid bash -c '(echo $BASHPID > {out}; exec sleep 100) &' &)",
    "ignores SIGTERM": (
        """setsid bash -c 'trap "" TERM; echo $$ > {out}; while :; do sleep 9; done' &"""
    ),
    "no output": "setsid bash -c 'echo $$ > {out}; exec sleep 100 >/dev/null 2>&1' &",
    "replaces itself": (
        """setsid bash -c 'trap "setsid sleep 100; exit" TERM; echo $$ > {out}; sleep 100' &"""
    ),
}
each_orphan = pytest.mark.parametrize(
    "orphan", ORPHAN_COMMANDS.values(), ids=ORPHAN_COMMANDS.keys()
)


def find_command_processes() -> list[int]:
    """Return every process started by a command of this test."""
    return list(find_tagged_processes(os.environ[TAG_VARIABLE]))


@pytest.fixture(autouse=True)
def _set_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    """Act as a command of an outer Greenroom, so that all processes of the test can be found."""
    monkeypatch.setenv(TAG_VARIABLE, new_tag({}))


@needs_proc
@each_orphan
def test_the_time_limit_terminates_processes_that_left_the_group(
    caller: ToolCaller, orphan: str
) -> None:
    output = caller.run_bash(orphan.format(out="/dev/stdout") + "\nsleep 100", timeout_s=0.5)
    pid, *_, last = output.text.splitlines()
    assert last == "timed out after 0.5 s and was terminated"
    assert is_gone(int(pid))
    assert find_command_processes() == []


@needs_proc
@each_orphan
def test_cancellation_terminates_processes_that_left_the_group(
    caller: ToolCaller, orphan: str
) -> None:
    fifo = caller.root / "pid"
    os.mkfifo(fifo)
    command = orphan.format(out=fifo) + "\nsleep 100"

    async def cancel_and_check() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        pid = await asyncio.to_thread(fifo.read_text)  # waits for the writer
        assert not is_gone(int(pid))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert is_gone(int(pid))
        assert find_command_processes() == []

    asyncio.run(cancel_and_check())


@needs_proc
def test_a_process_holding_the_pipe_is_terminated_with_the_shell(
    caller: ToolCaller,
) -> None:
    output = caller.run_bash("setsid sleep 100 & echo $!")
    pid, note = output.text.splitlines()
    assert note == "[processes left in the background were terminated]"
    assert is_gone(int(pid))


def test_a_process_without_the_tag_does_not_delay_the_call(caller: ToolCaller) -> None:
    output = caller.run_bash("env -i setsid sleep 100 & echo $!")
    os.kill(int(output.text), signal.SIGKILL)
    assert not output.is_error


@needs_proc
def test_terminating_one_command_leaves_another_one_running(caller: ToolCaller) -> None:
    ready = caller.root / "ready"
    os.mkfifo(ready)
    other = f"read -r word < {ready}; setsid echo $word"

    async def run_both() -> None:
        run = LocalCommandRunner().run
        other_run = asyncio.ensure_future(
            run(other, caller.root, 20.0, caller.context.output_folder)
        )
        await run("setsid sleep 100 & sleep 100", caller.root, 0.1, caller.context.output_folder)
        await asyncio.to_thread(ready.write_text, "done\n")  # waits for the reader
        assert (await other_run).output == "done\n"

    asyncio.run(run_both())


@needs_proc
@pytest.mark.parametrize(
    ("process_tag", "found"), [("ab", True), ("ab/cd", True), ("abc", False), ("", False)]
)
def test_a_tag_finds_processes_with_it_or_an_extension(process_tag: str, found: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    tag = new_tag({})
    environment = {TAG_VARIABLE: process_tag.replace("ab", tag)}
    with subprocess.Popen(
        ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"x")
        process.stdout.read(1)  # by now it has executed cat
        assert list(find_tagged_processes(tag)) == ([process.pid] if found else [])
        process.stdin.close()


def test_a_tag_created_inside_a_command_extends_its_tag() -> None:
    assert new_tag({TAG_VARIABLE: "outer"}).startswith("outer/")


def test_each_new_process_tag_is_unique() -> None:
    assert len({new_tag({}) for _ in range(100)}) == 100
