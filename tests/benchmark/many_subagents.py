"""Many subagents at once over the real SDK, held against the plain SDK asking the same at once.

A server in another process lets every subagent wait for its answer; the journal syncs to the disk.
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
ANSWER_S, NEVER_ANSWER_S, EVENT_TIMEOUT_S = 1.0, 600.0, 60.0
MAX_KIB_PER_SUBAGENT, MAX_CANCEL_MS, MAX_APPROVAL_ROUND_TRIP_MS = 150.0, 500.0, 1.0
REQUEST_COUNT = 50


class EventCollector(Actor[Message]):
    """Stands in the console's place and notes what it hears."""

    def __init__(self, heard: "queue.SimpleQueue[tuple[Address, Message]]") -> None:
        self._heard = heard

    def on_start(self) -> None:
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False))

    def on_receive(self, message: Message) -> None:
        self._heard.put((self.sender, message))


class SlowServerProcess:
    """A server in another process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.url = f"http://127.0.0.1:{self._line()}"

    def wait_for_all_requests(self) -> None:
        """Wait until each of the last has."""
        self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def run_slow_server(
    first: int, second: int, answer_s: float = ANSWER_S
) -> Generator[SlowServerProcess]:
    words = (sys.executable, slow_model_server.__file__, str(first), str(second), str(answer_s))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield SlowServerProcess(process)
        finally:
            process.kill()


class BenchmarkSession:
    """One session at work against a server."""

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
        around = SessionPorts(AnthropicClient(url, api_key="none"))
        factories = make_child_factories(session, around, partial(EventCollector, self.received))
        self.system = ActorSystem(partial(RootSupervisor, factories))
        self.spawn_count = 0
        self.wait_for_event(SessionConfigured)

    def wait_for_event(self, *kinds: type[Message]) -> Message:
        """Wait until the primary says something of these kinds."""
        while True:
            sender, message = self.received.get(timeout=EVENT_TIMEOUT_S)
            self.spawn_count += isinstance(message, SubagentStarted)
            if sender == PRIMARY and isinstance(message, kinds):
                return message

    def prompt(self) -> None:
        self.system.tell(PRIMARY, StartTurn(turn=1, text="begin"))


def subagent_turn_ms(first: int, second: int) -> float:
    """Play the whole turn; its makespan."""
    with run_slow_server(first, second) as server, tempfile.TemporaryDirectory() as name:
        session = BenchmarkSession(Path(name), server.url)
        enable_gc()
        began_s = time.perf_counter()
        session.prompt()
        end = session.wait_for_event(TurnCompleted, TurnFailed, TurnInterrupted)
        took_s = time.perf_counter() - began_s
        session.system.stop()
    if not isinstance(end, TurnCompleted) or session.spawn_count < first * (second or 1):
        message = f"{session.spawn_count} were started: {end}"
        raise RuntimeError(message)
    return took_s * 1e3


def sdk_requests_ms(count: int) -> float:
    """Ask the same as often at once."""
    with run_slow_server(0, 0) as server, tempfile.TemporaryDirectory() as name:
        enable_gc()
        return asyncio.run(_asked(count, server.url, Path(name))) * 1e3


async def _asked(count: int, url: str, folder: Path) -> float:
    role = prepare_agent(GENERAL_AGENT, Workspace(folder, folder), (), BUILT_IN_TOOLS)
    asked: dict[str, Any] = {
        "model": "slow",
        "max_tokens": 1_000,
        "system": role.system_prompt,
        "tools": [build_schema(tool) for tool in role.tools],
        "messages": [{"role": "user", "content": "leaf"}],
    }
    async with anthropic.AsyncAnthropic(
        base_url=url, api_key="none", max_retries=0, timeout=EVENT_TIMEOUT_S
    ) as client:
        began_s = time.perf_counter()
        await asyncio.gather(*(_answered(client, asked) for _ in range(count)))
        return time.perf_counter() - began_s


async def _answered(client: anthropic.AsyncAnthropic, asked: dict[str, Any]) -> None:
    async with client.messages.stream(**asked) as stream:
        await stream.get_final_message()


def memory_kib() -> float:
    """Measure it in a process of its own, in which no memory is left of others."""
    command = (sys.executable, "-m", __name__)
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _memory_kib() -> float:
    """Say what each of a thousand takes beside the idle program."""
    with (
        run_slow_server(COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR, NEVER_ANSWER_S) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        session = BenchmarkSession(Path(name), server.url)
        gc.collect()
        idle = _resident_kib()
        session.prompt()
        server.wait_for_all_requests()
        most = _resident_kib()
        session.system.stop()
    return (most - idle) / TOTAL_SUBAGENTS


def _resident_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4.0


def cancel_turn_ms() -> float:
    """Stop a turn for which a thousand agents wait for the model."""
    with (
        run_slow_server(COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR, NEVER_ANSWER_S) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        session = BenchmarkSession(Path(name), server.url)
        session.prompt()
        server.wait_for_all_requests()
        enable_gc()
        began_s = time.perf_counter()
        session.system.tell(PRIMARY, CancelTurn(turn=1))
        session.wait_for_event(TurnInterrupted)
        took_s = time.perf_counter() - began_s
        session.system.stop()
    return took_s * 1e3


def approval_round_trip_ms() -> float:
    """Take a question from depth 3 to the broker, which refuses it, and that back; the median."""
    asked_s: list[float] = []
    took_s: list[float] = []
    receive = Agent.on_receive

    def timed(agent: Agent, message: Any) -> None:  # noqa: ANN401  (as replaced)
        asks = isinstance(message, PermissionDecision) and message.action == "ask"
        if asks:
            asked_s.append(time.perf_counter())
        elif isinstance(message, ApprovalUnavailable) and message.agent == agent.address:
            took_s.append(time.perf_counter() - asked_s[-1])
        receive(agent, message)

    made = tuple(make_tool_use(f"c{n}", "bash", command=f"touch {n}") for n in range(REQUEST_COUNT))
    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t", "one"), "done"],
        "one": [make_task_call("t", "two"), "done"],
        "two": [make_task_call("t", "three"), "done"],
        "three": [made, "done"],
    }
    with tempfile.TemporaryDirectory() as name, patch.object(Agent, "on_receive", timed):
        stage = play(Path(name), parts)
        stage.user.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason="away"))
        stage.prompt()
        wait_for_completion(stage)
        stage.system.stop()
    if len(took_s) != REQUEST_COUNT:
        message = f"{len(took_s)} of {REQUEST_COUNT} questions climbed"
        raise RuntimeError(message)
    return statistics.median(took_s) * 1e3


ROWS = (
    BenchmarkRow(
        "ten-subagents",
        "ten subagents, each with an answer of 1 s",
        "the plain SDK, the same ten calls at once",
        1.10,
        partial(subagent_turn_ms, SMALL_COUNT, 0),
        partial(sdk_requests_ms, SMALL_COUNT),
        "ms",
        rounds=5,
    ),
    BenchmarkRow(
        "thousand-subagents",
        "1,000 subagents below ten others, each with an answer of 1 s",
        "the plain SDK, the same thousand calls at once",
        1.3,
        partial(subagent_turn_ms, COORDINATOR_COUNT, SUBAGENTS_PER_COORDINATOR),
        partial(sdk_requests_ms, TOTAL_SUBAGENTS),
        "ms",
        rounds=3,
    ),
    BenchmarkRow(
        "subagent-memory",
        "memory of each of 1,000 subagents at work, their connections included",
        f"{MAX_KIB_PER_SUBAGENT:g} KiB, as stated",
        1.0,
        memory_kib,
        lambda: MAX_KIB_PER_SUBAGENT,
        "KiB",
        rounds=1,
    ),
    BenchmarkRow(
        "subagent-cancel",
        "end of a turn for which 1,000 subagents are at work",
        f"{MAX_CANCEL_MS:g} ms, as stated",
        1.0,
        cancel_turn_ms,
        lambda: MAX_CANCEL_MS,
        "ms",
        rounds=5,
        is_fixed_limit=True,
    ),
    BenchmarkRow(
        "approval-climb",
        "a question from depth 3 to the broker, and its answer back",
        f"{MAX_APPROVAL_ROUND_TRIP_MS:g} ms, as stated",
        1.0,
        approval_round_trip_ms,
        lambda: MAX_APPROVAL_ROUND_TRIP_MS,
        "ms",
        rounds=3,
        is_fixed_limit=True,
    ),
)

if __name__ == "__main__":
    sys.stdout.write(str(_memory_kib()))
