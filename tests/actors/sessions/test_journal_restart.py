"""A journal that crashes loses nothing, writes nothing twice and keeps every sender's order."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from actors.sessions.journal import AppendLedger, Journal, JournalInbox
from actors.sessions.log import SessionLog
from actors.sessions.reading import read_log
from actors.sessions.recorder import JournalClient, first_mark
from messages.address import JOURNAL, ROOT
from messages.agents import ChildFailed
from messages.base import Message
from messages.supervision import PeerRestarted, Undelivered
from messages.transcript import (
    Append,
    Appended,
    AppendFailed,
    ReadRecords,
    Record,
    RecordsRead,
    SessionHeader,
)
from messages.turns import TurnStarted
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

OFTEN = Restart(limit=100, window_s=3600.0, backoff_s=0.0)


class Fragile(Journal):
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
class Desk:
    system: ActorSystem
    path: Path
    settled: AppendLedger

    @property
    def prompts(self) -> list[str]:
        records = read_log(self.path).records
        return [each.prompt for each in records if isinstance(each, TurnStarted)]


@pytest.fixture
def desk(system: ActorSystem, tmp_path: Path) -> Desk:
    path = tmp_path / "s.jsonl"
    first = SessionHeader(session_id="s", workspace="/")
    log = SessionLog.create(path, [(first, ROOT)], lambda: 0.0)
    settled = AppendLedger()
    system.start(partial(Fragile, log, settled), "journal", OFTEN)
    return Desk(system, path, settled)


def append(number: int, prompt: str, after: int | None = None) -> Append:
    record = TurnStarted(turn=number, prompt=prompt)
    return Append(id=number, records=(record,), after=number - 1 if after is None else after)


def test_what_waited_or_was_in_hand_is_written_once_and_in_order(desk: Desk, peer: Probe) -> None:
    """The one behind the lost one is passed over, since both come again."""
    for message in (append(1, "before 1"), append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Undelivered(to=JOURNAL, message=append(1, "before 1"), reason="crashed"))
    for message in (append(1, "before 1"), append(2, "b"), append(2, "b")):
        peer.tell(JOURNAL, message)
    peer.expect(Appended(id=1), Appended(id=2))
    assert desk.prompts == ["before 1", "b"]


def test_what_was_written_before_the_crash_is_answered_again_and_not_written_again(
    desk: Desk, peer: Probe
) -> None:
    peer.tell(JOURNAL, append(1, "after 1"))
    peer.expect(Appended(id=1))
    peer.expect_kind(Undelivered)
    peer.tell(JOURNAL, append(1, "after 1"))
    peer.expect(Appended(id=1))
    assert desk.prompts == ["after 1"]


def test_the_records_come_back_with_all_that_was_said_before(desk: Desk, peer: Probe) -> None:
    peer.tell(JOURNAL, append(1, "a"))
    peer.tell(JOURNAL, append(2, "after 1"))
    peer.tell(JOURNAL, ReadRecords(id=3))
    heard = [peer.next() for _ in range(4)]
    recalled = next(each for each in heard if isinstance(each, RecordsRead))
    assert recalled.id == 3
    prompts = [each.prompt for each in recalled.records if isinstance(each, TurnStarted)]
    assert prompts == desk.prompts == ["a", "after 1"]


class Author(Actor[Message]):
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
                self._recorder.answered(message)
                if message not in self._answers:
                    self._answers.append(message)
                    self.tell(ROOT, message)
            case PeerRestarted():
                self._recorder.peer_restarted(message.peer)
            case Undelivered():
                failed = self._recorder.returned(message)
                if failed is not None:
                    self.tell(ROOT, failed)
            case RecordsRead():
                self.tell(ROOT, Prompts.of(self._recorder.recalled(message)))
            case _:
                pass


class Prompts(Message):
    said: tuple[str, ...] | None

    @classmethod
    def of(cls, records: tuple[Record, ...] | None) -> "Prompts":
        if records is None:
            return cls(said=None)
        return cls(said=tuple(each.prompt for each in records if isinstance(each, TurnStarted)))


def test_an_author_says_again_what_a_restarted_journal_has_not_answered(
    desk: Desk, root: Probe
) -> None:
    author = desk.system.start(Author, "author")
    for number, prompt in enumerate(("a", "before 1", "c", "before 2", "e"), start=1):
        desk.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    root.expect_in_any_order(*(Appended(id=number) for number in range(1, 6)))
    assert desk.prompts == ["a", "before 1", "c", "before 2", "e"]


def test_what_the_journal_never_takes_has_failed_and_what_is_behind_it_is_written(
    desk: Desk, root: Probe
) -> None:
    author = desk.system.start(Author, "author")
    for number, prompt in enumerate(("a", "always", "c"), start=1):
        desk.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    detail = "the journal cannot take it (quarantined)"
    root.expect_in_any_order(Appended(id=1), AppendFailed(id=2, detail=detail), Appended(id=3))
    assert desk.prompts == ["a", "c"]


class Keeper(Author):
    """Keeps what is refused, and puts it before its next prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._recorder = JournalClient(self, JOURNAL, keeps=True)


def test_who_keeps_what_is_refused_puts_it_and_what_was_sent_behind_it_before_its_next(
    system: ActorSystem, root: Probe
) -> None:
    journal = new_probe(system, "journal")
    author = system.start(Keeper, "author")
    said = [TurnStarted(turn=number, prompt=f"{number}") for number in range(1, 6)]
    for prompt in said[:3]:
        system.tell(author, prompt)
    journal.expect(*(Append(id=n, records=(said[n - 1],), after=n - 1) for n in (1, 2, 3)))
    for answer in (Appended(id=1), AppendFailed(id=2, detail="full")):
        journal.tell(author, answer)
        root.expect(answer)
    system.tell(author, said[3])
    journal.expect(Append(id=4, records=tuple(said[1:4]), after=1))
    for late in (AppendFailed(id=3, detail="full"), Appended(id=4)):
        journal.tell(author, late)
        root.expect(late)
    system.tell(author, said[4])
    journal.expect(Append(id=5, records=(said[4],), after=4))


def test_an_author_that_crashed_has_its_records_before_its_mail_and_new_numbers(
    desk: Desk, root: Probe
) -> None:
    author = desk.system.start(Author, "author", OFTEN)
    for number, prompt in enumerate(("a", "crash", "b"), start=1):
        desk.system.tell(author, TurnStarted(turn=number, prompt=prompt))
    heard: list[Message] = []
    while Appended(id=first_mark(2) + 1) not in heard:
        heard.append(root.next())
    on_its_way = Appended(id=1)  # told to the first life, and heard by it or by the second
    assert [each for each in heard if each != on_its_way] == [
        Prompts(said=("a",)),
        TurnStarted(turn=3, prompt="b"),
        Appended(id=first_mark(2) + 1),
    ]
    assert desk.prompts == ["a", "b"]


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
    author = system.start(Author, "author", once)
    system.tell(author, TurnStarted(turn=1, prompt="crash"))
    detail = "RecallError: the journal did not answer (ended)"
    root.expect_in_any_order(
        ChildFailed(child=JOURNAL, cause="crash", detail="RuntimeError"),
        ChildFailed(child=author, cause="crash", detail=detail),
    )
