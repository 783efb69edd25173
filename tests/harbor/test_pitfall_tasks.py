"""Tasks with pitfalls, played by the scripted model on the real program through Harbor's interface.

A dry run of the adapter: a folder stands in for the container, and `stand_in/` for Harbor.
"""

import asyncio
import importlib
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.harbor.local_environment import LocalEnvironment
from tests.program.program_harness import API_KEY
from tests.scripted_server import (
    ScriptedResponse,
    ScriptedServer,
    respond_text,
    respond_tool_call,
)

FOLDER = Path(__file__).parent
RUN_TIME_LIMIT_S = 4.0


@dataclass(frozen=True)
class PlayedTask:
    """A task and the replies that solve it after stepping into its pitfall."""

    name: str
    replies: tuple[ScriptedResponse, ...]
    pitfall: str
    """What the model reads when it has stepped into the pitfall."""
    stop_reason: str = "end_turn"


def bash(command: str, **arguments: int) -> ScriptedResponse:
    return respond_tool_call("bash", command=command, **arguments)


def edit(path: str, old: str, new: str) -> ScriptedResponse:
    return respond_tool_call("edit", path=path, old_string=old, new_string=new)


def read(path: str) -> ScriptedResponse:
    return respond_tool_call("read", path=path)


SETTINGS = "service/config/settings.ini"
MEDIAN = (
    "printf '%s\\n' \"$@\" | sort -n |\n"
    "    awk '{ n[NR] = $1 } END { print (n[int((NR + 1) / 2)] + n[int(NR / 2) + 1]) / 2 }'"
)
DONE = respond_text("Done.")
TASKS = (
    PlayedTask(
        "long-output",
        (
            bash("sh report.sh"),
            bash("sh report.sh | sed -n 's/^checksum: //p' > answer.txt; cat answer.txt"),
            DONE,
        ),
        pitfall="truncated",
    ),
    PlayedTask(
        "wrong-path",
        (
            read("config/settings.ini"),
            respond_tool_call("glob", pattern="**/settings.ini"),
            read(SETTINGS),
            edit(SETTINGS, "timeout = 5", "timeout = 30"),
            DONE,
        ),
        pitfall="no such file",
    ),
    PlayedTask(
        "hidden-test",
        (
            bash("sh test_median.sh"),
            read("median.sh"),
            edit("median.sh", 'echo "$3"', 'echo "$2"'),
            bash("sh test_median.sh && echo visible test passed"),
            edit("median.sh", 'echo "$2"', MEDIAN),
            bash("sh test_median.sh"),
            DONE,
        ),
        pitfall="visible test passed",
    ),
    PlayedTask(
        "time-limit",
        (bash("sh build.sh", timeout_s=1), bash("echo hangs > status.txt"), bash("sh build.sh")),
        pitfall="timed out after 1 s",
        stop_reason="time_limit",
    ),
)


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401  (a module that Harbor imports)
    monkeypatch.setattr(sys, "path", [str(FOLDER / "stand_in"), *sys.path])
    return importlib.import_module("tests.harbor.harbor_agent")


def check(environment: LocalEnvironment) -> str:
    """Run the task's own check; return its reward."""
    asyncio.run(environment.exec((environment.tests / "test.sh").read_text()))
    return (environment.verifier_logs / "reward.txt").read_text().strip()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_task_is_solved_through_the_adapter(
    adapter: Any,  # noqa: ANN401  (as above)
    task: PlayedTask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment = LocalEnvironment(tmp_path)
    source = FOLDER / "tasks" / task.name
    shutil.copytree(source / "environment", environment.workspace, dirs_exist_ok=True)
    shutil.copytree(source / "tests", environment.tests)
    assert check(environment) == "0", "the check passes without any work"

    with ScriptedServer(*task.replies) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", API_KEY)
        agent = adapter.GreenroomAgent(
            environment.logs, "anthropic/claude-sonnet-5-5", time_limit_s=RUN_TIME_LIMIT_S
        )
        instruction = (source / "instruction.md").read_text()
        asyncio.run(solve(agent, instruction, environment))
    context = SimpleNamespace()
    agent.populate_context_post_run(context)

    assert check(environment) == "1"
    assert task.pitfall in server.requests[-1].raw_body.decode()
    assert instruction.strip() in server.requests[0].raw_body.decode()
    assert server.requests[0].body["model"] == "claude-sonnet-5-5"
    result = adapter.read_result(environment.logs / adapter.LOG_NAME)
    assert result["stop_reason"] == task.stop_reason
    assert context.n_output_tokens == result["usage"]["output_tokens"] > 0


async def solve(agent: Any, instruction: str, environment: LocalEnvironment) -> None:  # noqa: ANN401  (as above)
    await agent.setup(environment)
    await agent.run(instruction, environment, None)


def test_a_failed_run_is_an_error_for_the_harness(
    adapter: Any,  # noqa: ANN401  (as above)
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment = LocalEnvironment(tmp_path)
    with ScriptedServer() as server:  # rejects every request
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", API_KEY)
        agent = adapter.GreenroomAgent(environment.logs)
        with pytest.raises(RuntimeError, match="no more responses"):
            asyncio.run(solve(agent, "-- do it", environment))


def test_an_incomplete_log_has_no_result(
    adapter: Any,  # noqa: ANN401  (as above)
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    assert adapter.read_result(log) == {}
    log.write_text('{"type":"turn_started"}\n{"type":"resu')
    assert adapter.read_result(log) == {}
