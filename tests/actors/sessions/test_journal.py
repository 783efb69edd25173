"""The journal over a disk that is full, slow, read-only or gone, and well again."""

import errno
import threading
from functools import partial
from pathlib import Path

import pytest

from actors.runtime.system import ActorSystem
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.reading import read_log
from messages.address import Address
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.sessions.writing import RUN, SESSION, create, turn
from tests.faults.faulty_files import FaultyFiles
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick


@pytest.fixture
def files() -> FaultyFiles:
    return FaultyFiles()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "20260131-235959-ab12.jsonl"


@pytest.fixture
def journal(system: ActorSystem, files: FaultyFiles, path: Path) -> Address:
    return system.start(partial(Journal, create(path, files), AppendLedger()))


@pytest.fixture
def asker(system: ActorSystem) -> Probe:
    return new_probe(system)


REFUSALS = [
    (call, number)
    for call in ("write", "sync")
    for number in (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT)
]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_the_disk_refuses_is_told_and_it_serves_on_when_it_is_well_again(
    files: FaultyFiles, path: Path, journal: Address, asker: Probe, refusal: tuple[str, int]
) -> None:
    files.fail(refusal[0], number=refusal[1])
    asker.tell(journal, Append(id=1, records=(turn(1),)))
    refused = asker.expect_kind(AppendFailed)
    assert refused.id == 1
    assert str(path) in refused.detail

    files.fail()
    asker.tell(journal, Append(id=2, records=(turn(2),)))
    asker.expect(Appended(id=2))
    assert read_log(path).records == (SESSION, RUN, turn(2))


def test_what_was_sent_before_its_sender_heard_of_a_refusal_is_refused_as_well(
    files: FaultyFiles, path: Path, journal: Address, asker: Probe
) -> None:
    files.fail("write")
    asker.tell(journal, Append(id=1, records=(turn(1),)))
    refused = asker.expect_kind(AppendFailed)
    files.fail()
    for behind in (Append(id=2, records=(turn(2),), after=1), Append(id=3, records=(), after=2)):
        asker.tell(journal, behind)
        asker.expect(AppendFailed(id=behind.id, detail=refused.detail))
    asker.tell(journal, Append(id=4, records=(turn(1), turn(2)), after=0))
    asker.expect(Appended(id=4))
    assert read_log(path).records == (SESSION, RUN, turn(1), turn(2))


def test_a_refused_append_that_comes_again_is_refused_again(
    files: FaultyFiles, journal: Address, asker: Probe
) -> None:
    files.fail("write")
    asker.tell(journal, Append(id=1, records=(turn(1),)))
    refused = asker.expect_kind(AppendFailed)
    files.fail()
    asker.tell(journal, Append(id=2, records=(turn(2),)))
    asker.expect(Appended(id=2))
    asker.tell(journal, Append(id=1, records=(turn(1),)))
    asker.expect(refused)
    asker.tell(journal, Append(id=2, records=(turn(2),)))
    asker.expect(Appended(id=2))


def test_on_a_slow_disk_nothing_is_called_written_before_it_is_and_what_waits_is_one_group(
    files: FaultyFiles, path: Path, journal: Address, asker: Probe
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slowly(call: str) -> None:
        if call == "sync":
            reached.set()
            assert go_on.wait(PATIENCE_S)

    files.before = slowly
    asker.tell(journal, Append(id=1, records=(turn(1),)))
    assert reached.wait(PATIENCE_S)
    for number in range(2, 12):
        asker.tell(journal, Append(id=number, records=(turn(number),)))
    asker.expect_nothing_more()

    before = len(files.calls)
    go_on.set()
    asker.expect(*(Appended(id=number) for number in range(1, 12)))
    assert files.calls[before:].count("write") == 1
    assert files.calls[before:].count("sync") == 1
    assert [line.group for line in read_log(path).lines] == [1, 1, 3, *[4] * 10]
