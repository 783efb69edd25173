"""A session on a failing disk, killed and without power at times, and what was acknowledged."""

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
    """Tracks the records that are on disk for certain, and those that may follow them."""

    acknowledged: list[Record] = field(default_factory=list[Record])
    unconfirmed_groups: list[list[Record]] = field(default_factory=list[list[Record]])
    """Later groups that failed or were never answered."""

    def append(self, log: SessionLog, records: list[Record]) -> None:
        """Append a group; one whose sync failed may still be on disk after a power loss."""
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
        """Require every acknowledged record, followed only by unconfirmed ones."""
        found = list(contents.records)
        rest = found[len(self.acknowledged) :]
        assert found[: len(self.acknowledged)] == self.acknowledged
        for n, record in enumerate(rest):
            assert record in [group[n] for group in self.unconfirmed_groups if n < len(group)]


def create_tracked_log(files: FileSystem, tracker: AppendTracker) -> SessionLog:
    """Create the session file, and record that it exists."""
    first = [record for record, _ in FIRST_RECORDS]
    tracker.unconfirmed_groups = [first]
    log = SessionLog.create(PATH, FIRST_RECORDS, fixed_clock, files)
    tracker.acknowledge(first)
    return log


def reopen_log(disk: PowerLossDisk, tracker: AppendTracker) -> SessionLog:
    """Open the session after a crash and take its content as acknowledged."""
    log, contents = SessionLog.open(PATH, fixed_clock, disk)
    tracker.check(contents)
    tracker.acknowledged, tracker.unconfirmed_groups = list(contents.records), []
    return log


def make_group(random: Random, number: int) -> list[Record]:
    """Make records of many lengths, some longer than a disk sector."""
    return [
        TurnStarted(turn=number + n, prompt=random.choice("aé\n") * random.choice((1, 90, 700)))
        for n in range(random.randint(1, 4))
    ]


def append_groups(
    files: FaultyFileSystem, log: SessionLog, random: Random, tracker: AppendTracker
) -> None:
    """Append some groups while the disk fails at times."""
    for number in range(random.randint(1, 4)):
        if random.random() < 0.3:
            files.fail_calls(random.choice(("write", "sync", "truncate", "open", "read")))
        if random.random() < 0.2:
            files.short_write_bytes = random.randint(1, 200)
        tracker.append(log, make_group(random, number))
        files.fail_calls()
        files.short_write_bytes = 0


def run_until_killed(action: Callable[[], object]) -> bool:
    """Run the action; return whether it was killed."""
    try:
        action()
    except ProcessKilledError:
        return True
    return False


def check_power_losses(seed: int) -> None:
    """Run several processes on one disk; each is killed at some call, most with a power loss."""
    random, tracker, disk = Random(seed), AppendTracker(), PowerLossDisk(STATE)  # noqa: S311  (a seed must replay)
    for process_number in range(3):
        kill = KillPoint(random.randint(1, 30), lambda length: random.randint(0, length))
        files = FaultyFileSystem(disk, kill)
        run_until_killed(partial(run_one_process, files, random, tracker))
        disk.close_all()
        if random.random() < 0.8:
            disk.lose_power(random)
        if not tracker.acknowledged and not disk.read_content(PATH):
            disk = PowerLossDisk(STATE)  # it was never created
            tracker.unconfirmed_groups = []
            continue
        log = reopen_log(disk, tracker)
        tracker.append(log, [TurnStarted(turn=1000 + process_number, prompt="after")])
        log.close()
        assert tracker.unconfirmed_groups == []


def run_one_process(files: FaultyFileSystem, random: Random, tracker: AppendTracker) -> None:
    if tracker.acknowledged:
        log, contents = SessionLog.open(PATH, fixed_clock, files)
        tracker.check(contents)
    else:
        log = create_tracked_log(files, tracker)
    append_groups(files, log, random, tracker)
