"""A process is killed in any call, in any part of a write; acknowledged data survives."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors.sessions.file_system import FileSystem
from actors.sessions.fork import fork_session
from actors.sessions.json_store import change_store, read_store
from actors.sessions.log_reader import parse_log, read_log
from actors.sessions.session_log import SessionLog
from messages.address import PERMISSIONS, PRIMARY, ROOT
from messages.journal import SessionOpened
from messages.permissions import SessionSettings
from messages.policy import Rule
from tests.actors.sessions.crash_harness import PATH, STATE, run_until_killed
from tests.actors.sessions.sample_records import (
    FIRST_RECORDS,
    encode_record,
    fixed_clock,
    make_log_lines,
    make_turn_started,
)
from tests.faults.faulty_file_system import WRITE_PORTIONS, FaultyFileSystem, KillPoint
from tests.faults.power_loss_disk import PowerLossDisk

pytestmark = pytest.mark.quick

TRUST = STATE / "trust.json"
FORK = PATH.with_name("fork.jsonl")
OLD, TORN = b"".join(make_log_lines(5)), encode_record(6, make_turn_started(6))[:40]
GRANT = SessionSettings(grants=(Rule(permission="bash", pattern="make *", action="allow"),))


def make_disk_with_session() -> PowerLossDisk:
    disk = PowerLossDisk(PATH.parent)
    disk.add_file(PATH, OLD)
    disk.add_file(TRUST, b'{"format": 1, "old": true}')
    return disk


def create_session(files: FileSystem) -> None:
    SessionLog.create(PATH.with_name("new.jsonl"), FIRST_RECORDS, fixed_clock, files).close()


def append_turn(files: FileSystem) -> None:
    log, _ = SessionLog.open(PATH, fixed_clock, files)
    log.append([(make_turn_started(n), PRIMARY) for n in (6, 7, 8)])
    log.close()


def append_grant(files: FileSystem) -> None:
    log, _ = SessionLog.open(PATH, fixed_clock, files)
    log.append([(GRANT, PERMISSIONS)])
    log.close()


def resume_session(files: FileSystem) -> None:
    log, _ = SessionLog.open(PATH, fixed_clock, files)
    log.append([(SessionOpened(run=2, pid=1, version="0"), ROOT)])
    log.close()


def add_project_grant(files: FileSystem) -> None:
    change_store(TRUST, 1, lambda old: {**old.content, "new": True}, files)


def repair_store(files: FileSystem) -> None:
    change_store(TRUST, 1, lambda _: {"new": True}, files)


def fork_to_new_file(files: FileSystem) -> None:
    fork_session(PATH, FORK.parent, FORK.stem, "/home/me/project", files)


def tear_last_group(disk: PowerLossDisk) -> PowerLossDisk:
    disk.add_file(PATH, OLD + TORN)
    return disk


def damage_store(disk: PowerLossDisk) -> PowerLossDisk:
    disk.add_file(TRUST, b"damaged")
    return disk


STEPS: dict[str, tuple[Callable[[], PowerLossDisk], Callable[[FileSystem], None]]] = {
    "create": (make_disk_with_session, create_session),
    "append": (make_disk_with_session, append_turn),
    "append after torn bytes": (lambda: tear_last_group(make_disk_with_session()), append_turn),
    "grant": (make_disk_with_session, append_grant),
    "resume": (make_disk_with_session, resume_session),
    "resume after torn bytes": (lambda: tear_last_group(make_disk_with_session()), resume_session),
    "grant for the project": (make_disk_with_session, add_project_grant),
    "replace a damaged store": (lambda: damage_store(make_disk_with_session()), repair_store),
    "fork": (make_disk_with_session, fork_to_new_file),
}


@pytest.mark.parametrize("portion", WRITE_PORTIONS.values(), ids=WRITE_PORTIONS.keys())
@pytest.mark.parametrize(("make", "step"), STEPS.values(), ids=STEPS.keys())
def test_a_kill_at_any_call_loses_nothing_acknowledged(
    make: Callable[[], PowerLossDisk],
    step: Callable[[FileSystem], None],
    portion: Callable[[int], int],
) -> None:
    uninterrupted = FaultyFileSystem(make())
    step(uninterrupted)
    assert len(uninterrupted.calls) > 5
    for call in range(1, len(uninterrupted.calls) + 1):
        disk = make()
        was_torn = TORN in (disk.read_content(PATH) or b"")
        assert run_until_killed(partial(step, FaultyFileSystem(disk, KillPoint(call, portion))))
        disk.close_all()
        check_stores(disk)
        check_session(disk)
        if was_torn:
            assert TORN in b"".join(disk.read_content(path) or b"" for path in disk.list_files())


def check_session(disk: PowerLossDisk) -> None:
    """Check that every non-empty session opens with its old records and accepts new ones."""
    sessions = [
        file for file in disk.list_files() if file.suffix == ".jsonl" and disk.read_content(file)
    ]
    assert PATH in sessions
    for path in sessions:
        log, contents = SessionLog.open(path, fixed_clock, disk)
        log.append([(make_turn_started(99), PRIMARY)])
        log.close()
        reread = read_log(path, disk).records
        assert reread == (*contents.records, make_turn_started(99))
        old = parse_log(path, OLD).records[: {PATH: 5, FORK: 4}.get(path, 2)]
        assert contents.records[1 : len(old)] == old[1:]


def check_stores(disk: PowerLossDisk) -> None:
    """Check that the store has its old or its new content, and can be changed again."""
    stored = read_store(TRUST, 1, disk)
    if not stored.damage:
        assert stored.content in ({}, {"old": True}, {"old": True, "new": True}, {"new": True})
    add_project_grant(disk)
    assert read_store(TRUST, 1, disk).content["new"] is True
    leftovers = {path.name for path in disk.list_files() if path.parent == Path("/state")}
    assert {name for name in leftovers if name.endswith(".new")} == set()
