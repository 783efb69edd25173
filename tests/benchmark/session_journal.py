"""What the journal costs beside the system calls that nobody can do without.

The files lie in the system's folder for such; `TMPDIR` names another disk.
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
    """Microseconds for a record that one writer appends and syncs after another."""
    with tempfile.TemporaryDirectory() as folder:
        log = _begun(Path(folder))
        began_s = time.perf_counter()
        for number in range(APPEND_COUNT):
            log.append([(_record(number), PRIMARY)])
        taken_s = time.perf_counter() - began_s
        log.close()
    return taken_s / APPEND_COUNT * 1e6


def thousand_appenders_us() -> float:
    """Microseconds for a record of 1,000 actors that each append one and wait for its sync."""
    with tempfile.TemporaryDirectory() as folder:
        log, done = _begun(Path(folder)), Event()
        system = ActorSystem(partial(_Crowd, log, done))
        try:
            began_s = time.perf_counter()
            system.tell(ROOT, Appended(id=0))
            assert done.wait(60)
            taken_s = time.perf_counter() - began_s
        finally:
            system.stop()
    return taken_s / APPENDER_COUNT * 1e6


def resume_ms() -> float:
    """Milliseconds to open a session of 10,000 records and rebuild turn and conversation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        records = [*HEADER_RECORDS, *((each, PRIMARY) for each in _conversation())]
        SessionLog.create(path, records, _clock).close()
        enable_gc()  # as the program does on its way to the first screen
        began_s = time.perf_counter()
        log, contents = SessionLog.open(path, _clock)
        past = restore(contents.records, AgentState())
        history = ConversationHistory()
        for record in past.records:
            history.add(record)
        taken_s = time.perf_counter() - began_s
        log.close()
    assert len(contents.lines) >= RECORD_COUNT
    return taken_s * 1e3


def raw_write_us(lines: int) -> float:
    """Microseconds to write and sync one of the same lines, one by one."""
    data = [encode_line(JournalLine(n, _clock(), PRIMARY, _record(n))) for n in range(lines)]
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        began_s = time.perf_counter()
        for each in data:
            os.write(file.fileno(), each)
            os.fdatasync(file.fileno())
        return (time.perf_counter() - began_s) / lines * 1e6


class _Appender(Actor[Appended | AppendFailed]):
    def __init__(self, journal: Address, crowd: Address, number: int) -> None:
        self._journal, self._crowd, self._number = journal, crowd, number

    def on_start(self) -> None:
        self.tell(self._journal, Append(id=1, records=(_record(self._number),)))

    def on_receive(self, message: Appended | AppendFailed) -> None:
        assert isinstance(message, Appended)
        self.tell(self._crowd, message)


class _Crowd(Actor[Appended | AppendFailed | ChildEnded]):
    def __init__(self, log: SessionLog, done: Event) -> None:
        self._log, self._done, self._answers = log, done, 0

    def on_start(self) -> None:
        self._journal = self.start(partial(Journal, self._log, AppendLedger()), "journal")

    def on_receive(self, message: Appended | AppendFailed | ChildEnded) -> None:
        if isinstance(message, Appended) and message.id == 0:
            for number in range(APPENDER_COUNT):
                make = partial(_Appender, self._journal, self.address, number)
                self.start(make, f"appender-{number}")
        elif isinstance(message, Appended):
            self._answers += 1
            if self._answers == APPENDER_COUNT:
                self._done.set()


def _begun(folder: Path) -> SessionLog:
    return SessionLog.create(folder / "session.jsonl", HEADER_RECORDS, _clock)


def _record(number: int) -> ToolEnded:
    return ToolEnded(
        turn=1,
        call_id=f"toolu_{number}",
        tool="read",
        title="read actors/sessions/session_log.py",
        status="ok",
        text="a line of what was read\n" * 12,
    )


def _conversation() -> list[Record]:
    """10,000 records as agents leave them: five for each turn, every call with its result."""
    records: list[Record] = []
    for turn in range(1, RECORD_COUNT // 5 + 1):
        call = f"toolu_{turn}"
        use = ToolUseBlock(id=call, name="bash", input={"command": "make test"})
        said = (TextBlock(text="I run the tests now. " * 10), use)
        usage = Usage(input_tokens=1000, output_tokens=100)
        records += (
            TurnStarted(turn=turn, prompt="Mend the test that fails, please."),
            ReplyCompleted(
                turn=turn, content=said, stop_reason="tool_use", usage=usage, model="scripted"
            ),
            ToolStarted(turn=turn, call_id=call, tool="bash", title="bash make test"),
            _record(turn).model_copy(update={"turn": turn, "call_id": call}),
            TurnCompleted(turn=turn, text="Done.", stop_reason="end_turn", usage=usage),
        )
    return records


def _clock() -> float:
    return 1_700_000_000.0


WRITE_BASELINE = "`os.write` + `fdatasync` of each"
ROWS = (
    BenchmarkRow(
        "append",
        "a record appended and synced",
        WRITE_BASELINE,
        1.5,
        one_appender_us,
        lambda: raw_write_us(APPEND_COUNT),
    ),
    BenchmarkRow(
        "appenders",
        f"the same by {APPENDER_COUNT:,} actors at once",
        WRITE_BASELINE,
        1.5,
        thousand_appenders_us,
        lambda: raw_write_us(APPENDER_COUNT),
    ),
    BenchmarkRow(
        "resume",
        f"resume of {RECORD_COUNT:,} records",
        f"{RESUME_LIMIT_MS:g} ms, as stated",
        1,
        resume_ms,
        lambda: RESUME_LIMIT_MS,
        "ms",
        rounds=3,
        is_fixed_limit=True,
    ),
)
