"""Whatever the disk did not promise to keep is lost, halved or reordered; nothing else is."""

from functools import partial
from pathlib import Path
from random import Random

import pytest

from actors.sessions.faults import LogDamaged, LogError
from actors.sessions.log import SessionLog
from actors.sessions.reading import parse
from actors.sessions.stores import replace_file
from messages.address import PRIMARY
from messages.wire import JournalLine, encode_line
from tests.actors.sessions.survival import PATH, STATE, killed, lives_through_power_cuts
from tests.actors.sessions.writing import NOW_S, clock, create, line, turn, whole_log
from tests.faults.disk import Disk
from tests.faults.faulty_files import FaultyFiles, Kill

LIVES = 10_000
SHARD = 300


@pytest.mark.quick
@pytest.mark.parametrize("first", range(0, SHARD, 50))
def test_no_acknowledged_record_is_lost_in_a_power_cut(first: int) -> None:
    for seed in range(first, first + 50):
        lives_through_power_cuts(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, LIVES, 500))
def test_no_acknowledged_record_is_lost_in_10_000_power_cuts(first: int) -> None:
    for seed in range(first, first + 500):
        lives_through_power_cuts(seed)


def replaced_in_the_dark(seed: int) -> None:
    random, disk, path = Random(seed), Disk(STATE), STATE / "config.toml"  # noqa: S311  (must replay)
    old, new = b"old " * 500, b"new " * 700
    disk.put(path, old)
    files = FaultyFiles(disk, Kill(random.randint(1, 14), lambda length: random.randint(0, length)))
    done = not killed(partial(replace_file, path, new, files))
    disk.lose_power(random)
    assert disk.content(path) in ((new,) if done else (old, new))
    replace_file(path, b"again", disk)
    assert disk.content(path) == b"again"


@pytest.mark.quick
def test_a_replaced_file_is_the_old_or_the_new_one_after_a_power_cut() -> None:
    for seed in range(500):
        replaced_in_the_dark(seed)


@pytest.mark.long
def test_a_replaced_file_is_the_old_or_the_new_one_after_10_000_power_cuts() -> None:
    for seed in range(LIVES):
        replaced_in_the_dark(seed)


@pytest.mark.quick
def test_a_group_that_is_damaged_anywhere_is_one_unfinished_write() -> None:
    lines = whole_log(3)
    grouped = [encode_line(JournalLine(n, NOW_S, PRIMARY, turn(n), group=4)) for n in (4, 5, 6)]
    for lost in range(3):
        holed = [b"\0" * len(each) if n == lost else each for n, each in enumerate(grouped)]
        contents = parse(Path("s"), b"".join([*lines, *holed]))
        assert [each.seq for each in contents.lines] == list(range(1, 4 + lost))
        assert contents.torn == b"".join(holed[lost:])


@pytest.mark.quick
def test_damage_before_a_group_that_came_later_is_no_unfinished_write() -> None:
    lines = whole_log(3)
    grouped = [encode_line(JournalLine(n, NOW_S, PRIMARY, turn(n), group=4)) for n in (4, 5)]
    later = encode_line(JournalLine(6, NOW_S, PRIMARY, turn(6)))
    damaged = grouped[1].replace(b"prompt 5", b"prompt 6")
    with pytest.raises(LogDamaged, match="line 5 of 6"):
        parse(Path("s"), b"".join([*lines, grouped[0], damaged, later]))


@pytest.mark.quick
def test_records_that_were_written_together_say_so(tmp_path: Path) -> None:
    log = create(tmp_path / "s.jsonl")
    log.append([(turn(1), PRIMARY), (turn(2), PRIMARY)])
    log.append([(turn(3), PRIMARY)])
    log.close()
    lines = parse(log.path, log.path.read_bytes()).lines
    assert [each.group for each in lines] == [1, 1, 3, 3, 5]


@pytest.mark.quick
def test_the_disk_of_these_tests_loses_what_was_not_synced() -> None:
    """The check of the check: a log that does not sync loses records here."""

    class Careless(Disk):
        def sync(self, descriptor: int) -> None:
            pass

    lost = 0
    for seed in range(50):
        disk = Careless(PATH.parent)
        disk.put(PATH, b"".join(whole_log(2)))
        log, _ = SessionLog.open(PATH, clock, disk)
        log.append([(turn(3), PRIMARY)])
        disk.lose_power(Random(seed))  # noqa: S311  (a seed must replay)
        lost += disk.content(PATH) != b"".join([*whole_log(2), line(3, turn(3))])
    assert lost > 10


@pytest.mark.quick
def test_what_was_refused_does_not_come_back_with_a_power_cut() -> None:
    """Its first record went in whole, and what undoes that has to last as well."""
    old = b"".join(whole_log(2))
    for seed in range(50):
        disk = Disk(PATH.parent)
        disk.put(PATH, old)
        files = FaultyFiles(disk)
        log, _ = SessionLog.open(PATH, clock, files)
        files.short_by = 5
        with pytest.raises(LogError, match="bytes went in"):
            log.append([(turn(3), PRIMARY), (turn(4), PRIMARY)])
        disk.lose_power(Random(seed))  # noqa: S311  (a seed must replay)
        assert disk.content(PATH) == old


def every_prefix(step: int) -> None:
    """Open, append, reopen each prefix of a 50-record log, in memory."""
    lines, path = whole_log(50), Path("/s/cut.jsonl")
    data = b"".join(lines)
    records = parse(path, data).records
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    for length in range(starts[1], len(data) + 1, step):
        disk = Disk(path.parent)
        disk.put(path, data[:length])
        whole = sum(start <= length for start in starts) - 1
        log, contents = SessionLog.open(path, clock, disk)
        log.append([(turn(99), PRIMARY)])
        log.close()
        log, again = SessionLog.open(path, clock, disk)
        log.close()
        assert contents.records == records[:whole]
        assert again.records == (*contents.records, turn(99))
        assert again.torn == b""


@pytest.mark.quick
def test_every_97th_prefix_of_50_records_opens_and_loses_nothing() -> None:
    every_prefix(97)


@pytest.mark.long
def test_every_prefix_of_50_records_opens_and_loses_nothing() -> None:
    every_prefix(1)
