"""A power loss drops, truncates or reorders unsynced data; acknowledged data survives."""

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest

from actors.sessions.errors import LogDamagedError, LogError
from actors.sessions.json_store import change_store, read_store
from actors.sessions.log_reader import parse_log
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
from messages.serialization import JournalLine, encode_line
from tests.actors.sessions.crash_harness import PATH, STATE, check_power_losses, run_until_killed
from tests.actors.sessions.sample_records import (
    NOW_S,
    create_log,
    encode_record,
    fixed_clock,
    make_log_lines,
    make_turn_started,
)
from tests.faults.faulty_file_system import FaultyFileSystem, KillPoint
from tests.faults.power_loss_disk import PowerLossDisk

RUNS = 10_000
QUICK_RUNS = 300


@pytest.mark.quick
@pytest.mark.parametrize("first_seed", range(0, QUICK_RUNS, 50))
def test_no_acknowledged_record_is_lost_in_a_power_loss(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 50):
        check_power_losses(seed)


@pytest.mark.long
@pytest.mark.parametrize("first_seed", range(0, RUNS, 500))
def test_no_acknowledged_record_is_lost_in_10_000_runs(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 500):
        check_power_losses(seed)


def check_store_under_power_loss(seed: int) -> None:
    random, disk, path = Random(seed), PowerLossDisk(STATE), STATE / "trust.json"  # noqa: S311  (must replay)
    old, new = {"text": "old " * 500}, {"text": "new " * 700}
    disk.add_file(path, json.dumps({"format": 1, **old}).encode())
    files = FaultyFileSystem(
        disk, KillPoint(random.randint(1, 14), lambda length: random.randint(0, length))
    )
    is_done = not run_until_killed(partial(change_store, path, 1, lambda _: new, files))
    disk.lose_power(random)
    assert read_store(path, 1, disk).content in ((new,) if is_done else (old, new))
    change_store(path, 1, lambda _: {"text": "again"}, disk)
    assert read_store(path, 1, disk).content == {"text": "again"}


@pytest.mark.quick
def test_a_store_is_old_or_new_after_a_power_loss() -> None:
    for seed in range(500):
        check_store_under_power_loss(seed)


@pytest.mark.long
def test_a_store_is_old_or_new_after_10_000_power_losses() -> None:
    for seed in range(RUNS):
        check_store_under_power_loss(seed)


@pytest.mark.quick
def test_a_damaged_last_group_is_an_unfinished_write() -> None:
    lines = make_log_lines(3)
    grouped = [
        encode_line(JournalLine(n, NOW_S, PRIMARY, make_turn_started(n), group=4))
        for n in (4, 5, 6)
    ]
    for lost in range(3):
        damaged = [b"\0" * len(group) if n == lost else group for n, group in enumerate(grouped)]
        contents = parse_log(Path("s"), b"".join([*lines, *damaged]))
        assert [line.seq for line in contents.lines] == list(range(1, 4 + lost))
        assert contents.torn == b"".join(damaged[lost:])


@pytest.mark.quick
def test_damage_before_a_later_group_is_not_unfinished() -> None:
    lines = make_log_lines(3)
    grouped = [
        encode_line(JournalLine(n, NOW_S, PRIMARY, make_turn_started(n), group=4)) for n in (4, 5)
    ]
    later = encode_line(JournalLine(6, NOW_S, PRIMARY, make_turn_started(6)))
    damaged = grouped[1].replace(b"prompt 5", b"prompt 6")
    with pytest.raises(LogDamagedError, match="line 5 of 6"):
        parse_log(Path("s"), b"".join([*lines, grouped[0], damaged, later]))


@pytest.mark.quick
def test_records_written_together_have_the_same_group(tmp_path: Path) -> None:
    log = create_log(tmp_path / "s.jsonl")
    log.append([(make_turn_started(1), PRIMARY), (make_turn_started(2), PRIMARY)])
    log.append([(make_turn_started(3), PRIMARY)])
    log.close()
    lines = parse_log(log.path, log.path.read_bytes()).lines
    assert [line.group for line in lines] == [1, 1, 3, 3, 5]


@pytest.mark.quick
def test_the_simulated_disk_loses_unsynced_data() -> None:
    """Otherwise the tests above would prove nothing."""

    class UnsyncedDisk(PowerLossDisk):
        def sync(self, descriptor: int) -> None:
            pass

    lost_count = 0
    for seed in range(50):
        disk = UnsyncedDisk(PATH.parent)
        disk.add_file(PATH, b"".join(make_log_lines(2)))
        log, _ = SessionLog.open(PATH, fixed_clock, disk)
        log.append([(make_turn_started(3), PRIMARY)])
        disk.lose_power(Random(seed))  # noqa: S311  (a seed must replay)
        lost_count += disk.read_content(PATH) != b"".join(
            [*make_log_lines(2), encode_record(3, make_turn_started(3))]
        )
    assert lost_count > 10


@pytest.mark.quick
def test_a_failed_append_does_not_return_after_power_loss() -> None:
    """Its first record was written completely, so truncating it must be synced as well."""
    old = b"".join(make_log_lines(2))
    for seed in range(50):
        disk = PowerLossDisk(PATH.parent)
        disk.add_file(PATH, old)
        files = FaultyFileSystem(disk)
        log, _ = SessionLog.open(PATH, fixed_clock, files)
        files.short_write_bytes = 5
        with pytest.raises(LogError, match="bytes were written"):
            log.append([(make_turn_started(3), PRIMARY), (make_turn_started(4), PRIMARY)])
        disk.lose_power(Random(seed))  # noqa: S311  (a seed must replay)
        assert disk.read_content(PATH) == old


def check_every_prefix(step: int) -> None:
    """Open, append to and reopen each prefix of a 50-record log, in memory."""
    lines, path = make_log_lines(50), Path("/s/cut.jsonl")
    data = b"".join(lines)
    records = parse_log(path, data).records
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    for length in range(starts[1], len(data) + 1, step):
        disk = PowerLossDisk(path.parent)
        disk.add_file(path, data[:length])
        complete = sum(start <= length for start in starts) - 1
        log, contents = SessionLog.open(path, fixed_clock, disk)
        log.append([(make_turn_started(99), PRIMARY)])
        log.close()
        log, reopened = SessionLog.open(path, fixed_clock, disk)
        log.close()
        assert contents.records == records[:complete]
        assert reopened.records == (*contents.records, make_turn_started(99))
        assert reopened.torn == b""


@pytest.mark.quick
def test_every_97th_prefix_of_a_log_can_be_opened() -> None:
    check_every_prefix(97)


@pytest.mark.long
def test_every_prefix_of_a_log_can_be_opened() -> None:
    check_every_prefix(1)
