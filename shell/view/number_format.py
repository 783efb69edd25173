"""Counts, durations and token counts, formatted for the user."""

_CHARS_PER_TOKEN = 4
_MIN_ROUNDED_TOKENS = 1000


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 line`, `2,000 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Return a duration: `59s`, `1m 05s`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes}m {rest:02d}s" if minutes else f"{rest}s"


def format_tokens(output_tokens: int, streamed_chars: int) -> str:
    """Return a token count; `~` marks an estimate that includes the reply being streamed."""
    count = output_tokens + streamed_chars // _CHARS_PER_TOKEN
    sign = "~" if streamed_chars else ""
    if count >= _MIN_ROUNDED_TOKENS:
        return f"{sign}{count / 1000:.1f}k tokens"
    return sign + format_count(count, "token")
