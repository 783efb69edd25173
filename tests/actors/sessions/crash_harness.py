"""A session on a disk that fails, through deaths and power cuts, beside what was acknowledged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from actors.sessions.errors import LogError
from actors.sessions.file_system import FileSystem
from actors.sessions.log_reader import LogContents
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
from messages.journal import Record
from messages.turns import TurnStarted
from tests.actors.sessions.sample_records import FIRST_RECORDS, fixed_clock
from tests.faults.faulty_file_system import FaultyFileSystem, KillPoint, ProcessKilledError
from tests.faults.power_loss_disk import PowerLossDisk

STATE = Path("/state")
PATH = STATE / "projects" / "mine" / "20260131-235959-ab12.jsonl"


@dataclass
class AppendTracker:
    """What the journal's user knows: what is on disk for sure, and what may be behind it."""

    acknowledged: list[Record] = field(default_factory=list[Record])
    unconfirmed_groups: list[list[Record]] = field(default_factory=list[list[Record]])
    """Groups since then that were refused or never answered."""

    def append(self, log: SessionLog, records: list[Record]) -> None:
        """Append a group; one whose sync failed may still be there after a power cut."""
        self.unconfirmed_groups.append(records)
        try:
            log.append([(record, PRIMARY) for record in records])
        except LogError:
            return
        self.acknowledge(records)

    def acknowledge(self, records: list[Record]) -> None:
        self.acknowledged += records
        self.unconfirmed_groups = []

    def check(self, contents: LogContents) -> None:
        """Require every acknowledged record, and behind them a part of what was under way."""
        found = list(contents.records)
        behind = found[len(self.acknowledged) :]
        assert found[: len(self.acknowledged)] == self.acknowledged
        for n, record in enumerate(behind):
            assert record in [group[n] for group in self.unconfirmed_groups if n < len(group)]


def create_tracked_log(files: FileSystem, told: AppendTracker) -> SessionLog:
    """Begin the session, and know that it is there."""
    first = [record for record, _ in FIRST_RECORDS]
    told.unconfirmed_groups = [first]
    log = SessionLog.create(PATH, FIRST_RECORDS, fixed_clock, files)
    told.acknowledge(first)
    return log


def reopen_log(disk: PowerLossDisk, told: AppendTracker) -> SessionLog:
    """Open the session after a death; what was under way is known now, one way or the other."""
    log, contents = SessionLog.open(PATH, fixed_clock, disk)
    told.check(contents)
    told.acknowledged, told.unconfirmed_groups = list(contents.records), []
    return log


def make_group(random: Random, number: int) -> list[Record]:
    """Make records of many lengths, some longer than a sector of the disk."""
    return [
        TurnStarted(turn=number + n, prompt=random.choice("aé\n") * random.choice((1, 90, 700)))
        for n in range(random.randint(1, 4))
    ]


def append_groups(
    files: FaultyFileSystem, log: SessionLog, random: Random, told: AppendTracker
) -> None:
    """Append some groups, while the disk fails now and then."""
    for number in range(random.randint(1, 4)):
        if random.random() < 0.3:
            files.fail_calls(random.choice(("write", "sync", "truncate", "open", "read")))
        if random.random() < 0.2:
            files.short_write_bytes = random.randint(1, 200)
        told.append(log, make_group(random, number))
        files.fail_calls()
        files.short_write_bytes = 0


def run_until_killed(run: Callable[[], object]) -> bool:
    """Run; say whether it was killed meanwhile."""
    try:
        run()
    except ProcessKilledError:
        return True
    return False


def check_power_losses(seed: int) -> None:
    """Live several lives on one disk; each ends by a death at any call, and most in the dark."""
    random, told, disk = Random(seed), AppendTracker(), PowerLossDisk(STATE)  # noqa: S311  (a seed must replay)
    for life in range(3):
        kill = KillPoint(random.randint(1, 30), lambda length: random.randint(0, length))
        files = FaultyFileSystem(disk, kill)
        run_until_killed(partial(run_one_process, files, random, told))
        disk.close_all()
        if random.random() < 0.8:
            disk.lose_power(random)
        if not told.acknowledged and not disk.read_content(PATH):
            disk = PowerLossDisk(STATE)  # it was never begun
            told.unconfirmed_groups = []
            continue
        log = reopen_log(disk, told)
        told.append(log, [TurnStarted(turn=1000 + life, prompt="after")])
        log.close()
        assert told.unconfirmed_groups == []


def run_one_process(files: FaultyFileSystem, random: Random, told: AppendTracker) -> None:
    if told.acknowledged:
        log, contents = SessionLog.open(PATH, fixed_clock, files)
        told.check(contents)
    else:
        log = create_tracked_log(files, told)
    append_groups(files, log, random, told)
