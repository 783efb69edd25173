"""Subagents with the real SDK, streams and shells: many in parallel, and nothing left over."""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelRequest, Reply, ReplyDelta
from actors.models.scripted_reply import ScriptedCall
from messages.subagents import SubagentStarted
from messages.turns import TurnInterrupted
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    wait_for_completion,
    wait_for_turn_end,
)
from tests.probe import PROBE_TIMEOUT_S
from tests.scripted_server import RecordedRequest, ScriptedResponse, ScriptedServer, respond_text

LEAD_COUNT, LEAVES_PER_LEAD = 4, 50


def respond_tasks(*prompts: str) -> ScriptedResponse:
    """Return a reply that starts a subagent for each prompt."""
    arguments = ({"description": p, "prompt": p, "subagent_type": "general"} for p in prompts)
    return respond_text("", *(ScriptedCall("task", task_arguments) for task_arguments in arguments))


def respond_bash(command: str) -> ScriptedResponse:
    return respond_text("", ScriptedCall("bash", {"command": command}))


class AnswersByPrompt:
    """Answers each prompt with its first response, then reports it done."""

    def __init__(self) -> None:
        self.first_responses: dict[str, ScriptedResponse] = {}
        self.results: dict[str, list[str]] = {}

    def __call__(self, request: RecordedRequest) -> ScriptedResponse:
        messages = cast("list[dict[str, Any]]", request.body["messages"])
        first: Any = messages[0]["content"]
        prompt: str = first[0]["text"]
        last: Any = messages[-1]["content"]
        if last[0]["type"] != "tool_result":
            return self.first_responses.get(prompt) or respond_text(f"{prompt} done")
        self.results[prompt] = [str(block["content"]) for block in last]
        return respond_text(f"{prompt} done")


@pytest.fixture
def responder() -> AnswersByPrompt:
    return AnswersByPrompt()


@pytest.fixture
def server(responder: AnswersByPrompt) -> Generator[ScriptedServer]:
    with ScriptedServer(respond=responder) as server:
        yield server


class ClosableAnthropicModel(AnthropicClient):
    """A client that a test can close on the loop that uses it."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply]:
        self.loop = asyncio.get_running_loop()
        async with aclosing(super().stream(request)) as events:
            async for event in events:
                yield event


@pytest.fixture
def model(sessions: SessionFixture, server: ScriptedServer) -> Generator[ClosableAnthropicModel]:
    """Return a client that is closed while the sessions still run."""
    assert sessions.folder
    model = ClosableAnthropicModel(server.base_url)
    yield model
    asyncio.run_coroutine_threadsafe(model.close(), model.loop).result(PROBE_TIMEOUT_S)


def start_turn(
    sessions: SessionFixture,
    model: ClosableAnthropicModel,
    **options: Any,  # noqa: ANN401  (as `play`)
) -> RunningSession:
    running = sessions.start_session({}, model=model, mode="yolo", **options)
    running.prompt()
    return running


def count_pipes() -> int:
    """Return the number of open pipes of this process; 0 where /proc does not exist."""
    folder = Path("/proc/self/fd")
    links = folder.iterdir() if folder.exists() else ()
    return sum(os.path.lexists(link) and link.readlink().name.startswith("pipe") for link in links)


def test_three_subagents_work_in_parallel_with_their_own_shells(
    sessions: SessionFixture,
    server: ScriptedServer,
    responder: AnswersByPrompt,
    model: ClosableAnthropicModel,
    tmp_path: Path,
) -> None:
    """Each shell ends only when all three run."""
    command = "echo > running-{0}; read -r line < go-{0}; echo {0} met"
    shells = {name: respond_bash(command.format(name)) for name in "abc"}
    responder.first_responses = {"begin": respond_tasks(*shells), **shells}
    workspace = tmp_path / "work"
    workspace.mkdir()
    for name in shells:
        os.mkfifo(workspace / f"running-{name}")
        os.mkfifo(workspace / f"go-{name}")
    running = start_turn(sessions, model)
    for name in shells:
        (workspace / f"running-{name}").read_text()
    for name in shells:
        (workspace / f"go-{name}").write_text("go\n")
    wait_for_completion(running)
    for name, result in zip("abc", responder.results["begin"], strict=True):
        assert f"{name} done" in result
        assert responder.results[name] == [f"{name} met"]
    headers = [request.headers.get("x-greenroom-subagent") for request in server.requests]
    assert headers.count("general") == 6
    assert headers.count(None) == 2


def test_stopping_a_turn_ends_three_levels_and_their_shells(
    sessions: SessionFixture,
    responder: AnswersByPrompt,
    model: ClosableAnthropicModel,
    tmp_path: Path,
) -> None:
    sleeps = "echo $$ > pid-{0}; exec sleep 100"
    responder.first_responses = {
        "begin": respond_tasks("one", "beside"),
        "one": respond_tasks("two"),
        "two": respond_tasks("three"),
        "three": respond_bash(sleeps.format("three")),
        "beside": respond_bash(sleeps.format("beside")),
    }
    before = count_pipes()
    (tmp_path / "work").mkdir()
    pid_files = [tmp_path / "work" / f"pid-{name}" for name in ("three", "beside")]
    for pid_file in pid_files:
        os.mkfifo(pid_file)
    running = start_turn(sessions, model)
    pids = [int(pid_file.read_text()) for pid_file in pid_files]
    running.cancel()
    assert isinstance(wait_for_turn_end(running), TurnInterrupted)

    assert running.agents == []
    assert not [pid for pid in pids if is_alive(pid)]
    assert count_pipes() == before


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_two_hundred_subagents_each_return_their_own_result(
    sessions: SessionFixture, responder: AnswersByPrompt, model: ClosableAnthropicModel
) -> None:
    leads = {
        f"lead-{c}": respond_tasks(*(f"leaf-{c}-{n}" for n in range(LEAVES_PER_LEAD)))
        for c in range(LEAD_COUNT)
    }
    responder.first_responses = {"begin": respond_tasks(*leads), **leads}
    running = start_turn(sessions, model, slot_limit=LEAD_COUNT * LEAVES_PER_LEAD)
    wait_for_completion(running)
    for lead_number in range(LEAD_COUNT):
        results = responder.results[f"lead-{lead_number}"]
        assert [f"leaf-{lead_number}-{n} done" in result for n, result in enumerate(results)] == [
            True
        ] * LEAVES_PER_LEAD
    started = [record for record in running.records() if isinstance(record, SubagentStarted)]
    assert len({record.child for record in started}) == LEAD_COUNT * (LEAVES_PER_LEAD + 1)
    assert running.agents == []
