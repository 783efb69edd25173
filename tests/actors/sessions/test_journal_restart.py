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
    """Crashes over a prompt as often as it says, before or after it has taken it."""

    def on_receive(self, message: JournalInbox) -> None:
        said = message.records[0] if isinstance(message, Append) and message.records else None
        when = said.prompt if isinstance(said, TurnStarted) else ""
        if when in (f"before {self.incarnation}", "always"):
            raise SystemExit
        super().on_receive(message)
        if when == f"after {self.incarnation}":
            raise SystemExit


@dataclass
class JournalFixture:
    system: ActorSystem
    path: Path
    ledger: AppendLedger

    @property
    def prompts(self) -> list[str]:
        records = read_log(self.path).records
        return [each.prompt for each in records if isinstance(each, TurnStarted)]


@pytest.fixture
def journal_fixture(system: ActorSystem, tmp_path: Path) -> JournalFixture:
    path = tmp_path / "s.jsonl"
    first = SessionHeader(session_id="s", workspace="/")
    log = SessionLog.create(path, [(first, ROOT)], lambda: 0.0)
    settled = AppendLedger()
    system.start(partial(CrashingJournal, log, settled), "journal", MANY_RESTARTS)
    return JournalFixture(system, path, settled)


def make_append(number: int, prompt: str, after: int | None = None) -> Append:
    record = TurnStarted(turn=number, prompt=prompt)
    return Append(id=number, records=(record,), after_id=number - 1 if after is None else after)


def test_what_waited_or_was_in_hand_is_written_once_and_in_order(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    """The one behind the lost one is passed over, since both come again."""
    for message in (make_append(1, "before 1"), make_append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Undelivered(to=JOURNAL, message=make_append(1, "before 1"), reason="crashed"))
    for message in (make_append(1, "before 1"), make_append(2, "b"), make_append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Appended(id=1), Appended(id=2))
    assert journal_fixture.prompts == ["before 1", "b"]


def test_what_was_written_before_the_crash_is_answered_again_and_not_written_again(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    peer.tell(JOURNAL, make_append(1, "after 1"))
    peer.expect(Appended(id=1))
    peer.expect_kind(Undelivered)
    peer.tell(JOURNAL, make_append(1, "after 1"))
    peer.expect(Appended(id=1))
    assert journal_fixture.prompts == ["after 1"]


def test_the_records_come_back_with_all_that_was_said_before(
    journal_fixture: JournalFixture, peer: Probe
) -> None:
    peer.tell(JOURNAL, make_append(1, "a"))
    peer.tell(JOURNAL, make_append(2, "after 1"))
    peer.tell(JOURNAL, ReadRecords(id=3))
    heard = [peer.next() for _ in range(4)]
    recalled = next(each for each in heard if isinstance(each, RecordsRead))
    assert recalled.id == 3
    prompts = [each.prompt for each in recalled.records if isinstance(each, TurnStarted)]
    assert prompts == journal_fixture.prompts == ["a", "after 1"]


class RecordingActor(Actor[Message]):
    """Writes prompts through a recorder; tells the root what it hears, crashes when told.

    What was on its way when the journal crashed may be answered twice, and is told once.
    """

    def __init__(self) -> None:
        self._recorder = JournalClient(self, JOURNAL)
        self._answers: list[Message] = []

    def on_start(self) -> None:
        self._recorder.open()

    def on_receive(self, message: Message) -> None:
        match message:
            case TurnStarted(prompt="crash"):
                raise RuntimeError
            case TurnStarted():
                self._recorder.write(message)
                if self.incarnation > 1:
                    self.tell(ROOT, message)
            case Appended() | AppendFailed():
                self._recorder.on_append_answered(message)
                if message not in self._answers:
                    self._answers.append(message)
                    self.tell(ROOT, message)
            case PeerRestarted():
                self._recorder.on_peer_restarted(message.peer)
            case Undelivered():
                failed = self._recorder.on_undelivered(message)
                if failed is not None:
                    self.tell(ROOT, failed)
            case RecordsRead():
                self.tell(ROOT, PromptsRead.from_records(self._recorder.on_records_read(message)))
            case _:
                pass


class PromptsRead(Message):
    prompts: tuple[str, ...] | None

    @classmethod
    def from_records(cls, records: tuple[Record, ...] | None) -> "PromptsRead":
        if records is None:
            return cls(prompts=None)
        return cls(prompts=tuple(each.prompt for each in records if isinstance(each, TurnStarted)))


def test_an_author_says_again_what_a_restarted_journal_has_not_answered(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author")
    for number, prompt in enumerate(("a", "before 1", "c", "before 2", "e"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    root.expect_in_any_order(*(Appended(id=number) for number in range(1, 6)))
    assert journal_fixture.prompts == ["a", "before 1", "c", "before 2", "e"]


def test_what_the_journal_never_takes_has_failed_and_what_is_behind_it_is_written(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author")
    for number, prompt in enumerate(("a", "always", "c"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    detail = "the journal cannot take it (quarantined)"
    root.expect_in_any_order(Appended(id=1), AppendFailed(id=2, detail=detail), Appended(id=3))
    assert journal_fixture.prompts == ["a", "c"]


class RetryingActor(RecordingActor):
    """Keeps what is refused, and puts it before its next prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._recorder = JournalClient(self, JOURNAL, retries_failed=True)


def test_who_keeps_what_is_refused_puts_it_and_what_was_sent_behind_it_before_its_next(
    system: ActorSystem, root: Probe
) -> None:
    journal = start_probe(system, "journal")
    author = system.start(RetryingActor, "author")
    said = [TurnStarted(turn=number, prompt=f"{number}") for number in range(1, 6)]
    for prompt in said[:3]:
        system.tell(author, prompt)
    journal.expect(*(Append(id=n, records=(said[n - 1],), after_id=n - 1) for n in (1, 2, 3)))
    for answer in (Appended(id=1), AppendFailed(id=2, detail="full")):
        journal.tell(author, answer)
        root.expect(answer)
    system.tell(author, said[3])
    journal.expect(Append(id=4, records=tuple(said[1:4]), after_id=1))
    for late in (AppendFailed(id=3, detail="full"), Appended(id=4)):
        journal.tell(author, late)
        root.expect(late)
    system.tell(author, said[4])
    journal.expect(Append(id=5, records=(said[4],), after_id=4))


def test_an_author_that_crashed_has_its_records_before_its_mail_and_new_numbers(
    journal_fixture: JournalFixture, root: Probe
) -> None:
    author = journal_fixture.system.start(RecordingActor, "author", MANY_RESTARTS)
    for number, prompt in enumerate(("a", "crash", "b"), start=1):
        journal_fixture.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    heard: list[Message] = []
    while Appended(id=get_id_offset(2) + 1) not in heard:
        heard.append(root.next())
    on_its_way = Appended(id=1)  # told to the first life, and heard by it or by the second
    assert [each for each in heard if each != on_its_way] == [
        PromptsRead(prompts=("a",)),
        TurnStarted(turn=3, prompt="b"),
        Appended(id=get_id_offset(2) + 1),
    ]
    assert journal_fixture.prompts == ["a", "b"]


def test_a_journal_that_ends_over_the_question_for_the_records_is_not_waited_for(
    system: ActorSystem, root: Probe
) -> None:
    """It crashes, and seems to live on; then it cannot be started again."""

    class Dying(Actor[Append | ReadRecords]):
        def on_start(self) -> None:
            if self.incarnation > 1:
                raise RuntimeError

        def on_receive(self, message: Append | ReadRecords) -> None:
            match message:
                case ReadRecords():
                    raise RuntimeError
                case Append():
                    pass

    once = Restart(limit=1, window_s=3600.0)
    system.start(Dying, "journal", once)
    author = system.start(RecordingActor, "author", once)
    system.tell(author, TurnStarted(turn=1, prompt="crash"))
    detail = "ReadRecordsError: the journal did not answer (ended)"
    root.expect_in_any_order(
        ChildFailed(child=JOURNAL, cause="crash", detail="RuntimeError"),
        ChildFailed(child=author, cause="crash", detail=detail),
    )
