"""Cost of the journal, compared with the system calls that it needs.

The files are in the system's folder for temporary files; set `TMPDIR` to measure another disk.
"""

import os
import tempfile
import time
from functools import partial
from pathlib import Path
from threading import Event

from actors.agents.restore.restored_state import restore
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.conversation_history import ConversationHistory
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.child_lifecycle import ChildEnded
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Append, Appended, AppendFailed, Record, SessionHeader, SessionOpened
from messages.serialization import JournalLine, encode_line
from messages.turns import ReplyCompleted, ToolEnded, ToolStarted, TurnCompleted, TurnStarted
from shell.process.deferred_imports import enable_gc
from tests.benchmark.benchmark_row import BenchmarkRow

APPENDER_COUNT = 1_000
APPEND_COUNT = 300
RECORD_COUNT = 10_000
RESUME_LIMIT_MS = 500.0
HEADER_RECORDS: tuple[tuple[Record, Address], ...] = (
    (SessionHeader(session_id="benchmark", workspace="/work"), ROOT),
    (SessionOpened(run=1, pid=1, version="0"), ROOT),
)


def one_appender_us() -> float:
    """Return the microseconds per record that one writer appends and syncs."""
    with tempfile.TemporaryDirectory() as folder:
        log = _create_log(Path(folder))
        started_s = time.perf_counter()
        for number in range(APPEND_COUNT):
            log.append([(_make_record(number), PRIMARY)])
        elapsed_s = time.perf_counter() - started_s
        log.close()
    return elapsed_s / APPEND_COUNT * 1e6


def parallel_appenders_us() -> float:
    """Return the microseconds per record of 1,000 actors that each append one in parallel."""
    with tempfile.TemporaryDirectory() as folder:
        log, done = _create_log(Path(folder)), Event()
        system = ActorSystem(partial(_AppenderParent, log, done))
        try:
            started_s = time.perf_counter()
            system.tell(ROOT, Appended(id=0))
            assert done.wait(60)
            elapsed_s = time.perf_counter() - started_s
        finally:
            system.stop()
    return elapsed_s / APPENDER_COUNT * 1e6


def resume_ms() -> float:
    """Return the milliseconds to open a session of 10,000 records and restore its state."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        records = [*HEADER_RECORDS, *((record, PRIMARY) for record in _make_conversation())]
        SessionLog.create(path, records, _clock).close()
        enable_gc()  # as the program does before the first screen
        started_s = time.perf_counter()
        log, contents = SessionLog.open(path, _clock)
        state = restore(contents.records, AgentState())
        history = ConversationHistory()
        for record in state.records:
            history.add(record)
        elapsed_s = time.perf_counter() - started_s
        log.close()
    assert len(contents.lines) >= RECORD_COUNT
    return elapsed_s * 1e3


def raw_write_us(lines: int) -> float:
    """Return the microseconds per line to write and sync the same lines one by one."""
    data = [encode_line(JournalLine(n, _clock(), PRIMARY, _make_record(n))) for n in range(lines)]
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        started_s = time.perf_counter()
        for line in data:
            os.write(file.fileno(), line)
            os.fdatasync(file.fileno())
        return (time.perf_counter() - started_s) / lines * 1e6


class _Appender(Actor[Appended | AppendFailed]):
    def __init__(self, journal: Address, parent: Address, number: int) -> None:
        self._journal, self._parent, self._number = journal, parent, number

    def on_start(self) -> None:
        self.tell(self._journal, Append(id=1, records=(_make_record(self._number),)))

    def on_receive(self, message: Appended | AppendFailed) -> None:
        assert isinstance(message, Appended)
        self.tell(self._parent, message)


class _AppenderParent(Actor[Appended | AppendFailed | ChildEnded]):
    def __init__(self, log: SessionLog, done: Event) -> None:
        self._log, self._done, self._answer_count = log, done, 0

    def on_start(self) -> None:
        self._journal = self.start(partial(Journal, self._log, AppendLedger()), "journal")

    def on_receive(self, message: Appended | AppendFailed | ChildEnded) -> None:
        if isinstance(message, Appended) and message.id == 0:
            for number in range(APPENDER_COUNT):
                make = partial(_Appender, self._journal, self.address, number)
                self.start(make, f"appender-{number}")
        elif isinstance(message, Appended):
            self._answer_count += 1
            if self._answer_count == APPENDER_COUNT:
                self._done.set()


def _create_log(folder: Path) -> SessionLog:
    return SessionLog.create(folder / "session.jsonl", HEADER_RECORDS, _clock)


def _make_record(number: int) -> ToolEnded:
    return ToolEnded(
        turn=1,
        call_id=f"toolu_{number}",
        tool="read",
        title="read actors/sessions/session_log.py",
        status="ok",
        text="a line of the file\n" * 12,
    )


def _make_conversation() -> list[Record]:
    """Return 10,000 records: five per turn, with one tool call and its result."""
    records: list[Record] = []
    for turn in range(1, RECORD_COUNT // 5 + 1):
        call = f"toolu_{turn}"
        use = ToolUseBlock(id=call, name="bash", input={"command": "make test"})
        content = (TextBlock(text="Running the tests now. " * 10), use)
        usage = Usage(input_tokens=1000, output_tokens=100)
        records += (
            TurnStarted(turn=turn, prompt="Fix the failing test, please."),
            ReplyCompleted(
                turn=turn, content=content, stop_reason="tool_use", usage=usage, model="scripted"
            ),
            ToolStarted(turn=turn, call_id=call, tool="bash", title="bash make test"),
            _make_record(turn).model_copy(update={"turn": turn, "call_id": call}),
            TurnCompleted(turn=turn, text="Done.", stop_reason="end_turn", usage=usage),
        )
    return records


def _clock() -> float:
    return 1_700_000_000.0


WRITE_BASELINE = "`os.write` and `fdatasync` for each"
ROWS = (
    BenchmarkRow(
        "append",
        "one record appended and synced",
        WRITE_BASELINE,
        1.5,
        one_appender_us,
        lambda: raw_write_us(APPEND_COUNT),
    ),
    BenchmarkRow(
        "parallel-append",
        f"the same by {APPENDER_COUNT:,} actors in parallel",
        WRITE_BASELINE,
        1.5,
        parallel_appenders_us,
        lambda: raw_write_us(APPENDER_COUNT),
    ),
    BenchmarkRow(
        "resume",
        f"resume of a session with {RECORD_COUNT:,} records",
        f"{RESUME_LIMIT_MS:g} ms, fixed",
        1,
        resume_ms,
        lambda: RESUME_LIMIT_MS,
        "ms",
        rounds=3,
        is_fixed_limit=True,
    ),
)
