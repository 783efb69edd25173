"""All processes of a command end with it, whatever they do to escape."""

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from actors.tools.bash import format_result
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.local_command_runner import WATCHER_LOST, LocalCommandRunner
from actors.tools.watcher_client import WATCHER_CLIENT
from tests.actors.tools.tool_caller import ToolCaller, is_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")

ESCAPES = {
    "background": "(echo $BASHPID > {out}; exec sleep 100) &",
    "nohup": "nohup bash -c 'echo $$ > {out}; exec sleep 100' >/dev/null 2>&1 &",
    "setsid": "setsid bash -c 'echo $$ > {out}; exec sleep 100' &",
    "silent": "(setsid nohup bash -c 'echo $$ > {out}; exec sleep 100' >/dev/null 2>&1 &)",
    "double fork": "(setsid bash -c '(echo $BASHPID > {out}; exec sleep 100) &' &)",
    "empty environment": "(env -i setsid bash -c 'echo $$ > {out}; exec sleep 100' &)",
    "double fork, empty environment": (
        "(env -i setsid bash -c '(env -i setsid bash -c \"echo \\$\\$ > {out}; "
        "exec /bin/sleep 100 >/dev/null 2>&1\" &)' &)"
    ),
    "ignores SIGTERM": (
        """env -i setsid bash -c 'trap "" TERM; echo $$ > {out}; while :; do sleep 9; done' &"""
    ),
    "replaces itself": (
        'setsid bash -c \'trap "env -i setsid sleep 100 & exit" TERM; echo $$ > {out}; '
        "sleep 100 & wait' &"
    ),
}
each_escape = pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())


def start_escape(caller: ToolCaller, escape: str) -> str:
    """Return a command that starts the process, and continues when its id is in the file `pid`."""
    fifo = caller.root / "fifo"
    os.mkfifo(fifo)
    return f"{escape.format(out=fifo)}\nread -r pid < {fifo}; echo $pid > {caller.root}/pid"


def read_pid(caller: ToolCaller) -> int:
    return int((caller.root / "pid").read_text())


@each_escape
def test_every_process_ends_soon_after_the_shell(caller: ToolCaller, escape: str) -> None:
    output = caller.run_bash(start_escape(caller, escape))
    pid = read_pid(caller)
    assert is_gone(pid)
    assert "[processes left in the background were terminated: " in output.text
    assert f"(pid {pid})" in output.text
    assert not output.is_error


@each_escape
def test_every_process_ends_at_the_time_limit(caller: ToolCaller, escape: str) -> None:
    command = f"{start_escape(caller, escape)}\nexec 1>&- 2>&-; sleep 100"
    output = caller.run_bash(command, timeout_s=1.0)
    assert output.text.splitlines()[-1] == "timed out after 1 s and was terminated"
    assert is_gone(read_pid(caller))


@each_escape
def test_every_process_ends_when_the_call_is_cancelled(caller: ToolCaller, escape: str) -> None:
    ready = caller.root / "ready"
    os.mkfifo(ready)
    command = f"{start_escape(caller, escape)}\necho go > {ready}; sleep 100"

    async def cancel_and_check() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        await asyncio.to_thread(ready.read_text)  # waits for the writer
        assert not is_gone(read_pid(caller))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert is_gone(read_pid(caller))

    asyncio.run(cancel_and_check())


def test_ending_one_command_leaves_a_parallel_one_running(caller: ToolCaller) -> None:
    ready = caller.root / "ready"
    os.mkfifo(ready)
    other = f"env -i setsid bash -c 'read -r word < {ready}; echo $word'; true"

    async def run_both() -> None:
        run = LocalCommandRunner().run
        outputs = OutputTarget(caller.context.output_folder)
        other_run = asyncio.ensure_future(run(other, caller.root, 20.0, outputs))
        await run("(env -i setsid sleep 100 &)", caller.root, 20.0, outputs)
        await asyncio.to_thread(ready.write_text, "done\n")  # waits for the reader
        result = await other_run
        assert (result.output, result.terminated_processes) == ("done\n", ())

    asyncio.run(run_both())


def test_a_background_process_that_ends_at_once_is_not_reported(caller: ToolCaller) -> None:
    assert caller.run_bash("(setsid sleep 0.01 &); echo done").text == "done"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_command_that_disables_its_watcher_is_killed(
    caller: ToolCaller, number: signal.Signals
) -> None:
    fifo = caller.root / "fifo"
    os.mkfifo(fifo)
    escape = ESCAPES["empty environment"].format(out=fifo)
    stop = f"kill -{number.name.removeprefix('SIG')} $PPID"
    command = f"{escape}\nread -r pid < {fifo}; echo $pid > pid; {stop}; exec 1>&- 2>&-; sleep 100"
    assert caller.expect_error("bash", command=command, timeout_s=1.0) == WATCHER_LOST
    wait_until_gone(read_pid(caller))
    assert caller.run_bash("echo next").text == "next"


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not ours."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    assert select.select([descriptor], [], [], 20)[0]
    os.close(descriptor)


def wait_until_closed(connection: socket.socket) -> None:
    """Wait until no process has the other end open."""
    assert select.select([connection], [], [], 20)[0]


def test_a_killed_watcher_server_is_replaced(caller: ToolCaller) -> None:
    connection = WATCHER_CLIENT.connect({})
    pid = int(caller.run_bash("cut -d' ' -f4 /proc/$PPID/stat").text)
    os.kill(pid, signal.SIGKILL)
    wait_until_closed(connection)
    assert caller.run_bash("echo next").text == "next"
    assert WATCHER_CLIENT.connect({}) is not connection


SERVER_KILLED_BY_ITS_WATCHER = """
import os, signal, socket, sys
from actors.tools import command_watcher

prctl = command_watcher._load_prctl()

def kill_server_first(option, argument):
    if (option, argument) == (command_watcher._PR_SET_PDEATHSIG, signal.SIGKILL):
        server = os.getppid()
        os.kill(server, signal.SIGKILL)
        while os.getppid() == server:
            os.sched_yield()
    return prctl(option, argument)

command_watcher._Server(socket.socket(fileno=int(sys.argv[1])), kill_server_first).serve()
"""


def test_a_watcher_ends_if_its_server_died_first() -> None:
    connection, server_end = socket.socketpair()
    number = server_end.fileno()
    with server_end:
        command = (sys.executable, "-c", SERVER_KILLED_BY_ITS_WATCHER, str(number))
        server = subprocess.Popen(command, pass_fds=[number])
    assert server.wait(20) == -signal.SIGKILL
    with connection:
        wait_until_closed(connection)


def test_a_process_that_cannot_be_terminated_is_named() -> None:
    result = CommandResult("", 0, timed_out=False, running_processes=("su\x1bdo (pid 7)",))
    assert format_result(result, 1.0).text == (
        "(no output)\n[still running, because they could not be terminated: su\\x1bdo (pid 7)]"
    )


def test_many_leftover_processes_are_named_only_in_part() -> None:
    names = tuple(f"sleep (pid {pid})" for pid in range(100, 112))
    result = CommandResult("", 0, timed_out=False, terminated_processes=names)
    line = format_result(result, 1.0).text.splitlines()[-1]
    assert line.endswith("sleep (pid 109), 2 more]")


def test_a_command_cannot_read_the_key_in_its_watcher(caller: ToolCaller) -> None:
    runner = LocalCommandRunner({"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-secret-key"})
    command = "cat /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' '\\n'"
    running = runner.run(
        command, caller.root, 20.0, OutputTarget(Path(caller.context.output_folder))
    )
    assert "ANTHROPIC" not in asyncio.run(running).output
