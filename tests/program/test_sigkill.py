"""After SIGKILL at any moment, resume completes the session correctly."""

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
    """Answers by the conversation's content, so that a request can be repeated."""

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
    results: list[dict[str, object]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result for result in results if result["problems"]] == []
    return results


def check_kill_trials(program: Program, count: int, seed: int) -> None:
    results = run_kill_trials(program, count, seed)
    assert len(results) == count
    assert sum(bool(result["killed"]) for result in results) > count // 2
    assert len({result["records"] for result in results}) > 3


def test_a_session_resumes_after_each_of_its_records(program: Program) -> None:
    results = run_kill_trials(program, 0, seed=0)
    # Before: header, run, settings, prompt, prefix. Per call: reply, start, end.
    # After: reply, turn end.
    before, per_call, after = 5, 3, 2
    assert len(results) == before + per_call * CALL_COUNT + after


def test_ten_kills_lose_nothing_and_repeat_nothing(program: Program) -> None:
    check_kill_trials(program, 10, seed=0)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_thousand_kills_lose_nothing_and_repeat_nothing(program: Program, seed: int) -> None:
    check_kill_trials(program, 100, seed)
