"""What cannot go on ends in order, or by force, with one line and nothing left behind."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.program.program import (
    KEY,
    YOLO,
    Done,
    Program,
    Running,
    Witness,
    messages_of,
    one_complaint,
    results_in,
)
from tests.program.test_screen import leave
from tests.scripted_server import calls, says
from tests.shell.terminal import Terminal, terminal

FAULTY = (sys.executable, "-P", str(Path(__file__).parent / "faulty.py"))


def start(program: Program, fault: str) -> Running:
    return program.start_other(*FAULTY, fault, "-p", "Work.", *YOLO)


def crash(program: Program, shown: Terminal, name: str, nth: int) -> None:
    """Crash a part of the program that runs, and see a person told of it."""
    (program.repository / "crash").write_text(f"{name}\n")
    told = f"/{name} crashed and was started again"
    shown.wait_until(lambda: shown.everything().count(told) == nth, told)


def log_of(program: Program) -> str:
    return (program.home / "greenroom.log").read_text()


@pytest.mark.parametrize("name", ["journal", "permissions", "approvals", "console", "primary"])
def test_a_part_that_crashes_more_than_three_times_ends_the_run_in_order(
    program: Program, name: str
) -> None:
    with program.serve(says("Done.")):
        done: Done = start(program, name).ended()

    assert (done.status, done.out) == (1, b"")
    assert one_complaint(done) == f"/{name} failed (crash): RuntimeError: planted again"
    assert log_of(program).count(f"/{name} failed") == 4
    assert "SystemExit: planted" in log_of(program)
    assert "did not stop in time" not in log_of(program)
    assert program.record_types()[:2] == ["session_header", "session_opened"]


def test_any_part_may_crash_under_a_question_and_under_a_command_and_all_is_kept(
    program: Program, witness: Witness
) -> None:
    step = f"echo ran >> runs; exec 3>{witness.path}; echo ran >&3; read -r line < go; echo $line"
    answers = (calls("bash", command="echo yes > said"), calls("bash", command=step), says("Done."))
    for pipe in ("crash", "go"):
        os.mkfifo(program.repository / pipe)
    with (
        program.serve(*answers) as server,
        terminal(
            [*FAULTY, "crashing", "Work."],
            environment=program.environment(TERM="xterm-256color"),
            folder=program.repository,
            rows=40,
        ) as shown,
    ):
        shown.wait_for("press a key to answer")
        for name in ("journal", "permissions", "approvals", "console", "primary"):
            crash(program, shown, name, nth=1)
            shown.wait_for("echo yes > said")
        shown.wait_for("was withdrawn")
        shown.wait_for("press a key to answer")
        shown.type("y")
        shown.wait_for("echo ran >> runs")
        shown.wait_for("press a key to answer")
        shown.type("y")
        witness.wait_for_word()
        for name in ("journal", "permissions", "approvals", "console"):
            crash(program, shown, name, nth=2)
        (program.repository / "go").write_text("further\n")
        shown.wait_for("Done.")
        leave(shown)

    assert [results_in(messages_of(server, nth)[-1]) for nth in (1, 2)] == [
        [("(no output)", False)],
        [("further", False)],
    ]
    assert (program.repository / "runs").read_text() == "ran\n"
    asked = ["exec_approval_request", "approval_decided", "tool_started", "tool_ended"]
    assert program.record_types()[2:] == [
        "turn_started",
        "reply_completed",
        "exec_approval_request",
        "approval_withdrawn",
        *asked,
        "reply_completed",
        *asked,
        "reply_completed",
        "turn_completed",
    ]


def test_a_command_does_not_outlive_a_program_that_had_to_end_itself(
    program: Program, witness: Witness
) -> None:
    command = f"exec 3>{witness.path}; touch begun; setsid sleep 300 & sleep 300"
    with program.serve(calls("bash", command=command), says("I looked."), says("Next.")) as server:
        done = start(program, "held").ended()
        witness.wait_for_silence()

        assert done.status == 1
        named, last = done.err.splitlines()
        held = r"greenroom: /primary work \d has held up everything else for 0 s"
        assert re.fullmatch(held, named)
        assert re.search(r"/primary work \d held up .*, so it was ended; \S+ says more", last)
        assert program.record_types()[-1] == "tool_started"
        (report,) = (program.home / "crashes").iterdir()
        assert "Thread greenroom-loop:" in report.read_text()
        resumed = program.run("-p", "And then?", *YOLO, "--continue")

    assert resumed.status == 0
    assert "outcome is unknown" in str(server.asked[1].body)
    kept = [path for path in program.home.rglob("*") if path.is_file()]
    assert report in kept
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []
