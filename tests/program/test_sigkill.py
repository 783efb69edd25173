"""A session that is killed with SIGKILL at any moment is ended correctly by a resume."""

import json
import subprocess
import sys

import pytest

from actors.models.scripted_reply import ReplyPlan, ScriptedCall, generate_events
from tests.program.program_harness import ROOT, Program
from tests.program.sigkill_harness import CALL_COUNT
from tests.scripted_server import (
    RecordedRequest,
    ScriptedResponse,
    ScriptedServer,
    respond_events,
    respond_text,
)


class HistoryDrivenServer(ScriptedServer):
    """Answers by what the conversation holds, so that a request may be put again."""

    def choose_response(self, request: RecordedRequest) -> ScriptedResponse:
        if request.method == "GET":
            return super().choose_response(request)
        number = request.raw_body.count(b'"type":"tool_use"')
        if number >= CALL_COUNT:
            return respond_text("Done.")
        call = ScriptedCall("bash", {"command": f"echo {number} >> runs"})
        plan = ReplyPlan(text="", calls=(call,), thinking="", stop_reason="")
        return respond_events(generate_events(plan, {"model": "scripted"}, f"toolu_{number}"))


def run_kill_trials(program: Program, count: int, seed: int) -> list[dict[str, object]]:
    with HistoryDrivenServer() as server:
        program.server = server
        module = (sys.executable, "-P", "-m", "tests.program.sigkill_harness")
        done = subprocess.run(
            [*module, str(program.folder), str(count), str(seed)],
            cwd=ROOT,
            env=program.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
    said: list[dict[str, object]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each for each in said if each["wrong"]] == []
    return said


def check_kill_trials(program: Program, count: int, seed: int) -> None:
    said = run_kill_trials(program, count, seed)
    assert len(said) == count
    assert sum(bool(each["killed"]) for each in said) > count // 2
    assert len({each["records"] for each in said}) > 3


def test_wherever_its_records_stop_a_turn_is_resumed_and_ended(program: Program) -> None:
    said = run_kill_trials(program, 0, seed=0)
    begin, call, end = 4, 3, 2  # session, run, mode and prompt; the last reply and the end
    assert len(said) == begin + call * CALL_COUNT + end


def test_killed_ten_times_nothing_is_lost_and_nothing_runs_twice(program: Program) -> None:
    check_kill_trials(program, 10, seed=0)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_killed_a_thousand_times_nothing_is_lost_and_nothing_runs_twice(
    program: Program, seed: int
) -> None:
    check_kill_trials(program, 100, seed)
