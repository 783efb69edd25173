"""What the journal costs beside the system calls that nobody can do without.

Run as `python -m tests.benchmark.journal [FOLDER]`; the folder says which disk.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event

from actors.agents.history import History
from actors.agents.resume import past_of
from actors.agents.state import Turn
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.sessions.journal import Journal, Settled
from actors.sessions.log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.agents import ChildEnded
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.transcript import Append, Appended, AppendFailed, Record, RunStarted, Session
from messages.turns import ReplyCompleted, ToolEnded, ToolStarted, TurnCompleted, TurnStarted
from messages.wire import Line, encode_line

Sample = tuple[float, float]
"""Seconds: ours, and the limit's."""

APPENDERS = 1_000
APPENDS = 300
RECORDS = 10_000
RESUME_LIMIT_S = 0.5
SAMPLES = 5
FIRST: tuple[tuple[Record, Address], ...] = (
    (Session(session_id="benchmark", workspace="/work"), ROOT),
    (RunStarted(run=1, pid=1, version="0"), ROOT),
)
_numbers = count()


def one_appender(folder: Path) -> Sample:
    """Append and sync record after record, against a bare write and fdatasync of each line."""
    log = _begun(folder)
    began_s = time.perf_counter()
    for number in range(APPENDS):
        log.append([(_record(number), PRIMARY)])
    ours_s = time.perf_counter() - began_s
    log.close()
    return ours_s, _bare(folder, APPENDS)


def thousand_appenders(folder: Path) -> Sample:
    """1,000 actors each append a record and wait for its sync, against as many bare ones."""
    log, done = _begun(folder), Event()
    system = ActorSystem(partial(_Crowd, log, done))
    try:
        began_s = time.perf_counter()
        system.tell(ROOT, Appended(id=0))
        assert done.wait(60)
        ours_s = time.perf_counter() - began_s
    finally:
        system.stop()
    return ours_s, _bare(folder, APPENDERS)


def resume(folder: Path) -> Sample:
    """Open a session of 10,000 records and rebuild turn and conversation, against half a second."""
    path = folder / f"{next(_numbers)}.jsonl"
    SessionLog.create(
        path, [*FIRST, *((each, PRIMARY) for each in _conversation())], _clock
    ).close()
    began_s = time.perf_counter()
    log, contents = SessionLog.open(path, _clock)
    past = past_of(contents.records, Turn())
    history = History()
    for record in past.records:
        history.add(record)
    ours_s = time.perf_counter() - began_s
    log.close()
    assert len(contents.lines) >= RECORDS
    return ours_s, RESUME_LIMIT_S


ROWS: tuple[tuple[str, Callable[[Path], Sample], float], ...] = (
    ("append + sync, one appender, to write + fdatasync", one_appender, 1.5),
    ("append + sync, 1,000 appenders, to write + fdatasync of each", thousand_appenders, 1.5),
    ("resume of 10,000 records, to 0.5 s", resume, 1.0),
)
"""Name, how to sample it, and the highest ratio that is allowed."""


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
        self._journal = self.start(partial(Journal, self._log, Settled()), "journal")

    def on_receive(self, message: Appended | AppendFailed | ChildEnded) -> None:
        if isinstance(message, Appended) and message.id == 0:
            for number in range(APPENDERS):
                make = partial(_Appender, self._journal, self.address, number)
                self.start(make, f"appender-{number}")
        elif isinstance(message, Appended):
            self._answers += 1
            if self._answers == APPENDERS:
                self._done.set()


def _bare(folder: Path, lines: int) -> float:
    """Write and sync the same lines one by one."""
    data = [encode_line(Line(n, _clock(), PRIMARY, _record(n))) for n in range(lines)]
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    descriptor = os.open(folder / f"{next(_numbers)}.bare", flags, 0o600)
    began_s = time.perf_counter()
    for each in data:
        os.write(descriptor, each)
        os.fdatasync(descriptor)
    taken_s = time.perf_counter() - began_s
    os.close(descriptor)
    return taken_s


def _begun(folder: Path) -> SessionLog:
    return SessionLog.create(folder / f"{next(_numbers)}.jsonl", FIRST, _clock)


def _record(number: int) -> ToolEnded:
    return ToolEnded(
        turn=1,
        call_id=f"toolu_{number}",
        tool="read",
        title="read actors/sessions/log.py",
        status="ok",
        text="a line of what was read\n" * 12,
    )


def _conversation() -> list[Record]:
    """10,000 records as agents leave them: five for each turn, every call with its result."""
    records: list[Record] = []
    for turn in range(1, RECORDS // 5 + 1):
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


def main(parent: str | None) -> None:
    """Print the median of each row: ours, the limit, their ratio and what is allowed."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        for name, sample, allowed in ROWS:
            samples = [sample(Path(folder)) for _ in range(SAMPLES)]
            ratio = statistics.median(ours_s / limit_s for ours_s, limit_s in samples)
            ours_s = statistics.median(ours_s for ours_s, _ in samples)
            verdict = "ok" if ratio <= allowed else "TOO SLOW"
            print(f"{ours_s:8.4f} s  {ratio:6.2f} of {allowed:4.1f}  {verdict}  {name}")  # noqa: T201  (a table for people)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
