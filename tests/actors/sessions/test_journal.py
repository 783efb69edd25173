"""The journal over a disk that is full, slow, read-only or gone, and well again."""

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
def asker(system: ActorSystem) -> Probe:
    return start_probe(system)


REFUSALS = [
    (call, number)
    for call in ("write", "sync")
    for number in (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT)
]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_the_disk_refuses_is_told_and_it_serves_on_when_it_is_well_again(
    files: FaultyFileSystem, path: Path, journal: Address, asker: Probe, refusal: tuple[str, int]
) -> None:
    files.fail_calls(refusal[0], error_number=refusal[1])
    asker.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    refused = asker.expect_kind(AppendFailed)
    assert refused.id == 1
    assert str(path) in refused.detail

    files.fail_calls()
    asker.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    asker.expect(Appended(id=2))
    assert read_log(path).records == (SESSION_HEADER, SESSION_OPENED, make_turn_started(2))


def test_what_was_sent_before_its_sender_heard_of_a_refusal_is_refused_as_well(
    files: FaultyFileSystem, path: Path, journal: Address, asker: Probe
) -> None:
    files.fail_calls("write")
    asker.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    refused = asker.expect_kind(AppendFailed)
    files.fail_calls()
    for behind in (
        Append(id=2, records=(make_turn_started(2),), after_id=1),
        Append(id=3, records=(), after_id=2),
    ):
        asker.tell(journal, behind)
        asker.expect(AppendFailed(id=behind.id, detail=refused.detail))
    asker.tell(
        journal, Append(id=4, records=(make_turn_started(1), make_turn_started(2)), after_id=0)
    )
    asker.expect(Appended(id=4))
    assert read_log(path).records == (
        SESSION_HEADER,
        SESSION_OPENED,
        make_turn_started(1),
        make_turn_started(2),
    )


def test_a_refused_append_that_comes_again_is_refused_again(
    files: FaultyFileSystem, journal: Address, asker: Probe
) -> None:
    files.fail_calls("write")
    asker.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    refused = asker.expect_kind(AppendFailed)
    files.fail_calls()
    asker.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    asker.expect(Appended(id=2))
    asker.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    asker.expect(refused)
    asker.tell(journal, Append(id=2, records=(make_turn_started(2),)))
    asker.expect(Appended(id=2))


def test_on_a_slow_disk_nothing_is_called_written_before_it_is_and_what_waits_is_one_group(
    files: FaultyFileSystem, path: Path, journal: Address, asker: Probe
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slowly(call: str) -> None:
        if call == "sync":
            reached.set()
            assert go_on.wait(PROBE_TIMEOUT_S)

    files.before_call = slowly
    asker.tell(journal, Append(id=1, records=(make_turn_started(1),)))
    assert reached.wait(PROBE_TIMEOUT_S)
    for number in range(2, 12):
        asker.tell(journal, Append(id=number, records=(make_turn_started(number),)))
    asker.expect_nothing_more()

    before = len(files.calls)
    go_on.set()
    asker.expect(*(Appended(id=number) for number in range(1, 12)))
    assert files.calls[before:].count("write") == 1
    assert files.calls[before:].count("sync") == 1
    assert [line.group for line in read_log(path).lines] == [1, 1, 3, *[4] * 10]
