"""Time to the first token of a turn while three reviews and a compaction run."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from functools import partial
from itertools import count
from pathlib import Path

from actors.models.model_client import SUBAGENT_HEADER, ModelRequest, Reply, ReplyDelta
from messages.address import PRIMARY
from messages.compaction import StartCompaction
from messages.content import TextBlock
from messages.model_limits import ModelLimitsFound
from messages.reviews import CustomTarget, StartReview
from messages.turns import SessionConfigured, StartTurn, TextDelta, TurnCompleted
from tests.actors.agents.scripted_agents import USAGE, RunningSession, make_tool_use, play
from tests.benchmark.benchmark_row import BenchmarkRow
from tests.probe import Probe

TURN_COUNT = 100
REVIEW_COUNT = 3
FIRST_TURNS = 4
"""Turns before the measurement, so that there is something to compact."""
DELTA_DELAY_S, DELTAS_PER_REPLY = 0.01, 20


class StreamingModel:
    """Answers the user at once; reviews and compactions stream all the time and never end."""

    def __init__(self) -> None:
        self._call_numbers = count(1)
        self.headers_seen: set[str] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        header = request.headers.get(SUBAGENT_HEADER, "")
        self.headers_seen.add(header)
        if not header:
            yield ReplyDelta(text="Done.")
            yield Reply((TextBlock(text="Done."),), "end_turn", USAGE, "m")
            return
        while True:
            for _ in range(DELTAS_PER_REPLY):
                yield ReplyDelta(text="some more words ")
                await asyncio.sleep(DELTA_DELAY_S)
            if header == "review":
                call = make_tool_use(f"c{next(self._call_numbers)}", "grep", pattern="word")
                yield Reply((call,), "tool_use", USAGE, "m")
                return

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=10**9, max_output_tokens=500)


def first_token_ms(*, is_busy: bool) -> float:
    """Return the median milliseconds from a prompt to the first token of its reply."""
    with tempfile.TemporaryDirectory() as folder:
        model = StreamingModel()
        running = play(Path(folder), {}, model=model)
        try:
            (running.session.options.workspace.root / "a.txt").write_text("word\n" * 1_000)
            wait_for(running.user, SessionConfigured)
            for turn in range(1, FIRST_TURNS + 1):
                measure_turn_ms(running, turn)
            if is_busy:
                start_work(running, model)
            last_turn = FIRST_TURNS + TURN_COUNT
            times_ms = [
                measure_turn_ms(running, turn) for turn in range(FIRST_TURNS + 1, last_turn + 1)
            ]
        finally:
            running.system.stop()
    return statistics.median(times_ms)


def start_work(running: RunningSession, model: StreamingModel) -> None:
    """Start the reviews and a compaction, and wait until all of them stream."""
    for number in range(REVIEW_COUNT):
        target = CustomTarget(instructions=f"look {number}")
        running.user.tell(PRIMARY, StartReview(id=f"r{number}", target=target))
    running.user.tell(PRIMARY, StartCompaction())
    deadline_s = time.perf_counter() + 20
    while not {"review", "compact"} <= model.headers_seen:
        assert time.perf_counter() < deadline_s, "the reviews or the compaction did not start"
        time.sleep(0.01)  # noqa: TID251  (a benchmark waits in real time)


def measure_turn_ms(running: RunningSession, turn: int) -> float:
    """Play one turn and return the milliseconds to its first token."""
    started_s = time.perf_counter()
    running.user.tell(PRIMARY, StartTurn(turn=turn, text="go"))
    wait_for(running.user, TextDelta)
    elapsed_s = time.perf_counter() - started_s
    wait_for(running.user, TurnCompleted)
    return elapsed_s * 1e3


def wait_for(user: Probe, kind: type[object]) -> None:
    """Wait for an event of the primary agent."""
    while True:
        sender, message = user.next_from()
        if sender == PRIMARY and isinstance(message, kind):
            return


ROWS = (
    BenchmarkRow(
        "work-beside-turns",
        "first token of a turn while three reviews and a compaction run",
        "the same in an idle session",
        1.2,
        partial(first_token_ms, is_busy=True),
        partial(first_token_ms, is_busy=False),
        "ms",
        rounds=5,
    ),
)
