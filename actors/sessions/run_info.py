"""What the records of a session say of it as a whole."""

from messages.journal import Record, SessionOpened
from messages.permissions import SessionSettings


def find_last_settings(records: tuple[Record, ...]) -> SessionSettings | None:
    """The session's configuration: whole records, the last one counts."""
    return next((each for each in reversed(records) if isinstance(each, SessionSettings)), None)


def find_last_run_number(records: tuple[Record, ...]) -> int:
    """The number of the last run; 0: there was none."""
    return max((record.run for record in records if isinstance(record, SessionOpened)), default=0)
