"""The account of the session file: what was acknowledged is there, and stays."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

from actors.sessions.errors import LogError
from actors.sessions.log_reader import parse_log
from messages.address import JOURNAL, Address
from messages.base import Message
from messages.journal import Append, Appended, Record
from messages.serialization import DecodeError, decode_line, encode
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.simulation.violations import Violations


class SessionFileInvariants:
    """Reads along as the disk is written."""

    def __init__(self, ledger: Violations, on_record: Callable[[Message], None]) -> None:
        """`heard` is told of each record that reaches the disk."""
        self._ledger = ledger
        self._heard = on_record
        self._disk: set[bytes] = set()
        self._kept: list[Message] = []
        self._acknowledged: set[bytes] = set()
        self._pending: dict[tuple[Address, int], tuple[bytes, ...]] = {}

    @property
    def synced_records(self) -> tuple[Record, ...]:
        """What was synced, in order."""
        return tuple(cast("Record", each) for each in self._kept)

    def is_synced(self, record: Message) -> bool:
        """Whether it was synced."""
        return encode(record) in self._disk

    def on_synced(self, before: bytes, after: bytes) -> None:
        """Hear what is on disk now."""
        if not after.startswith(before):
            self._disk.clear()
            self._kept.clear()
            before = b""
        for raw in after[len(before) :].splitlines():
            try:
                record = decode_line(raw).message
            except DecodeError as error:
                self._ledger.require(condition=False, message=f"damage is written: {error}")
                return
            self._disk.add(encode(record))
            self._kept.append(record)
            self._heard(record)

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Hear what is to be written, and what the journal says was."""
        if to == JOURNAL and isinstance(message, Append):
            self._pending[sender, message.id] = tuple(map(encode, message.records))
        elif sender == JOURNAL and isinstance(message, Appended):
            records = self._pending.get((to, message.id))
            there = records is not None and self._disk.issuperset(records)
            self._ledger.require(there, f"{to} is told that {message.id} is on disk, it is not")
            if not self._ledger.is_closed:
                self._acknowledged.update(records or ())

    def check_drained(self) -> None:
        """Hold, after an orderly end, that all that was told is on disk."""
        for (sender, number), records in self._pending.items():
            there = self._disk.issuperset(records)
            self._ledger.require(there, f"append {number} of {sender} was lost on the way out")

    def check_reopened(self, path: Path, data: bytes) -> tuple[Record, ...]:
        """Read the file as the next run will; nothing acknowledged may be missing."""
        self._pending.clear()
        try:
            contents = parse_log(path, data)
        except LogError as error:
            self._ledger.require(condition=False, message=f"the log cannot be read: {error}")
            return ()
        there = {encode(record) for record in contents.records}
        lost = sorted(self._acknowledged - there)
        self._ledger.require(not lost, f"acknowledged and lost: {lost[:1]}")
        self._once(contents.records)
        return contents.records

    def _once(self, records: tuple[Record, ...]) -> None:
        """Hold that nothing is there twice that happens once."""
        begun: set[int] = set()
        count: Counter[str] = Counter()
        for record in records:
            match record:
                case TurnStarted():
                    begun.add(record.turn)
                    count[f"the start of turn {record.turn}"] += 1
                case ReplyCompleted():
                    count[encode(record).decode()] += 1
                case ToolEnded():
                    count[f"the result of {record.call_id}"] += 1
                case TurnCompleted() | TurnInterrupted() | TurnFailed():
                    begins = record.turn in begun
                    self._ledger.require(begins, f"turn {record.turn} ends and has no beginning")
                    count[f"the end of turn {record.turn}"] += 1
                case _:
                    pass
        for what, times in count.items():
            self._ledger.require(times <= 1, f"{what} is recorded {times} times")
