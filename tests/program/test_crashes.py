"""After crashes and stalls, the program continues or ends with one line."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.program.program_harness import (
    API_KEY,
    YOLO,
    CommandWatch,
    CompletedRun,
    Program,
    RunningProgram,
    request_messages,
    single_error,
    tool_results,
)
from tests.program.repl_harness import open_repl, quit_repl
from tests.scripted_server import respond_text, respond_tool_call
from tests.shell.pty_terminal import PtyTerminal

FAULTY_PROGRAM = (sys.executable, "-P", str(Path(__file__).parent / "faulty_program.py"))


def start_with_fault(program: Program, fault: str) -> RunningProgram:
    return program.start(fault, "-p", "Work.", *YOLO, command=FAULTY_PROGRAM)


def crash_actor(program: Program, terminal: PtyTerminal, name: str, nth: int) -> None:
    """Crash an actor of the running program and wait for the notice."""
    (program.repository / "crash").write_text(f"{name}\n")
    notice = f"/{name} crashed"
    terminal.wait_until(lambda: terminal.read_scrollback().count(notice) == nth, notice)


def read_log_file(program: Program) -> str:
    return (program.state_folder / "greenroom.log").read_text()


@pytest.mark.parametrize("name", ["journal", "permissions", "approvals", "console", "primary"])
def test_an_actor_that_keeps_crashing_ends_the_run(program: Program, name: str) -> None:
    with program.serve(respond_text("Done.")):
        done: CompletedRun = start_with_fault(program, name).wait()

    assert (done.exit_status, done.stdout) == (1, b"")
    assert single_error(done) == f"/{name} failed (crash): RuntimeError: injected again"
    assert read_log_file(program).count(f"/{name} failed") == 4
    assert "SystemExit: injected" in read_log_file(program)
    assert "did not stop in time" not in read_log_file(program)
    assert program.record_types()[:2] == ["session_header", "session_opened"]


def test_every_actor_can_crash_without_losing_anything(
    program: Program, command_watch: CommandWatch
) -> None:
    step = (
        f"echo ran >> runs; exec 3>{command_watch.path}; "
        "echo ran >&3; read -r line < go; echo $line"
    )
    answers = (
        respond_tool_call("bash", command="echo yes > out"),
        respond_tool_call("bash", command=step),
        respond_text("Done."),
    )
    for pipe in ("crash", "go"):
        os.mkfifo(program.repository / pipe)
    with (
        program.serve(*answers) as server,
        open_repl(program, "crashing", "Work.", command=FAULTY_PROGRAM, rows=40) as terminal,
    ):
        terminal.wait_for_text("Press a key to answer")
        for name in ("journal", "permissions", "approvals", "console", "primary"):
            crash_actor(program, terminal, name, nth=1)
            terminal.wait_for_text("echo yes > out")
        # The crashes of broker and console reset the screen; the agent withdraws its old request.
        withdrawn = "The request on screen was withdrawn."
        terminal.wait_until(lambda: terminal.read_scrollback().count(withdrawn) == 3, withdrawn)
        terminal.wait_for_text("Press a key to answer")
        terminal.type("y")
        terminal.wait_for_text("echo ran >> runs")
        terminal.wait_for_text("Press a key to answer")
        terminal.type("y")
        command_watch.wait_for_output()
        for name in ("journal", "permissions", "approvals", "console"):
            crash_actor(program, terminal, name, nth=2)
        (program.repository / "go").write_text("continued\n")
        terminal.wait_for_text("Done.")
        quit_repl(terminal)

    assert [tool_results(request_messages(server, nth)[-1]) for nth in (1, 2)] == [
        [("(no output)", False)],
        [("continued", False)],
    ]
    assert (program.repository / "runs").read_text() == "ran\n"
    approved_call = ["exec_approval_request", "approval_decided", "tool_started", "tool_ended"]
    assert program.record_types()[2:] == [
        "turn_started",
        "request_prefix",
        "reply_completed",
        "exec_approval_request",
        "approval_withdrawn",
        *approved_call,
        "reply_completed",
        *approved_call,
        "reply_completed",
        "turn_completed",
    ]


def test_no_command_outlives_a_stalled_program(
    program: Program, command_watch: CommandWatch
) -> None:
    command = f"exec 3>{command_watch.path}; echo > started; setsid sleep 300 & sleep 300"
    os.mkfifo(program.repository / "started")
    with program.serve(
        respond_tool_call("bash", command=command), respond_text("I looked."), respond_text("Next.")
    ) as server:
        done = start_with_fault(program, "blocked").wait()
        command_watch.wait_for_close()

        assert done.exit_status == 1
        first, last = done.stderr.splitlines()
        assert re.fullmatch(r"greenroom: /primary .* has blocked Greenroom for 0 s", first)
        assert re.search(r"ended because /primary .* \(crash report: \S+\)\. Resume", last)
        assert program.record_types()[-1] == "tool_started"
        (report,) = (program.state_folder / "crashes").iterdir()
        assert "Thread greenroom-loop:" in report.read_text()
        resumed = program.run("-p", "And then?", *YOLO, "--continue")

    assert resumed.exit_status == 0
    assert "outcome is unknown" in str(server.requests[1].body)
    files = [path for path in program.state_folder.rglob("*") if path.is_file()]
    assert report in files
    assert [path for path in files if API_KEY.encode() in path.read_bytes()] == []
