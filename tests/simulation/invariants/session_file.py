"""What the journal acknowledged is in the session file and stays there."""

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
from messages.steering import PromptDelivered
from messages.turns import (
    ReplyCompleted,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.simulation.invariants.violations import Violations


class SessionFileInvariants:
    """Reads the file whenever it is synced."""

    def __init__(self, violations: Violations, on_record: Callable[[Message], None]) -> None:
        """`on_record` is called for each record that is synced."""
        self._violations = violations
        self._on_record = on_record
        self._synced: set[bytes] = set()
        self._synced_records: list[Message] = []
        self._acknowledged: set[bytes] = set()
        self._pending: dict[tuple[Address, int], tuple[bytes, ...]] = {}

    @property
    def synced_records(self) -> tuple[Record, ...]:
        """Records that are synced, in order."""
        return tuple(cast("Record", record) for record in self._synced_records)

    def is_synced(self, record: Message) -> bool:
        """Return True if the record is synced."""
        return encode(record) in self._synced

    def on_synced(self, before: bytes, after: bytes) -> None:
        """Read what is new in the synced file."""
        if not after.startswith(before):
            self._synced.clear()
            self._synced_records.clear()
            before = b""
        for line in after[len(before) :].splitlines():
            try:
                record = decode_line(line).message
            except DecodeError as error:
                self._violations.report(f"a damaged line was written: {error}")
                return
            self._synced.add(encode(record))
            self._synced_records.append(record)
            self._on_record(record)

    def on_send(self, to: Address, message: Message, sender: Address) -> None:
        """Observe appends and their acknowledgements."""
        if to == JOURNAL and isinstance(message, Append):
            self._pending[sender, message.id] = tuple(map(encode, message.records))
        elif sender == JOURNAL and isinstance(message, Appended):
            records = self._pending.get((to, message.id))
            is_synced = records is not None and self._synced.issuperset(records)
            self._violations.require(
                is_synced, f"append {message.id} of {to} was acknowledged before it was synced"
            )
            if not self._violations.is_closed:
                self._acknowledged.update(records or ())

    def check_drained(self) -> None:
        """Check that an orderly stop has written everything."""
        for (sender, number), records in self._pending.items():
            is_synced = self._synced.issuperset(records)
            self._violations.require(is_synced, f"append {number} of {sender} was lost in the stop")

    def check_reopened(self, path: Path, data: bytes) -> tuple[Record, ...]:
        """Read the file as the next run does; nothing acknowledged may be missing."""
        self._pending.clear()
        try:
            contents = parse_log(path, data)
        except LogError as error:
            self._violations.report(f"the session file cannot be read: {error}")
            return ()
        found = {encode(record) for record in contents.records}
        lost = sorted(self._acknowledged - found)
        self._violations.require(not lost, f"acknowledged and lost: {lost[:1]}")
        self._check_no_duplicates(contents.records)
        return contents.records

    def _check_no_duplicates(self, records: tuple[Record, ...]) -> None:
        started: set[int] = set()
        counts: Counter[str] = Counter()
        for record in records:
            match record:
                case TurnStarted():
                    started.add(record.turn)
                    counts[f"prompt {record.turn}"] += 1
                case PromptDelivered():
                    counts[f"prompt {record.number}"] += 1
                case ReplyCompleted():
                    counts[encode(record).decode()] += 1
                case ToolEnded():
                    counts[f"the result of {record.call_id}"] += 1
                case TurnCompleted() | TurnInterrupted() | TurnFailed():
                    has_start = record.turn in started
                    self._violations.require(has_start, f"turn {record.turn} has no start")
                    counts[f"the end of turn {record.turn}"] += 1
                case _:
                    pass
        for record_name, count in counts.items():
            self._violations.require(count <= 1, f"{record_name} is recorded {count} times")
