"""Finds facts about a whole session in its records."""

from messages.journal import Record, SessionOpened
from messages.permissions import SessionSettings


def find_last_settings(records: tuple[Record, ...]) -> SessionSettings | None:
    """Return the session's current settings; each record has all of them, so the last one wins."""
    return next(
        (record for record in reversed(records) if isinstance(record, SessionSettings)), None
    )


def find_last_run_number(records: tuple[Record, ...]) -> int:
    """Return the number of the last run; 0 if there was none."""
    return max((record.run for record in records if isinstance(record, SessionOpened)), default=0)
