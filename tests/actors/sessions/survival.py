"""A session on a disk that fails, through deaths and power cuts, beside what was acknowledged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from actors.sessions.faults import LogError
from actors.sessions.files import Files
from actors.sessions.log import SessionLog
from actors.sessions.reading import LogContents
from messages.address import PRIMARY
from messages.transcript import Record
from messages.turns import TurnStarted
from tests.actors.sessions.writing import FIRST, clock
from tests.faults.disk import Disk
from tests.faults.faulty_files import FaultyFiles, Kill, Killed

STATE = Path("/state")
PATH = STATE / "projects" / "mine" / "20260131-235959-ab12.jsonl"


@dataclass
class Told:
    """What the journal's user knows: what is on disk for sure, and what may be behind it."""

    sure: list[Record] = field(default_factory=list[Record])
    perhaps: list[list[Record]] = field(default_factory=list[list[Record]])
    """Groups since then that were refused or never answered."""

    def append(self, log: SessionLog, records: list[Record]) -> None:
        """Append a group; one whose sync failed may still be there after a power cut."""
        self.perhaps.append(records)
        try:
            log.append([(record, PRIMARY) for record in records])
        except LogError:
            return
        self.acknowledged(records)

    def acknowledged(self, records: list[Record]) -> None:
        self.sure += records
        self.perhaps = []

    def check(self, contents: LogContents) -> None:
        """Require every acknowledged record, and behind them a part of what was under way."""
        found = list(contents.records)
        behind = found[len(self.sure) :]
        assert found[: len(self.sure)] == self.sure
        for n, record in enumerate(behind):
            assert record in [group[n] for group in self.perhaps if n < len(group)]


def begin(files: Files, told: Told) -> SessionLog:
    """Begin the session, and know that it is there."""
    first = [record for record, _ in FIRST]
    told.perhaps = [first]
    log = SessionLog.create(PATH, FIRST, clock, files)
    told.acknowledged(first)
    return log


def reopen(disk: Disk, told: Told) -> SessionLog:
    """Open the session after a death; what was under way is known now, one way or the other."""
    log, contents = SessionLog.open(PATH, clock, disk)
    told.check(contents)
    told.sure, told.perhaps = list(contents.records), []
    return log


def group(random: Random, number: int) -> list[Record]:
    """Make records of many lengths, some longer than a sector of the disk."""
    return [
        TurnStarted(turn=number + n, prompt=random.choice("aé\n") * random.choice((1, 90, 700)))
        for n in range(random.randint(1, 4))
    ]


def live(files: FaultyFiles, log: SessionLog, random: Random, told: Told) -> None:
    """Append some groups, while the disk fails now and then."""
    for number in range(random.randint(1, 4)):
        if random.random() < 0.3:
            files.fail(random.choice(("write", "sync", "truncate", "open", "read")))
        if random.random() < 0.2:
            files.short_by = random.randint(1, 200)
        told.append(log, group(random, number))
        files.fail()
        files.short_by = 0


def killed(run: Callable[[], object]) -> bool:
    """Run; say whether it was killed meanwhile."""
    try:
        run()
    except Killed:
        return True
    return False


def lives_through_power_cuts(seed: int) -> None:
    """Live several lives on one disk; each ends by a death at any call, and most in the dark."""
    random, told, disk = Random(seed), Told(), Disk(STATE)  # noqa: S311  (a seed must replay)
    for life in range(3):
        kill = Kill(random.randint(1, 30), lambda length: random.randint(0, length))
        files = FaultyFiles(disk, kill)
        killed(partial(one_life, files, random, told))
        disk.die()
        if random.random() < 0.8:
            disk.lose_power(random)
        if not told.sure and not disk.content(PATH):
            disk = Disk(STATE)  # it was never begun
            told.perhaps = []
            continue
        log = reopen(disk, told)
        told.append(log, [TurnStarted(turn=1000 + life, prompt="after")])
        log.close()
        assert told.perhaps == []


def one_life(files: FaultyFiles, random: Random, told: Told) -> None:
    if told.sure:
        log, contents = SessionLog.open(PATH, clock, files)
        told.check(contents)
    else:
        log = begin(files, told)
    live(files, log, random, told)
