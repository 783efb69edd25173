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
from actors.agents.definitions import GENERAL
from actors.agents.roles import role_of
from actors.factories import SessionPorts, factories_of
from actors.models.anthropic_client import AnthropicModel
from actors.root import RootSupervisor
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.session import SessionOptions, open_session
from actors.tools.toolbox import BUILT_IN, schema
from actors.tools.workspace import Workspace
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
from shell.loading import collect_garbage
from tests.actors.agents.troupe import done, play, task, use
from tests.benchmark import slow_server
from tests.benchmark.rows import Row

TEN, CHIEFS, EACH = 10, 10, 100
THOUSAND = CHIEFS * EACH
ANSWER_S, NO_ANSWER_S, PATIENCE_S = 1.0, 600.0, 60.0
MOST_KIB_EACH, MOST_CANCEL_MS, MOST_CLIMB_MS = 150.0, 500.0, 1.0
ASKS = 50


class Audience(Actor[Message]):
    """Stands in the console's place and notes what it hears."""

    def __init__(self, heard: "queue.SimpleQueue[tuple[Address, Message]]") -> None:
        self._heard = heard

    def on_start(self) -> None:
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False))

    def on_receive(self, message: Message) -> None:
        self._heard.put((self.sender, message))


class Server:
    """A server in another process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.url = f"http://127.0.0.1:{self._line()}"

    def all_have_asked(self) -> None:
        """Wait until each of the last has."""
        self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def serving(first: int, second: int, answer_s: float = ANSWER_S) -> Generator[Server]:
    words = (sys.executable, slow_server.__file__, str(first), str(second), str(answer_s))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


class Session:
    """One session at work against a server."""

    def __init__(self, folder: Path, url: str) -> None:
        (folder / "work").mkdir()
        self.heard: queue.SimpleQueue[tuple[Address, Message]] = queue.SimpleQueue()
        options = SessionOptions(
            folder=folder / "state",
            workspace=Workspace(folder / "work", folder / "work"),
            model_name="slow",
            mode="yolo",
            is_scripted=False,
            protected=(),
            version="0",
            slot_limit=THOUSAND + CHIEFS,
        )
        session = open_session(options, time.time)  # noqa: TID251  (the wall clock)
        around = SessionPorts(AnthropicModel(url, api_key="none"))
        factories = factories_of(session, around, partial(Audience, self.heard))
        self.system = ActorSystem(partial(RootSupervisor, factories))
        self.started = 0
        self.hears(SessionConfigured)

    def hears(self, *kinds: type[Message]) -> Message:
        """Wait until the primary says something of these kinds."""
        while True:
            sender, message = self.heard.get(timeout=PATIENCE_S)
            self.started += isinstance(message, SubagentStarted)
            if sender == PRIMARY and isinstance(message, kinds):
                return message

    def prompt(self) -> None:
        self.system.tell(PRIMARY, StartTurn(turn=1, text="begin"))


def ours_ms(first: int, second: int) -> float:
    """Play the whole turn; its makespan."""
    with serving(first, second) as server, tempfile.TemporaryDirectory() as name:
        session = Session(Path(name), server.url)
        collect_garbage()
        began_s = time.perf_counter()
        session.prompt()
        end = session.hears(TurnCompleted, TurnFailed, TurnInterrupted)
        took_s = time.perf_counter() - began_s
        session.system.stop()
    if not isinstance(end, TurnCompleted) or session.started < first * (second or 1):
        message = f"{session.started} were started: {end}"
        raise RuntimeError(message)
    return took_s * 1e3


def bare_ms(count: int) -> float:
    """Ask the same as often at once."""
    with serving(0, 0) as server, tempfile.TemporaryDirectory() as name:
        collect_garbage()
        return asyncio.run(_asked(count, server.url, Path(name))) * 1e3


async def _asked(count: int, url: str, folder: Path) -> float:
    role = role_of(GENERAL, Workspace(folder, folder), (), BUILT_IN)
    asked: dict[str, Any] = {
        "model": "slow",
        "max_tokens": 1_000,
        "system": role.system_prompt,
        "tools": [schema(tool) for tool in role.tools],
        "messages": [{"role": "user", "content": "leaf"}],
    }
    async with anthropic.AsyncAnthropic(
        base_url=url, api_key="none", max_retries=0, timeout=PATIENCE_S
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
    with serving(CHIEFS, EACH, NO_ANSWER_S) as server, tempfile.TemporaryDirectory() as name:
        session = Session(Path(name), server.url)
        gc.collect()
        idle = _resident_kib()
        session.prompt()
        server.all_have_asked()
        most = _resident_kib()
        session.system.stop()
    return (most - idle) / THOUSAND


def _resident_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4.0


def cancel_ms() -> float:
    """Stop a turn for which a thousand agents wait for the model."""
    with serving(CHIEFS, EACH, NO_ANSWER_S) as server, tempfile.TemporaryDirectory() as name:
        session = Session(Path(name), server.url)
        session.prompt()
        server.all_have_asked()
        collect_garbage()
        began_s = time.perf_counter()
        session.system.tell(PRIMARY, CancelTurn(turn=1))
        session.hears(TurnInterrupted)
        took_s = time.perf_counter() - began_s
        session.system.stop()
    return took_s * 1e3


def climb_ms() -> float:
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

    made = tuple(use(f"c{n}", "bash", command=f"touch {n}") for n in range(ASKS))
    parts: dict[str, list[Any]] = {
        "begin": [task("t", "one"), "done"],
        "one": [task("t", "two"), "done"],
        "two": [task("t", "three"), "done"],
        "three": [made, "done"],
    }
    with tempfile.TemporaryDirectory() as name, patch.object(Agent, "on_receive", timed):
        stage = play(Path(name), parts)
        stage.person.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason="away"))
        stage.prompt()
        done(stage)
        stage.system.stop()
    if len(took_s) != ASKS:
        message = f"{len(took_s)} of {ASKS} questions climbed"
        raise RuntimeError(message)
    return statistics.median(took_s) * 1e3


ROWS = (
    Row(
        "ten-subagents",
        "ten subagents, each with an answer of 1 s",
        "the plain SDK, the same ten calls at once",
        1.10,
        partial(ours_ms, TEN, 0),
        partial(bare_ms, TEN),
        "ms",
        rounds=5,
    ),
    Row(
        "thousand-subagents",
        "1,000 subagents below ten others, each with an answer of 1 s",
        "the plain SDK, the same thousand calls at once",
        1.3,
        partial(ours_ms, CHIEFS, EACH),
        partial(bare_ms, THOUSAND),
        "ms",
        rounds=3,
    ),
    Row(
        "subagent-memory",
        "memory of each of 1,000 subagents at work, their connections included",
        f"{MOST_KIB_EACH:g} KiB, as stated",
        1.0,
        memory_kib,
        lambda: MOST_KIB_EACH,
        "KiB",
        rounds=1,
    ),
    Row(
        "subagent-cancel",
        "end of a turn for which 1,000 subagents are at work",
        f"{MOST_CANCEL_MS:g} ms, as stated",
        1.0,
        cancel_ms,
        lambda: MOST_CANCEL_MS,
        "ms",
        rounds=5,
        stated=True,
    ),
    Row(
        "approval-climb",
        "a question from depth 3 to the broker, and its answer back",
        f"{MOST_CLIMB_MS:g} ms, as stated",
        1.0,
        climb_ms,
        lambda: MOST_CLIMB_MS,
        "ms",
        rounds=3,
        stated=True,
    ),
)

if __name__ == "__main__":
    sys.stdout.write(str(_memory_kib()))
