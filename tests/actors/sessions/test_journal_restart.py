"""A journal that crashes loses nothing, writes nothing twice and keeps every sender's order."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from actors.sessions.journal import AppendLedger, Journal, JournalInbox
from actors.sessions.journal_client import JournalClient, get_id_offset
from actors.sessions.log_reader import read_log
from actors.sessions.session_log import SessionLog
from messages.address import JOURNAL, ROOT
from messages.base import Message
from messages.child_lifecycle import ChildFailed
from messages.journal import (
    Append,
    Appended,
    AppendFailed,
    ReadRecords,
    Record,
    RecordsRead,
    SessionHeader,
)
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import TurnStarted
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

MANY_RESTARTS = Restart(limit=100, window_s=3600.0, backoff_s=0.0)


class CrashingJournal(Journal):
    """Crashes on the prompts `before N`, `after N` (N is its incarnation) and `always`."""

    def on_receive(self, message: JournalInbox) -> None:
        record = message.records[0] if isinstance(message, Append) and message.records else None
        prompt = record.prompt if isinstance(record, TurnStarted) else ""
        if prompt in (f"before {self.incarnation}", "always"):
            raise SystemExit
        super().on_receive(message)
        if prompt == f"after {self.incarnation}":
            raise SystemExit


@dataclass
class JournalFixture:
    system: ActorSystem
    path: Path
    ledger: AppendLedger

    @property
    def prompts(self) -> list[str]:
        records = read_log(self.path).records
        return [record.prompt for record in records if isinstance(record, TurnStarted)]


@pytest.fixture
def journal_fixture(system: ActorSystem, tmp_path: Path) -> JournalFixture:
    path = tmp_path / "s.jsonl"
    header = SessionHeader(session_id="s", workspace="/")
    log = SessionLog.create(path, [(header, ROOT)], lambda: 0.0)
    ledger = AppendLedger()
    system.start(partial(CrashingJournal, log, ledger), "journal", MANY_RESTARTS)
    return JournalFixture(system, path, ledger)


def make_append(number: int, prompt: str) -> Append:
    record = TurnStarted(turn=number, prompt=prompt)
    return Append(id=number, records=(record,), after_id=number - 1)


def test_resent_appends_are_written_once_and_in_order(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    """The append after the lost one is skipped, because both are sent again."""
    for message in (make_append(1, "before 1"), make_append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Undelivered(to=JOURNAL, message=make_append(1, "before 1"), reason="crashed"))
    for message in (make_append(1, "before 1"), make_append(2, "b"), make_append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Appended(id=1), Appended(id=2))
    assert journal_fixture.prompts == ["before 1", "b"]


def test_a_written_append_is_answered_again_after_a_crash(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    peer.tell(JOURNAL, make_append(1, "after 1"))
    peer.expect(Appended(id=1))
    peer.expect_kind(Undelivered)
    peer.tell(JOURNAL, make_append(1, "after 1"))
    peer.expect(Appended(id=1))
    assert journal_fixture.prompts == ["after 1"]


def test_reading_records_includes_all_earlier_appends(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    peer.tell(JOURNAL, make_append(1, "a"))
    peer.tell(JOURNAL, make_append(2, "after 1"))
    peer.tell(JOURNAL, ReadRecords(id=3))
    answers = [peer.next() for _ in range(4)]
    answer = next(reply for reply in answers if isinstance(reply, RecordsRead))
    assert answer.id == 3
    prompts = [record.prompt for record in answer.records if isinstance(record, TurnStarted)]
    assert prompts == journal_fixture.prompts == ["a", "after 1"]


class RecordingActor(Actor[Message]):
    """Writes prompts with a journal client, forwards answers to the root, crashes on request.

    An append in transit when the journal crashed may be answered twice; it is forwarded once.
    """

    def __init__(self) -> None:
        self._journal_client = JournalClient(self, JOURNAL)
        self._answers: list[Message] = []

    def on_start(self) -> None:
        self._journal_client.open()

    def on_receive(self, message: Message) -> None:
        match message:
            case TurnStarted(prompt="crash"):
                raise RuntimeError
            case TurnStarted():
                self._journal_client.write(message)
                if self.incarnation > 1:
                    self.tell(ROOT, message)
            case Appended() | AppendFailed():
                self._journal_client.on_append_answered(message)
                if message not in self._answers:
                    self._answers.append(message)
                    self.tell(ROOT, message)
            case PeerRestarted():
                self._journal_client.on_peer_restarted(message.peer)
            case Undelivered():
                failed = self._journal_client.on_undelivered(message)
                if failed is not None:
                    self.tell(ROOT, failed)
            case RecordsRead():
                self.tell(
                    ROOT, PromptsRead.from_records(self._journal_client.on_records_read(message))
                )
            case _:
                pass


class PromptsRead(Message):
    prompts: tuple[str, ...] | None

    @classmethod
    def from_records(cls, records: tuple[Record, ...] | None) -> "PromptsRead":
        if records is None:
            return cls(prompts=None)
        return cls(
            prompts=tuple(record.prompt for record in records if isinstance(record, TurnStarted))
        )


def test_unanswered_appends_are_resent_to_a_restarted_journal(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author")
    for number, prompt in enumerate(("a", "before 1", "c", "before 2", "e"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    root.expect_in_any_order(*(Appended(id=number) for number in range(1, 6)))
    assert journal_fixture.prompts == ["a", "before 1", "c", "before 2", "e"]


def test_appends_after_a_quarantined_one_are_written(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author")
    for number, prompt in enumerate(("a", "always", "c"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    detail = "the journal cannot accept the records (quarantined)"
    root.expect_in_any_order(Appended(id=1), AppendFailed(id=2, detail=detail), Appended(id=3))
    assert journal_fixture.prompts == ["a", "c"]


class RetryingActor(RecordingActor):
    """Writes failed records again before its next prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._journal_client = JournalClient(self, JOURNAL, retries_failed=True)


def test_failed_records_are_written_before_the_next_one(system: ActorSystem, root: Probe) -> None:
    journal = start_probe(system, "journal")
    author = system.start(RetryingActor, "author")
    prompts = [TurnStarted(turn=number, prompt=f"{number}") for number in range(1, 6)]
    for prompt in prompts[:3]:
        system.tell(author, prompt)
    journal.expect(*(Append(id=n, records=(prompts[n - 1],), after_id=n - 1) for n in (1, 2, 3)))
    for answer in (Appended(id=1), AppendFailed(id=2, detail="full")):
        journal.tell(author, answer)
        root.expect(answer)
    system.tell(author, prompts[3])
    journal.expect(Append(id=4, records=tuple(prompts[1:4]), after_id=1))
    for late_answer in (AppendFailed(id=3, detail="full"), Appended(id=4)):
        journal.tell(author, late_answer)
        root.expect(late_answer)
    system.tell(author, prompts[4])
    journal.expect(Append(id=5, records=(prompts[4],), after_id=4))


def test_a_crashed_actor_gets_its_records_before_its_messages(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author", MANY_RESTARTS)
    for number, prompt in enumerate(("a", "crash", "b"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    answers: list[Message] = []
    while Appended(id=get_id_offset(2) + 1) not in answers:
        answers.append(root.next())
    in_transit = Appended(id=1)  # received by the first incarnation or by the second
    assert [reply for reply in answers if reply != in_transit] == [
        PromptsRead(prompts=("a",)),
        TurnStarted(turn=3, prompt="b"),
        Appended(id=get_id_offset(2) + 1),
    ]
    assert journal_fixture.prompts == ["a", "b"]


def test_a_journal_that_ends_while_reading_is_not_awaited(system: ActorSystem, root: Probe) -> None:
    """It crashes and is restarted, but then it cannot start."""

    class DyingJournal(Actor[Append | ReadRecords]):
        def on_start(self) -> None:
            if self.incarnation > 1:
                raise RuntimeError

        def on_receive(self, message: Append | ReadRecords) -> None:
            match message:
                case ReadRecords():
                    raise RuntimeError
                case Append():
                    pass

    one_restart = Restart(limit=1, window_s=3600.0)
    system.start(DyingJournal, "journal", one_restart)
    author = system.start(RecordingActor, "author", one_restart)
    system.tell(author, TurnStarted(turn=1, prompt="crash"))
    detail = "ReadRecordsError: the journal did not answer (ended)"
    root.expect_in_any_order(
        ChildFailed(child=JOURNAL, cause="crash", detail="RuntimeError"),
        ChildFailed(child=author, cause="crash", detail=detail),
    )
