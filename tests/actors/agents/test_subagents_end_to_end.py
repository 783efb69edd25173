"""Subagents over the real SDK, streams and shells: many at once, and what is left of them."""

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

CHIEFS, EACH = 4, 50


def hands_on(*prompts: str) -> ScriptedResponse:
    """Start a subagent for each."""
    given = ({"description": p, "prompt": p, "subagent_type": "general"} for p in prompts)
    return respond_text("", *(ScriptedCall("task", each) for each in given))


def runs(command: str) -> ScriptedResponse:
    return respond_text("", ScriptedCall("bash", {"command": command}))


class AnswersByPrompt:
    """What each part says first, and that it is done when its calls have ended."""

    def __init__(self) -> None:
        self.first: dict[str, ScriptedResponse] = {}
        self.results: dict[str, list[str]] = {}

    def __call__(self, asked: RecordedRequest) -> ScriptedResponse:
        messages = cast("list[dict[str, Any]]", asked.body["messages"])
        first: Any = messages[0]["content"]
        part: str = first[0]["text"]
        last: Any = messages[-1]["content"]
        if last[0]["type"] != "tool_result":
            return self.first.get(part) or respond_text(f"{part} done")
        self.results[part] = [str(each["content"]) for each in last]
        return respond_text(f"{part} done")


@pytest.fixture
def parts() -> AnswersByPrompt:
    return AnswersByPrompt()


@pytest.fixture
def server(parts: AnswersByPrompt) -> Generator[ScriptedServer]:
    with ScriptedServer(respond=parts) as server:
        yield server


class ClosableAnthropicModel(AnthropicClient):
    """Can be closed by a test, on the loop that it is used from."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply]:
        self.loop = asyncio.get_running_loop()
        async with aclosing(super().stream(request)) as events:
            async for event in events:
                yield event


@pytest.fixture
def model(sessions: SessionFixture, server: ScriptedServer) -> Generator[ClosableAnthropicModel]:
    """Close it while the sessions of the theatre go on."""
    assert sessions.folder
    model = ClosableAnthropicModel(server.base_url)
    yield model
    asyncio.run_coroutine_threadsafe(model.close(), model.loop).result(PROBE_TIMEOUT_S)


def plays(
    sessions: SessionFixture, model: ClosableAnthropicModel, **options: Any
) -> RunningSession:
    stage = sessions.start_session({}, model=model, mode="yolo", **options)
    stage.prompt()
    return stage


def pipes() -> int:
    """Count the pipes that are open here; where they cannot be seen, there are none."""
    folder = Path("/proc/self/fd")
    links = folder.iterdir() if folder.exists() else ()
    return sum(os.path.lexists(each) and each.readlink().name.startswith("pipe") for each in links)


def test_three_work_at_once_each_with_a_stream_and_a_shell_of_its_own(
    sessions: SessionFixture,
    server: ScriptedServer,
    parts: AnswersByPrompt,
    model: ClosableAnthropicModel,
) -> None:
    """Each shell ends only when all three run."""
    met = (
        "touch here-{0}; until [ -e here-a ] && [ -e here-b ] && [ -e here-c ]; do sleep 0.01; done"
    )
    shells = {name: runs(f"{met.format(name)}; echo {name} met") for name in "abc"}
    parts.first = {"begin": hands_on(*shells), **shells}
    wait_for_completion(plays(sessions, model))
    for name, result in zip("abc", parts.results["begin"], strict=True):
        assert f"{name} done" in result
        assert parts.results[name] == [f"{name} met"]
    own = [asked.headers.get("x-greenroom-subagent") for asked in server.requests]
    assert own.count("general") == 6
    assert own.count(None) == 2


def test_when_a_turn_is_stopped_nothing_is_left_of_three_levels_and_their_shells(
    sessions: SessionFixture, parts: AnswersByPrompt, model: ClosableAnthropicModel, tmp_path: Path
) -> None:
    sleeps = "echo $$ > pid-{0}; exec sleep 100"
    parts.first = {
        "begin": hands_on("one", "beside"),
        "one": hands_on("two"),
        "two": hands_on("three"),
        "three": runs(sleeps.format("three")),
        "beside": runs(sleeps.format("beside")),
    }
    before = pipes()
    (tmp_path / "work").mkdir()
    tellers = [tmp_path / "work" / f"pid-{name}" for name in ("three", "beside")]
    for each in tellers:
        os.mkfifo(each)
    stage = plays(sessions, model)
    pids = [int(each.read_text()) for each in tellers]
    stage.cancel()
    assert isinstance(wait_for_turn_end(stage), TurnInterrupted)

    assert stage.agents == []
    assert not [pid for pid in pids if is_alive(pid)]
    assert pipes() == before


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_two_hundred_are_started_at_once_and_each_says_its_own(
    sessions: SessionFixture, parts: AnswersByPrompt, model: ClosableAnthropicModel
) -> None:
    chiefs = {
        f"chief-{c}": hands_on(*(f"leaf-{c}-{n}" for n in range(EACH))) for c in range(CHIEFS)
    }
    parts.first = {"begin": hands_on(*chiefs), **chiefs}
    stage = plays(sessions, model, slot_limit=CHIEFS * EACH)
    wait_for_completion(stage)
    for chief in range(CHIEFS):
        told = parts.results[f"chief-{chief}"]
        assert [f"leaf-{chief}-{n} done" in each for n, each in enumerate(told)] == [True] * EACH
    started = [each for each in stage.records() if isinstance(each, SubagentStarted)]
    assert len({each.child for each in started}) == CHIEFS * (EACH + 1)
    assert stage.agents == []
