"""Many parallel subagents, compared with the same requests sent by the plain SDK.

A server in another process delays every subagent's reply. The journal syncs to the disk.
"""

import asyncio
import gc
import queue
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anthropic

from actors.agents.agent import Agent
from actors.agents.definition.definition import GENERAL_AGENT
from actors.agents.definition.prepared_agent import prepare_agent
from actors.models.anthropic_client import AnthropicClient
from actors.paths.workspace import Workspace
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.supervisor.supervisor import RootSupervisor
from actors.tools.toolbox import BUILT_IN_TOOLS, build_schema
from actors.wiring.session_setup import SessionOptions, open_session
from actors.wiring.wiring import SessionPorts, make_child_factories
from messages.address import APPROVALS, PRIMARY, Address
from messages.approvals import ApprovalUnavailable, ApproverAvailabilityChanged
from messages.base import Message
from messages.permissions import PermissionDecision
from messages.subagents import SubagentStarted
from messages.turns import (
    CancelTurn,
    SessionConfigured,
    StartTurn,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
)
from shell.process.deferred_imports import enable_gc
from tests.actors.agents.scripted_agents import (
    make_task_call,
    make_tool_use,
    play,
    wait_for_completion,
)
from tests.benchmark import slow_model_server
from tests.benchmark.benchmark_row import BenchmarkRow

SMALL_COUNT, COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR = 10, 10, 100
TOTAL_SUBAGENTS = COORDINATOR_COUNT * SUBAGENTS_PER_COORDINATOR
REPLY_DELAY_S, NO_REPLY_DELAY_S, EVENT_TIMEOUT_S = 1.0, 600.0, 60.0
MAX_KIB_PER_SUBAGENT, MAX_CANCEL_MS, MAX_APPROVAL_ROUND_TRIP_MS = 150.0, 500.0, 1.0
REQUEST_COUNT = 50


class EventCollector(Actor[Message]):
    """Takes the console's place and collects what it receives."""

    def __init__(self, received: "queue.SimpleQueue[tuple[Address, Message]]") -> None:
        self._received = received

    def on_start(self) -> None:
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=False))

    def on_receive(self, message: Message) -> None:
        self._received.put((self.sender, message))


class SlowServerProcess:
    """A `SlowModelServer` in another process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.url = f"http://127.0.0.1:{self._read_line()}"

    def wait_for_all_requests(self) -> None:
        """Wait until every subagent at the last level has sent its request."""
        self._read_line()

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def run_slow_server(
    first_level_count: int, second_level_count: int, reply_delay_s: float = REPLY_DELAY_S
) -> Generator[SlowServerProcess]:
    numbers = (first_level_count, second_level_count, reply_delay_s)
    words = (sys.executable, slow_model_server.__file__, *map(str, numbers))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield SlowServerProcess(process)
        finally:
            process.kill()


class BenchmarkSession:
    """A session whose model is a server at a URL."""

    def __init__(self, folder: Path, url: str) -> None:
        (folder / "work").mkdir()
        self.received: queue.SimpleQueue[tuple[Address, Message]] = queue.SimpleQueue()
        options = SessionOptions(
            project_state_folder=folder / "state",
            workspace=Workspace(folder / "work", folder / "work"),
            model_name="slow",
            mode="yolo",
            is_scripted=False,
            protected_paths=(),
            version="0",
            slot_limit=TOTAL_SUBAGENTS + COORDINATOR_COUNT,
        )
        session = open_session(options, time.time)  # noqa: TID251  (the wall clock)
        ports = SessionPorts(AnthropicClient(url, api_key="none"))
        factories = make_child_factories(session, ports, partial(EventCollector, self.received))
        self.system = ActorSystem(partial(RootSupervisor, factories))
        self.spawn_count = 0
        self.wait_for_event(SessionConfigured)

    def wait_for_event(self, *kinds: type[Message]) -> Message:
        """Return the primary's next event of these types."""
        while True:
            sender, message = self.received.get(timeout=EVENT_TIMEOUT_S)
            self.spawn_count += isinstance(message, SubagentStarted)
            if sender == PRIMARY and isinstance(message, kinds):
                return message

    def prompt(self) -> None:
        self.system.tell(PRIMARY, StartTurn(turn=1, text="begin"))


@contextmanager
def run_session(
    first_level_count: int, second_level_count: int, reply_delay_s: float = REPLY_DELAY_S
) -> Generator[tuple[BenchmarkSession, SlowServerProcess]]:
    """Run a session with a new slow server."""
    with (
        run_slow_server(first_level_count, second_level_count, reply_delay_s) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        session = BenchmarkSession(Path(name), server.url)
        try:
            yield session, server
        finally:
            session.system.stop()


def subagent_turn_ms(first_level_count: int, second_level_count: int) -> float:
    """Return the milliseconds of a turn in which all subagents run."""
    with run_session(first_level_count, second_level_count) as (session, _):
        enable_gc()
        started_s = time.perf_counter()
        session.prompt()
        end = session.wait_for_event(TurnCompleted, TurnFailed, TurnInterrupted)
        elapsed_s = time.perf_counter() - started_s
    if not isinstance(end, TurnCompleted) or session.spawn_count < first_level_count * (
        second_level_count or 1
    ):
        message = f"{session.spawn_count} subagents were started: {end}"
        raise RuntimeError(message)
    return elapsed_s * 1e3


def sdk_requests_ms(count: int) -> float:
    """Return the milliseconds of the same requests sent in parallel by the plain SDK."""
    with run_slow_server(0, 0) as server, tempfile.TemporaryDirectory() as name:
        enable_gc()
        return asyncio.run(_send_requests_s(count, server.url, Path(name))) * 1e3


async def _send_requests_s(count: int, url: str, folder: Path) -> float:
    agent = prepare_agent(GENERAL_AGENT, Workspace(folder, folder), (), BUILT_IN_TOOLS)
    body: dict[str, Any] = {
        "model": "slow",
        "max_tokens": 1_000,
        "system": agent.system_prompt,
        "tools": [build_schema(tool) for tool in agent.tools],
        "messages": [{"role": "user", "content": "leaf"}],
    }
    async with anthropic.AsyncAnthropic(
        base_url=url, api_key="none", max_retries=0, timeout=EVENT_TIMEOUT_S
    ) as client:
        started_s = time.perf_counter()
        await asyncio.gather(*(_read_reply(client, body) for _ in range(count)))
        return time.perf_counter() - started_s


async def _read_reply(client: anthropic.AsyncAnthropic, body: dict[str, Any]) -> None:
    async with client.messages.stream(**body) as stream:
        await stream.get_final_message()


def memory_kib() -> float:
    """Return the KiB per subagent, measured in a new process."""
    command = (sys.executable, "-m", __name__)
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure_memory_kib() -> float:
    """Return the KiB per subagent, compared with the idle session."""
    counts = COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR
    with run_session(*counts, NO_REPLY_DELAY_S) as (session, server):
        gc.collect()
        idle_kib = _resident_kib()
        session.prompt()
        server.wait_for_all_requests()
        busy_kib = _resident_kib()
    return (busy_kib - idle_kib) / TOTAL_SUBAGENTS


def _resident_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4.0


def cancel_turn_ms() -> float:
    """Return the milliseconds to cancel a turn whose subagents wait for the model."""
    counts = COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR
    with run_session(*counts, NO_REPLY_DELAY_S) as (session, server):
        session.prompt()
        server.wait_for_all_requests()
        enable_gc()
        started_s = time.perf_counter()
        session.system.tell(PRIMARY, CancelTurn(turn=1))
        session.wait_for_event(TurnInterrupted)
        elapsed_s = time.perf_counter() - started_s
    return elapsed_s * 1e3


def approval_round_trip_ms() -> float:
    """Return the median milliseconds from a request at depth 3 to the broker's answer."""
    sent_s: list[float] = []
    round_trips_s: list[float] = []
    receive = Agent.on_receive

    def receive_timed(agent: Agent, message: Any) -> None:  # noqa: ANN401  (as replaced)
        if isinstance(message, PermissionDecision) and message.action == "ask":
            sent_s.append(time.perf_counter())
        elif isinstance(message, ApprovalUnavailable) and message.agent == agent.address:
            round_trips_s.append(time.perf_counter() - sent_s[-1])
        receive(agent, message)

    calls = tuple(
        make_tool_use(f"c{n}", "bash", command=f"touch {n}") for n in range(REQUEST_COUNT)
    )
    replies_by_prompt: dict[str, list[Any]] = {
        "begin": [make_task_call("t", "one"), "done"],
        "one": [make_task_call("t", "two"), "done"],
        "two": [make_task_call("t", "three"), "done"],
        "three": [calls, "done"],
    }
    with tempfile.TemporaryDirectory() as name, patch.object(Agent, "on_receive", receive_timed):
        session = play(Path(name), replies_by_prompt)
        session.user.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=False, reason="away"))
        session.prompt()
        wait_for_completion(session)
        session.system.stop()
    if len(round_trips_s) != REQUEST_COUNT:
        message = f"{len(round_trips_s)} of {REQUEST_COUNT} requests were answered"
        raise RuntimeError(message)
    return statistics.median(round_trips_s) * 1e3


ROWS = (
    BenchmarkRow(
        "ten-subagents",
        "ten parallel subagents, each with a reply after 1 s",
        "plain SDK: ten parallel requests",
        1.10,
        partial(subagent_turn_ms, SMALL_COUNT, 0),
        partial(sdk_requests_ms, SMALL_COUNT),
        "ms",
        rounds=5,
    ),
    BenchmarkRow(
        "thousand-subagents",
        "1,000 subagents under ten others, each with a reply after 1 s",
        "plain SDK: 1,000 parallel requests",
        1.3,
        partial(subagent_turn_ms, COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR),
        partial(sdk_requests_ms, TOTAL_SUBAGENTS),
        "ms",
        rounds=3,
    ),
    BenchmarkRow(
        "subagent-memory",
        "memory per subagent of 1,000 busy ones, with their connections",
        f"{MAX_KIB_PER_SUBAGENT:g} KiB, fixed",
        1.0,
        memory_kib,
        lambda: MAX_KIB_PER_SUBAGENT,
        "KiB",
        rounds=1,
    ),
    BenchmarkRow(
        "cancel-subagents",
        "cancel of a turn with 1,000 busy subagents",
        f"{MAX_CANCEL_MS:g} ms, fixed",
        1.0,
        cancel_turn_ms,
        lambda: MAX_CANCEL_MS,
        "ms",
        rounds=5,
        is_fixed_limit=True,
    ),
    BenchmarkRow(
        "approval-round-trip",
        "approval request from depth 3 to the broker and back",
        f"{MAX_APPROVAL_ROUND_TRIP_MS:g} ms, fixed",
        1.0,
        approval_round_trip_ms,
        lambda: MAX_APPROVAL_ROUND_TRIP_MS,
        "ms",
        rounds=3,
        is_fixed_limit=True,
    ),
)

if __name__ == "__main__":
    sys.stdout.write(str(_measure_memory_kib()))
