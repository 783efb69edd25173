"""The journal on a disk that is full, slow or read-only for a while."""

import errno
import threading
from functools import partial
from pathlib import Path

import pytest

from actors.runtime.system import ActorSystem
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.log_reader import read_log
from messages.address import Address
from messages.journal import Append, Appended, AppendFailed
from tests.actors.sessions.sample_records import (
    SESSION_HEADER,
    SESSION_OPENED,
    create_log,
    make_turn_started,
)
from tests.faults.faulty_file_system import FaultyFileSystem
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick


@pytest.fixture
def files() -> FaultyFileSystem:
    return FaultyFileSystem()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "20260131-235959-ab12.jsonl"


@pytest.fixture
def journal(system: ActorSystem, files: FaultyFileSystem, path: Path) -> Address:
    return system.start(partial(Journal, create_log(path, files), AppendLedger()))


@pytest.fixture
def sender(system: ActorSystem) -> Probe:
    return start_probe(system)


DISK_ERRORS = [
    (call, number)
    for call in ("write", "sync")
    for number in (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT)
]


@pytest.mark.parametrize("disk_error", DISK_ERRORS)
def test_a_failed_append_is_reported_and_later_ones_succeed(
    files: FaultyFileSystem,
    path: Path,
    journal: Address,
    sender: Probe,
    disk_error: tuple[str, int],
) -> None:
    files.fail_calls(disk_error[0], error_number=disk_error[1])
    sender.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    failure = sender.expect_kind(AppendFailed)
    assert failure.id == 1
    assert str(path) in failure.detail

    files.fail_calls()
    sender.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    sender.expect(Appended(id=2))
    assert read_log(path).records == (SESSION_HEADER, SESSION_OPENED, make_turn_started(2))


def test_appends_after_a_failed_one_fail_too(
    files: FaultyFileSystem, path: Path, journal: Address, sender: Probe
) -> None:
    files.fail_calls("write")
    sender.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    failure = sender.expect_kind(AppendFailed)
    files.fail_calls()
    for append in (
        Append(id=2, records=(make_turn_started(2),), after_id=1),
        Append(id=3, records=(), after_id=2),
    ):
        sender.tell(journal, append)
        sender.expect(AppendFailed(id=append.id, detail=failure.detail))
    sender.tell(
        journal, Append(id=4, records=(make_turn_started(1), make_turn_started(2)), after_id=0)
    )
    sender.expect(Appended(id=4))
    assert read_log(path).records == (
        SESSION_HEADER,
        SESSION_OPENED,
        make_turn_started(1),
        make_turn_started(2),
    )


def test_a_failed_append_that_is_resent_fails_again(
    files: FaultyFileSystem, journal: Address, sender: Probe
) -> None:
    files.fail_calls("write")
    sender.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    failure = sender.expect_kind(AppendFailed)
    files.fail_calls()
    sender.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    sender.expect(Appended(id=2))
    sender.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    sender.expect(failure)
    sender.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    sender.expect(Appended(id=2))


def test_appends_waiting_for_a_slow_disk_form_one_group(
    files: FaultyFileSystem, path: Path, journal: Address, sender: Probe
) -> None:
    reached, proceed = threading.Event(), threading.Event()

    def block_sync(call: str) -> None:
        if call == "sync":
            reached.set()
            assert proceed.wait(PROBE_TIMEOUT_S)

    files.before_call = block_sync
    sender.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    assert reached.wait(PROBE_TIMEOUT_S)
    for number in range(2, 12):
        sender.tell(journal, Append(id=number, records=(make_turn_started(number),)))
    sender.expect_nothing_more()

    before = len(files.calls)
    proceed.set()
    sender.expect(*(Appended(id=number) for number in range(1, 12)))
    assert files.calls[before:].count("write") == 1
    assert files.calls[before:].count("sync") == 1
    assert [line.group for line in read_log(path).lines] == [1, 1, 3, *[4] * 10]
