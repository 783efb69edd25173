"""When a server wants the next request, read from the headers of an error response."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from messages.failure_reasons import MAX_DURATION_S

_DAY_S = 86_400
_UNITS = ((1, "s"), (60, "min"), (3_600, "h"), (_DAY_S, "d"))
_MIN_UNITS = 2
"""A delay is shown in the largest unit of which it has at least this many."""


def parse_retry_after_s(headers: Mapping[str, str]) -> float:
    """Return how long the server asks us to wait, given in ms, in seconds or as a date.

    0: it does not ask us to wait, or the value cannot be parsed.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        return min(seconds, MAX_DURATION_S) if seconds > 0 else 0.0  # NaN is not greater than 0
    return _seconds_until(headers, _parse_date(headers.get("retry-after", "")))


def find_reset_s(headers: Mapping[str, str]) -> float:
    """Return in how many seconds a limit resets; 0: unknown.

    A subscription's limit is described by `anthropic-ratelimit-unified-*`, whose reset is in
    seconds since 1970. It may be later than `retry-after`.
    """
    reset: datetime | None = None
    if headers.get("anthropic-ratelimit-unified-status") == "rejected":
        try:
            seconds = float(headers.get("anthropic-ratelimit-unified-reset", ""))
            reset = datetime.fromtimestamp(seconds).astimezone()
        except (ValueError, OverflowError, OSError):
            reset = None
    return max(parse_retry_after_s(headers), _seconds_until(headers, reset))


def format_delay(delay_s: float) -> str:
    """Return when to send the prompt again: `in 7 s`, `in 59 min`."""
    if delay_s < 1:
        return "in a moment"
    size_s, unit = next(
        (unit for unit in reversed(_UNITS) if delay_s >= _MIN_UNITS * unit[0]), _UNITS[0]
    )
    return f"in {delay_s / size_s:.0f} {unit}"


def format_reset(headers: Mapping[str, str], reset_s: float) -> str:
    """Return when a limit resets, in local time if the server sent its own: `at 17:00 (in 3 h)`."""
    now = _parse_date(headers.get("date", ""))
    if now is None:
        return format_delay(reset_s)
    reset = (now + timedelta(seconds=reset_s)).astimezone()
    pattern = "%H:%M" if reset_s < _DAY_S else "%Y-%m-%d %H:%M"
    return f"at {reset.strftime(pattern)} ({format_delay(reset_s)})"


def _seconds_until(headers: Mapping[str, str], then: datetime | None) -> float:
    """Return the seconds until a time by the server's clock; ours may differ from it."""
    now = _parse_date(headers.get("date", ""))
    if now is None or then is None:
        return 0.0
    return min(max((then - now).total_seconds(), 0.0), MAX_DURATION_S)


def _parse_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text).astimezone()
    except (ValueError, TypeError, OverflowError):
        return None
