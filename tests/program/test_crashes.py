"""What cannot go on ends in order, or by force, with one line and nothing left behind."""

import re
import sys
from pathlib import Path

import pytest

from tests.program.program import YOLO, Done, Program, Running, Witness, one_complaint
from tests.scripted_server import calls, says

FAULTY = (sys.executable, "-P", str(Path(__file__).parent / "faulty.py"))


def start(program: Program, fault: str) -> Running:
    return program.start_other(*FAULTY, fault, "-p", "Work.", *YOLO)


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
    assert program.record_types()[:2] == ["session", "run_started"]


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
        resumed = program.run("-p", "And then?", *YOLO, "--continue")

    assert resumed.status == 0
    assert "outcome is unknown" in str(server.asked[1].body)
