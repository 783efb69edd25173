"""Killed in any call, with any part of a write done: what was acknowledged is there."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors.sessions.files import Files
from actors.sessions.forking import fork_session
from actors.sessions.log import SessionLog
from actors.sessions.reading import parse, read_log
from actors.sessions.stores import change_store, read_store, replace_file
from messages.address import PERMISSIONS, PRIMARY, ROOT
from messages.permissions import SessionSettings
from messages.rules import Rule
from messages.transcript import SessionOpened
from tests.actors.sessions.survival import PATH, STATE, killed
from tests.actors.sessions.writing import FIRST, clock, line, turn, whole_log
from tests.faults.disk import Disk
from tests.faults.faulty_files import PORTIONS, FaultyFiles, Kill

pytestmark = pytest.mark.quick

CONFIG = STATE / "config.toml"
TRUST = STATE / "trust.json"
FORK = PATH.with_name("fork.jsonl")
OLD, TORN = b"".join(whole_log(5)), line(6, turn(6))[:40]
GRANT = SessionSettings(grants=(Rule(permission="bash", pattern="make *", action="allow"),))


def begun() -> Disk:
    disk = Disk(PATH.parent)
    disk.put(PATH, OLD)
    disk.put(CONFIG, b"old")
    disk.put(TRUST, b'{"format": 1, "old": true}')
    return disk


def begin(files: Files) -> None:
    SessionLog.create(PATH.with_name("new.jsonl"), FIRST, clock, files).close()


def append(files: Files) -> None:
    log, _ = SessionLog.open(PATH, clock, files)
    log.append([(turn(n), PRIMARY) for n in (6, 7, 8)])
    log.close()


def grant(files: Files) -> None:
    log, _ = SessionLog.open(PATH, clock, files)
    log.append([(GRANT, PERMISSIONS)])
    log.close()


def resume(files: Files) -> None:
    log, _ = SessionLog.open(PATH, clock, files)
    log.append([(SessionOpened(run=2, pid=1, version="0"), ROOT)])
    log.close()


def replace_config(files: Files) -> None:
    replace_file(CONFIG, b"new", files)


def grant_for_the_project(files: Files) -> None:
    change_store(TRUST, 1, lambda old: {**old.content, "new": True}, files)


def mend_a_store(files: Files) -> None:
    change_store(TRUST, 1, lambda _: {"new": True}, files)


def fork(files: Files) -> None:
    fork_session(PATH, FORK.parent, FORK.stem, files)


def torn(disk: Disk) -> Disk:
    disk.put(PATH, OLD + TORN)
    return disk


def damaged(disk: Disk) -> Disk:
    disk.put(TRUST, b"damaged")
    return disk


STEPS: dict[str, tuple[Callable[[], Disk], Callable[[Files], None]]] = {
    "begin": (begun, begin),
    "append": (begun, append),
    "append to a torn log": (lambda: torn(begun()), append),
    "grant": (begun, grant),
    "resume": (begun, resume),
    "resume a torn log": (lambda: torn(begun()), resume),
    "replace the configuration": (begun, replace_config),
    "grant for the project": (begun, grant_for_the_project),
    "mend a damaged store": (lambda: damaged(begun()), mend_a_store),
    "fork": (begun, fork),
}


@pytest.mark.parametrize("portion", PORTIONS.values(), ids=PORTIONS.keys())
@pytest.mark.parametrize(("make", "step"), STEPS.values(), ids=STEPS.keys())
def test_killed_at_any_call_nothing_is_lost_and_the_step_can_be_taken_again(
    make: Callable[[], Disk], step: Callable[[Files], None], portion: Callable[[int], int]
) -> None:
    unharmed = FaultyFiles(make())
    step(unharmed)
    assert len(unharmed.calls) > 5
    for call in range(1, len(unharmed.calls) + 1):
        disk = make()
        began_torn = TORN in (disk.content(PATH) or b"")
        assert killed(partial(step, FaultyFiles(disk, Kill(call, portion))))
        disk.die()
        check_stores(disk)
        check_session(disk)
        if began_torn:
            assert TORN in b"".join(disk.content(each) or b"" for each in disk.paths())


def check_session(disk: Disk) -> None:
    """Every session in the folder but an empty one opens with its old records, and goes on."""
    sessions = [each for each in disk.paths() if each.suffix == ".jsonl" and disk.content(each)]
    assert PATH in sessions
    for path in sessions:
        log, contents = SessionLog.open(path, clock, disk)
        log.append([(turn(99), PRIMARY)])
        log.close()
        again = read_log(path, disk).records
        assert again == (*contents.records, turn(99))
        old = parse(path, OLD).records[: {PATH: 5, FORK: 4}.get(path, 2)]
        assert contents.records[1 : len(old)] == old[1:]


def check_stores(disk: Disk) -> None:
    """Old or new, never a part; and the next change finds nothing in its way."""
    assert disk.content(CONFIG) in (b"old", b"new")
    stored = read_store(TRUST, 1, disk)
    if not stored.damage:
        assert stored.content in ({}, {"old": True}, {"old": True, "new": True}, {"new": True})
    replace_config(disk)
    grant_for_the_project(disk)
    assert read_store(TRUST, 1, disk).content["new"] is True
    assert disk.content(CONFIG) == b"new"
    left = {each.name for each in disk.paths() if each.parent == Path("/state")}
    assert {each for each in left if each.endswith(".new")} == set()
