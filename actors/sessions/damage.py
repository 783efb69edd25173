"""What cannot be read in a damaged session file."""

from dataclasses import dataclass

MAX_DESCRIPTIONS = 3


@dataclass(frozen=True, slots=True)
class DamagedRecords:
    """One or more lines in a row that are not the records that were written there."""

    index: int
    """Number of readable records before it."""
    line: int
    """Its first line in the file, counted from 1."""
    first_seq: int
    """The first record that is missing."""
    last_seq: int
    """The last record that is missing; less than `first_seq`: none is, only a line is foreign."""
    record_type: str
    """The type of the only missing record, as far as it can still be read; may be empty."""
    reason: str

    def describe(self) -> str:
        """Return one sentence that names the records and what is wrong."""
        if self.last_seq < self.first_seq:
            return f"Line {self.line} is not a record of this session: {self.reason}."
        kind = f" ({self.record_type.replace('_', ' ')})" if self.record_type else ""
        records = (
            f"Record {self.first_seq}{kind}"
            if self.first_seq == self.last_seq
            else f"Records {self.first_seq} to {self.last_seq}"
        )
        return f"{records} cannot be read: {self.reason}."


def describe_damage(damage: tuple[DamagedRecords, ...]) -> str:
    """Return one line that describes the first damaged records and counts the others."""
    sentences = [part.describe() for part in damage[:MAX_DESCRIPTIONS]]
    more = len(damage) - len(sentences)
    rest = f"{more} more damaged place{'s' if more > 1 else ''}."
    return " ".join([*sentences, *([rest] if more else [])])
