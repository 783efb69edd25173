import asyncio
import os
import stat
import threading
from pathlib import Path

import pytest

from actors.tools.bash import format_result
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.output_spool import MAX_OUTPUT_CHARS
from actors.tools.tool import ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import ToolOutput
from tests.actors.tools.tool_caller import ToolCaller, is_gone


def test_output_and_errors_are_interleaved_in_order(caller: ToolCaller) -> None:
    output = caller.run_bash("echo one; echo two >&2; echo three")
    assert output == ToolOutput(text="one\ntwo\nthree")


def test_the_plan_has_the_whole_command_and_a_short_title(caller: ToolCaller) -> None:
    command = "echo one\n" + "x" * 300
    plan = caller.plan("bash", command=command)
    assert plan.requests == (PermissionRequest(permission="bash", target=command),)
    assert plan.full_text == command
    assert plan.title == "bash echo one\\n" + "x" * 190 + "…"


@pytest.mark.parametrize(
    ("directory", "command", "planned"),
    [
        ("sub", "pwd", "cd sub && pwd"),
        ("./sub/../sub", "pwd", "cd sub && pwd"),
        ("a b", "pwd", "cd 'a b' && pwd"),
        ("-P", "pwd", "cd ./-P && pwd"),
        ("link", "pwd", "cd sub && pwd"),
        ("sub", "false; pwd", "cd sub && {\nfalse; pwd\n}"),
        ("sub", "true & wait\npwd", "cd sub && {\ntrue & wait\npwd\n}"),
        (".", "pwd", "pwd"),
        ("", "pwd", "pwd"),
        ("sub/..", "pwd", "pwd"),
    ],
)
def test_a_command_runs_in_the_directory_of_the_call(
    caller: ToolCaller, directory: str, command: str, planned: str
) -> None:
    for name in ("sub", "a b", "-P"):
        (caller.root / name).mkdir()
    (caller.root / "link").symlink_to("sub")
    arguments = {"command": command, "cwd": directory}
    plan = caller.plan("bash", **arguments)

    assert plan.requests == (PermissionRequest(permission="bash", target=planned),)
    assert plan.full_text == planned
    expected = (caller.root / directory).resolve()
    assert caller.run("bash", plan, **arguments).text == str(expected)


def test_a_directory_outside_is_part_of_the_permission_request(
    caller: ToolCaller, tmp_path: Path
) -> None:
    plan = caller.plan("bash", command="ls", cwd="..")
    request = PermissionRequest(permission="bash", target=f"cd {tmp_path} && ls")
    assert plan.requests == (request,)


def test_nothing_runs_if_the_directory_was_removed(caller: ToolCaller) -> None:
    (caller.root / "sub").mkdir()
    arguments = {"command": "touch one; touch two & touch three", "cwd": "sub"}
    plan = caller.plan("bash", **arguments)
    (caller.root / "sub").rmdir()

    assert caller.run("bash", plan, **arguments).is_error
    assert caller.list_names() == []


def test_a_directory_that_does_not_exist_is_an_error(caller: ToolCaller) -> None:
    (caller.root / "sub").mkdir()
    caller.write_file("file", "")
    assert caller.expect_error("bash", command="ls", cwd="subs") == (
        "subs: no such file or directory; did you mean sub?"
    )
    assert "not a directory" in caller.expect_error("bash", command="ls", cwd="file")


def test_a_failed_command_ends_with_its_exit_status(caller: ToolCaller) -> None:
    assert caller.run_bash("echo no; exit 3") == ToolOutput(text="no\nexit status 3", is_error=True)
    assert caller.run_bash("false") == ToolOutput(text="(no output)\nexit status 1", is_error=True)


def test_a_command_ended_by_a_signal_names_it(caller: ToolCaller) -> None:
    text = "(no output)\nterminated by SIGKILL\nexit status 137"
    assert caller.run_bash("kill -KILL $$") == ToolOutput(text=text, is_error=True)


def test_a_command_has_no_input_and_no_terminal(caller: ToolCaller) -> None:
    command = (
        "pwd; cat; test -t 0 -o -t 1 || echo no terminal; (: < /dev/tty) 2>/dev/null || echo none"
    )
    assert caller.run_bash(command).text == f"{caller.root}\nno terminal\nnone"


def test_credentials_and_bash_startup_variables_are_not_inherited(caller: ToolCaller) -> None:
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
        OutputTarget(caller.context.output_folder),
    )
    assert asyncio.run(run).output == "kept cat dumb 0\n0\n"


def write_bare_repository(folder: Path) -> None:
    """Write a bare repository as ordinary files; its configuration runs a program."""
    for name in ("refs/k", "objects/k"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "HEAD").write_text("ref: refs/heads/master\n")
    (folder / "config").write_text(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n"
        '\tfsmonitor = "touch STARTED; false"\n'
    )


def test_git_does_not_use_a_bare_repository_of_ordinary_files(caller: ToolCaller) -> None:
    write_bare_repository(caller.root / "docs")
    output = caller.run_bash("cd docs && git status").text
    assert "safe.bareRepository" in output
    assert caller.list_names() == ["docs"]


def test_git_settings_in_the_environment_are_kept(caller: ToolCaller) -> None:
    inherited = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Ada",
        "GIT_CONFIG_KEY_1": "safe.bareRepository",
        "GIT_CONFIG_VALUE_1": "all",
    }
    run = LocalCommandRunner(inherited).run(
        "git config user.name; git config safe.bareRepository",
        caller.root,
        20.0,
        OutputTarget(caller.context.output_folder),
    )
    assert asyncio.run(run).output == "Ada\nexplicit\n"


def test_invalid_utf_8_in_output_is_replaced(caller: ToolCaller) -> None:
    assert caller.run_bash(r"printf 'a\xffb'").text == "a\ufffdb"


def test_long_output_is_truncated_and_saved_to_a_file(caller: ToolCaller) -> None:
    text = caller.run_bash("seq 1 100000").text

    (path,) = caller.context.output_folder.iterdir()
    full_output = "".join(f"{number}\n" for number in range(1, 100_001))
    assert path.read_text() == full_output
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (path.parent, path.parent.parent):  # both created for it
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    start, mark, end = text.partition(
        f"\n[truncated in the middle; the full output ({len(full_output):,} bytes) "
        f"is saved in {path}]\n"
    )
    assert mark
    assert full_output.startswith(start)
    assert full_output.endswith(f"{end}\n")
    assert len(start) + len(end) + 1 == MAX_OUTPUT_CHARS


def test_output_at_the_limit_is_returned_without_a_file(caller: ToolCaller) -> None:
    command = f"printf 'ä%.0s' {{1..{MAX_OUTPUT_CHARS}}}"
    assert caller.run_bash(command).text == "ä" * MAX_OUTPUT_CHARS
    assert not caller.context.output_folder.exists()


def test_output_that_cannot_be_saved_does_not_fail_the_command(caller: ToolCaller) -> None:
    caller.context.output_folder.parent.write_text("a file in place of the folder")
    text = caller.run_bash("seq 1 100000").text
    assert "could not be saved (Not a directory)" in text
    assert text.endswith("\n99999\n100000")


def test_endless_output_stops_at_the_time_limit(caller: ToolCaller) -> None:
    output = caller.run_bash("yes", timeout_s=0.3)
    assert output.is_error
    assert output.text.endswith("y\ntimed out after 0.3 s and was terminated")
    assert len(output.text) < MAX_OUTPUT_CHARS + 500


def test_the_time_limit_terminates_every_started_process(caller: ToolCaller) -> None:
    output = caller.run_bash("sleep 100 & echo $!; echo $$; wait", timeout_s=0.2)
    *pids, last = output.text.splitlines()
    assert last == "timed out after 0.2 s and was terminated"
    assert all(is_gone(int(pid)) for pid in pids)


def test_a_process_that_ignores_sigterm_is_killed(caller: ToolCaller) -> None:
    output = caller.run_bash("trap '' TERM; echo $$; while :; do sleep 100; done", timeout_s=0.2)
    assert output.is_error
    assert is_gone(int(output.text.splitlines()[0]))


@pytest.mark.parametrize("redirection", ["", ">/dev/null 2>&1"])
def test_background_processes_are_terminated_without_delaying_the_call(
    caller: ToolCaller, redirection: str
) -> None:
    output = caller.run_bash(f"sleep 100 {redirection} & echo $!")
    pid, note = output.text.splitlines()
    assert note == f"[processes left in the background were terminated: sleep (pid {pid})]"
    assert not output.is_error
    assert is_gone(int(pid))


def test_a_cancelled_call_returns_after_its_processes_end(caller: ToolCaller) -> None:
    pids = caller.root / "pids"
    os.mkfifo(pids)
    command = f"sleep 100 & echo $! $$ > {pids}; wait"

    async def cancel_and_check() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        started = await asyncio.to_thread(pids.read_text)  # waits for the writer
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert all(is_gone(int(pid)) for pid in started.split())

    asyncio.run(cancel_and_check())


def test_repeated_cancellation_leaves_no_process_behind(caller: ToolCaller) -> None:
    pid = caller.root / "pid"
    os.mkfifo(pid)
    command = f"trap '' TERM; echo $$ > {pid}; while :; do sleep 9; done"

    async def cancel_and_check() -> None:
        plan = await caller.plan_async("bash", command=command)
        running = asyncio.ensure_future(caller.run_async("bash", plan, command=command))
        started = await asyncio.to_thread(pid.read_text)  # waits for the writer
        for _ in range(20):
            running.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await running
        assert is_gone(int(started))

    asyncio.run(cancel_and_check())


def test_no_call_leaks_descriptors_threads_or_processes(caller: ToolCaller) -> None:
    async def run_commands() -> None:
        for command, timeout_s in (
            ("true", 20.0),
            ("exit 3", 20.0),
            ("sleep 100 &", 20.0),
            ("sleep 100", 0.1),
            ("no-such-command", 20.0),
        ):
            plan = await caller.plan_async("bash", command=command, timeout_s=timeout_s)
            await caller.run_async("bash", plan, command=command, timeout_s=timeout_s)
        target = OutputTarget(caller.root)
        with pytest.raises(ToolError):
            await LocalCommandRunner().run("true", caller.root / "nowhere", 1.0, target)

    async def check() -> None:
        await run_commands()  # the first command starts the watcher server, which stays
        before = count_leftovers()
        await run_commands()
        assert count_leftovers() == before

    asyncio.run(check())


def count_leftovers() -> tuple[int, int, str]:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
    # The threads of a loop's own pool stay, to be reused.
    other_threads = [
        thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")
    ]
    return len(list(Path("/proc/self/fd").iterdir())), len(other_threads), children


def test_commands_run_in_parallel_on_another_threads_loop(caller: ToolCaller) -> None:
    texts: list[str] = []

    async def run_one(number: int) -> str:
        command = f"echo {number}; exit {number % 2}"
        plan = await caller.plan_async("bash", command=command)
        return (await caller.run_async("bash", plan, command=command)).text

    async def run_all() -> None:
        texts.extend(await asyncio.gather(*(run_one(number) for number in range(8))))

    thread = threading.Thread(target=lambda: asyncio.run(run_all()))
    thread.start()
    thread.join()
    assert texts == [f"{n}\nexit status 1" if n % 2 else str(n) for n in range(8)]


def test_commands_never_run_with_a_bash_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    own = tmp_path / "bin" / "bash"
    own.write_text("#!/bin/sh\necho hijacked\n")
    own.chmod(0o755)

    async def run_in(path: str) -> str:
        runner = LocalCommandRunner({"PATH": path}, (tmp_path,))
        return (await runner.run("echo $BASH", tmp_path, 20.0, OutputTarget(tmp_path))).output

    for path in (f"{tmp_path}/bin:{os.defpath}", f"bin::.:{os.defpath}", str(tmp_path / "bin")):
        assert asyncio.run(run_in(path)) in {"/bin/bash\n", "/usr/bin/bash\n"}


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (" \n", "the command is empty"),
        ("a\0b", "the command contains a NUL character"),
        ("a\ud800", "not valid Unicode"),
        ("x" * 120_001, "the command is 120,001 bytes long; the maximum is 120,000"),
    ],
)
def test_text_that_cannot_be_a_command_is_rejected(
    caller: ToolCaller, command: str, problem: str
) -> None:
    assert problem in caller.expect_error("bash", command=command)


def test_a_command_of_the_maximum_length_runs(caller: ToolCaller) -> None:
    assert caller.run_bash("echo yes #".ljust(120_000, "x")).text == "yes"


def test_a_real_time_signal_is_shown_by_number() -> None:
    result = CommandResult("", exit_status=-40, timed_out=False)
    assert (
        format_result(result, 1.0).text == "(no output)\nterminated by signal 40\nexit status 168"
    )


def test_output_is_reported_while_a_command_still_runs(caller: ToolCaller) -> None:
    gate = caller.root / "gate"
    os.mkfifo(gate)

    async def run_and_watch() -> tuple[str, CommandResult]:
        reported: asyncio.Queue[str] = asyncio.Queue()
        target = OutputTarget(caller.context.output_folder, reported.put_nowait)
        command = f"echo first; echo second; read < {gate}; echo last"
        running = asyncio.ensure_future(
            LocalCommandRunner({**os.environ}).run(command, caller.root, 20.0, target)
        )
        seen = ""
        while "second" not in seen:
            seen = await reported.get()
        await asyncio.to_thread(gate.write_text, "go\n")
        return seen, await running

    seen, result = asyncio.run(run_and_watch())
    assert seen == "first\nsecond\n"
    assert result.output == "first\nsecond\nlast\n"
