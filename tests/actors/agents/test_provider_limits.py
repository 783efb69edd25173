"""A limit of the provider holds or ends the requests of all agents of a session."""

import asyncio
import threading
from random import Random
from typing import Any

import pytest

from actors.agents.effect_handlers.model_jobs import ModelRequestJob
from actors.agents.turn.self_messages import ModelFailed, ModelReplied
from actors.models import request_gate
from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest
from actors.models.request_gate import RequestGates
from messages.address import PRIMARY
from messages.turns import (
    ModelRetrying,
    ReplyActivity,
    RequestInfo,
    RequestPaused,
    RequestResumed,
    TextDelta,
    TurnFailed,
    TurnInterrupted,
)
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_task_call,
    make_tool_use,
    wait_for_turn_end,
)
from tests.probe import PROBE_TIMEOUT_S
from tests.scripted_server import (
    RecordedRequest,
    ScriptedResponse,
    ScriptedServer,
    respond_http_error,
    respond_text,
)

REQUEST = ModelRequest(model="m", system="s", tools=(), messages=(), max_tokens=1)


def start_two_subagents(sessions: SessionFixture, error: ModelError) -> RunningSession:
    """Start subagents a and b; a fails with `error` before b sends its second request."""
    has_started, has_failed = threading.Event(), threading.Event()

    async def fail() -> ModelError:
        assert await asyncio.to_thread(has_started.wait, PROBE_TIMEOUT_S)
        has_failed.set()
        return error

    async def call_after_failure() -> object:
        has_started.set()
        assert await asyncio.to_thread(has_failed.wait, PROBE_TIMEOUT_S)
        return make_tool_use("c1", "ls")

    tasks = (make_task_call("t1", "a"), make_task_call("t2", "b"))
    lines: dict[str, list[Any]] = {
        "begin": [tasks, "never"],
        "a": [fail],
        "b": [call_after_failure],
    }
    running = sessions.start_session(lines)
    running.prompt()
    return running


def test_a_rate_limit_of_one_subagent_holds_its_siblings(sessions: SessionFixture) -> None:
    error = ModelError("rate_limited", "slow down", is_retryable=True, retry_after_s=250)
    running = start_two_subagents(sessions, error)

    retrying, paused = None, None
    while retrying is None or paused is None:
        sender, message = running.user.next_from()
        if isinstance(message, ModelRetrying):
            retrying = sender.name
            assert message.wait_s == 250
        if isinstance(message, RequestPaused):
            paused = sender.name
            assert (message.reason, message.detail) == ("rate_limited", "slow down")
            assert 200 < message.wait_s <= 250
    assert {retrying, paused} == {"general-1", "general-2"}
    running.cancel()
    assert isinstance(wait_for_turn_end(running), TurnInterrupted)
    assert len(running.scripted_agents.requests) == 3


def test_a_usage_limit_of_one_subagent_ends_the_whole_turn(sessions: SessionFixture) -> None:
    error = ModelError("usage_limit", "it resets at 17:00")
    running = start_two_subagents(sessions, error)

    failures: dict[str, TurnFailed] = {}
    while PRIMARY.name not in failures:
        sender, message = running.user.next_from()
        if isinstance(message, TurnFailed):
            failures[sender.name] = message
    assert set(failures) == {"general-1", "general-2", "primary"}
    for failed in failures.values():
        assert (failed.reason, failed.detail) == ("usage_limit", "it resets at 17:00")
    assert len(running.scripted_agents.requests) == 3, "a request was sent after the limit"
    assert failures[PRIMARY.name].usage.requests == 1, "a request that was not sent is counted"


class LimitingServer(ScriptedServer):
    """A server that answers the first requests with 429."""

    def __init__(self, limited_count: int) -> None:
        super().__init__(respond=self._respond_to)
        self._limited_count = limited_count

    def _respond_to(self, _: RecordedRequest) -> ScriptedResponse:
        if len(self.requests) <= self._limited_count:
            return respond_http_error(429, "rate_limit_error", "slow", retry_after_ms="200")
        return respond_text("Done.")


def test_many_agents_send_one_probe_to_a_server_that_limits_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent_count, limited_count = 200, 4
    monkeypatch.setattr(request_gate, "MAX_RELEASE_S", 0.2)
    gates = RequestGates(Random(1))  # noqa: S311  (must be repeatable)
    events: list[object] = []

    async def send(client: AnthropicClient) -> ModelReplied | ModelFailed:
        gate = gates.get(REQUEST.model)
        return await ModelRequestJob(client, REQUEST, RequestInfo(), gate, events.append).run()

    async def send_until_replied(client: AnthropicClient) -> None:
        while isinstance(await send(client), ModelFailed):
            pass

    async def run_agents(url: str) -> None:
        client = AnthropicClient(url, "key")
        assert isinstance(await send(client), ModelFailed)
        await asyncio.gather(*(send_until_replied(client) for _ in range(agent_count)))
        await client.close()

    with LimitingServer(limited_count) as server:
        asyncio.run(run_agents(server.base_url))
    assert len(server.requests) == limited_count + agent_count
    paused = [event for event in events if isinstance(event, RequestPaused)]
    resumed = [event for event in events if isinstance(event, RequestResumed)]
    assert len(paused) >= agent_count
    assert len(resumed) == agent_count + limited_count - 1


def test_a_held_request_reports_its_pause_and_then_its_reply() -> None:
    events: list[object] = []

    async def run_twice(url: str) -> ModelReplied | ModelFailed:
        client = AnthropicClient(url, "key")
        gates = RequestGates(Random(1))  # noqa: S311  (must be repeatable)
        gate = gates.get(REQUEST.model)
        job = ModelRequestJob(client, REQUEST, RequestInfo(), gate, events.append)
        await job.run()
        events.clear()
        outcome = await job.run()
        await client.close()
        return outcome

    with LimitingServer(1) as server:
        outcome = asyncio.run(run_twice(server.base_url))
    assert isinstance(outcome, ModelReplied)
    assert outcome.usage.requests == 1
    kinds = [type(event) for event in events]
    assert kinds[:2] == [RequestPaused, RequestResumed]
    assert set(kinds[2:]) <= {ReplyActivity, TextDelta}
