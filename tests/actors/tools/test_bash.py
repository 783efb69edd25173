import asyncio
import os
import stat
import threading
from pathlib import Path

import pytest

from actors.tools.bash import format_result
from actors.tools.command_runner import CommandResult
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.output_spool import MAX_OUTPUT_CHARS
from actors.tools.tool import ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import ToolOutput
from tests.actors.tools.tool_caller import ToolCaller, is_gone


def run_bash(caller: ToolCaller, command: str, timeout_s: float = 20.0) -> ToolOutput:
    plan = caller.plan("bash", command=command, timeout_s=timeout_s)
    return caller.run("bash", plan, command=command, timeout_s=timeout_s)


def test_output_and_errors_come_in_order(caller: ToolCaller) -> None:
    output = run_bash(caller, "echo one; echo two >&2; echo three")
    assert output == ToolOutput(text="one\ntwo\nthree")


def test_the_plan_is_the_whole_command_and_its_title_one_line(caller: ToolCaller) -> None:
    command = "echo one\n" + "x" * 300
    plan = caller.plan("bash", command=command)
    assert plan.requests == (PermissionRequest(permission="bash", target=command),)
    assert plan.full_text == command
    assert plan.title == "bash echo one\\n" + "x" * 190 + "…"


def test_a_failure_ends_with_its_exit_status(caller: ToolCaller) -> None:
    assert run_bash(caller, "echo no; exit 3") == ToolOutput(
        text="no\nexit status 3", is_error=True
    )
    assert run_bash(caller, "false") == ToolOutput(text="(no output)\nexit status 1", is_error=True)


def test_a_command_ended_by_a_signal_says_which(caller: ToolCaller) -> None:
    text = "(no output)\nended by SIGKILL\nexit status 137"
    assert run_bash(caller, "kill -KILL $$") == ToolOutput(text=text, is_error=True)


def test_it_runs_in_the_working_folder_without_input_or_terminal(caller: ToolCaller) -> None:
    command = (
        "pwd; cat; test -t 0 -o -t 1 || echo no terminal; (: < /dev/tty) 2>/dev/null || echo none"
    )
    assert run_bash(caller, command).text == f"{caller.root}\nno terminal\nnone"


def test_our_credentials_and_what_bash_would_run_by_itself_are_left_out(caller: ToolCaller) -> None:
    script = caller.write_file("hidden.sh", "echo hidden")
    inherited = {
        "PATH": os.environ["PATH"],
        "KEPT": "kept",
        "PAGER": "less",
        "ANTHROPIC_API_KEY": "secret",
        "BASH_ENV": str(script),
        "BASH_FUNC_echo%%": "() { printf hijacked; }",
        "SHELLOPTS": "xtrace",
    }
    run = LocalCommandRunner(inherited).run(
        "echo $KEPT $PAGER $TERM $GIT_TERMINAL_PROMPT; env | grep -c ANTHROPIC",
        caller.root,
        20.0,
        caller.context.output_folder,
    )
    assert asyncio.run(run).output == "kept cat dumb 0\n0\n"


def test_output_that_is_not_utf_8_is_replaced(caller: ToolCaller) -> None:
    assert run_bash(caller, r"printf 'a\xffb'").text == "a\ufffdb"


def test_long_output_keeps_both_ends_and_a_file_of_its_own(caller: ToolCaller) -> None:
    text = run_bash(caller, "seq 1 100000").text

    (path,) = caller.context.output_folder.iterdir()
    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    assert path.read_text() == whole
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (path.parent, path.parent.parent):  # both made for it
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    start, mark, end = text.partition(
        f"\n[the middle is left out; the whole output, {len(whole):,} bytes, is in {path}]\n"
    )
    assert mark
    assert whole.startswith(start)
    assert whole.endswith(f"{end}\n")
    assert len(start) + len(end) + 1 == MAX_OUTPUT_CHARS


def test_output_at_the_cap_is_shown_whole_and_leaves_no_file(caller: ToolCaller) -> None:
    command = f"printf 'ä%.0s' {{1..{MAX_OUTPUT_CHARS}}}"
    assert run_bash(caller, command).text == "ä" * MAX_OUTPUT_CHARS
    assert not caller.context.output_folder.exists()


def test_output_that_cannot_be_kept_does_not_cost_the_command(caller: ToolCaller) -> None:
    caller.context.output_folder.parent.write_text("a file in the way of the folder")
    text = run_bash(caller, "seq 1 100000").text
    assert "could not be kept: Not a directory" in text
    assert text.endswith("\n99999\n100000")


def test_endless_output_ends_with_the_time_limit(caller: ToolCaller) -> None:
    output = run_bash(caller, "yes", timeout_s=0.3)
    assert output.is_error
    assert output.text.endswith("y\nended after 0.3 s, its time limit")
    assert len(output.text) < MAX_OUTPUT_CHARS + 500


def test_the_time_limit_ends_all_that_the_command_started(caller: ToolCaller) -> None:
    output = run_bash(caller, "sleep 100 & echo $!; echo $$; wait", timeout_s=0.2)
    *pids, last = output.text.splitlines()
    assert last == "ended after 0.2 s, its time limit"
    assert all(is_gone(int(pid)) for pid in pids)


def test_what_does_not_listen_is_killed(caller: ToolCaller) -> None:
    output = run_bash(caller, "trap '' TERM; echo $$; while :; do sleep 100; done", timeout_s=0.2)
    assert output.is_error
    assert is_gone(int(output.text.splitlines()[0]))


@pytest.mark.parametrize("redirection", ["", ">/dev/null 2>&1"])
def test_what_is_left_in_the_background_does_not_hold_the_call_and_is_ended(
    caller: ToolCaller, redirection: str
) -> None:
    output = run_bash(caller, f"sleep 100 {redirection} & echo $!")
    pid, note = output.text.splitlines()
    assert note == "[processes left in the background were ended]"
    assert not output.is_error
    assert is_gone(int(pid))


def test_a_cancelled_call_returns_when_everything_has_ended(caller: ToolCaller) -> None:
    pids = caller.root / "pids"
    os.mkfifo(pids)
    command = f"sleep 100 & echo $! $$ > {pids}; wait"

    async def cancelled() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        started = await asyncio.to_thread(pids.read_text)  # waits for the writer
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert all(is_gone(int(pid)) for pid in started.split())

    asyncio.run(cancelled())


def test_a_second_cancel_while_it_ends_does_not_leave_anybody_behind(caller: ToolCaller) -> None:
    pid = caller.root / "pid"
    os.mkfifo(pid)
    command = f"trap '' TERM; echo $$ > {pid}; while :; do sleep 9; done"

    async def cancelled() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        started = await asyncio.to_thread(pid.read_text)  # waits for the writer
        for _ in range(20):
            running.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await running
        assert is_gone(int(started))

    asyncio.run(cancelled())


def test_nothing_is_left_after_calls_of_every_kind(caller: ToolCaller) -> None:
    async def calls() -> None:
        for command, timeout_s in (
            ("true", 20.0),
            ("exit 3", 20.0),
            ("sleep 100 &", 20.0),
            ("sleep 100", 0.1),
            ("no-such-command", 20.0),
        ):
            plan = await caller.plan_async("bash", command=command, timeout_s=timeout_s)
            await caller.run_async("bash", plan, command=command, timeout_s=timeout_s)
        with pytest.raises(ToolError):
            await LocalCommandRunner().run("true", caller.root / "nowhere", 1.0, caller.root)

    async def counted() -> None:
        before = count_leftovers()
        await calls()
        assert count_leftovers() == before

    asyncio.run(counted())


def count_leftovers() -> tuple[int, int, str]:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
    # The threads of a loop's own pool stay, and take up what comes next.
    others = [each for each in threading.enumerate() if not each.name.startswith("asyncio_")]
    return len(list(Path("/proc/self/fd").iterdir())), len(others), children


def test_commands_run_side_by_side_on_a_loop_in_another_thread(caller: ToolCaller) -> None:
    texts: list[str] = []

    async def one(number: int) -> str:
        command = f"echo {number}; exit {number % 2}"
        plan = await caller.plan_async("bash", command=command)
        return (await caller.run_async("bash", plan, command=command)).text

    async def several() -> None:
        texts.extend(await asyncio.gather(*(one(number) for number in range(8))))

    thread = threading.Thread(target=lambda: asyncio.run(several()))
    thread.start()
    thread.join()
    assert texts == [f"{n}\nexit status 1" if n % 2 else str(n) for n in range(8)]


def test_without_bash_the_call_is_refused(
    caller: ToolCaller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no bash" in caller.expect_error("bash", command="true")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (" \n", "the command is empty"),
        ("a\0b", "the command contains a NUL character"),
        ("a\ud800", "not valid Unicode"),
        ("x" * 120_001, "the command has 120,001 bytes, at most 120,000 can be run"),
    ],
)
def test_what_is_no_command_is_refused(caller: ToolCaller, command: str, problem: str) -> None:
    assert problem in caller.expect_error("bash", command=command)


def test_the_longest_command_can_be_run(caller: ToolCaller) -> None:
    assert run_bash(caller, "echo yes #".ljust(120_000, "x")).text == "yes"


def test_a_real_time_signal_has_no_name_but_a_number() -> None:
    finished = CommandResult("", exit_status=-40, timed_out=False)
    assert format_result(finished, 1.0).text == "(no output)\nended by signal 40\nexit status 168"
