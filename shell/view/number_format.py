"""Counts, durations, sizes and token counts, formatted for the user."""

_CHARS_PER_TOKEN = 4
_MIN_ROUNDED_TOKENS = 1000
_KIB = 1024
_TIME_UNITS = ((60, "s"), (60, "min"), (24, "h"), (365, "d"))


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 line`, `2,000 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Return a duration: `59s`, `1m 05s`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes}m {rest:02d}s" if minutes else f"{rest}s"


def format_wait(seconds: float) -> str:
    """Return a waiting time within a sentence: `59 s`, `1 min 5 s`."""
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def format_tokens(output_tokens: int, streamed_chars: int) -> str:
    """Return a token count; `~` marks an estimate that includes the reply being streamed."""
    count = output_tokens + streamed_chars // _CHARS_PER_TOKEN
    sign = "~" if streamed_chars else ""
    if count >= _MIN_ROUNDED_TOKENS:
        return f"{sign}{count / 1000:.1f}k tokens"
    return sign + format_count(count, "token")


def format_short_count(number: int) -> str:
    """Return a count in at most four digits and a unit: `640`, `1.2k`, `21k`."""
    if number < _MIN_ROUNDED_TOKENS:
        return str(number)
    is_short = number < 10 * _MIN_ROUNDED_TOKENS
    return f"{number / 1000:.1f}k" if is_short else f"{number / 1000:,.0f}k"


def format_context_tokens(tokens: int) -> str:
    """Return a size of or in the context window: `640`, `11k`, `1,000k`."""
    return f"{round(tokens / 1000):,}k" if tokens >= _MIN_ROUNDED_TOKENS else str(tokens)


def format_age(age_s: float) -> str:
    """Return a time span in its largest unit, such as `5 min`."""
    value = max(0, int(age_s))
    for size, unit in _TIME_UNITS:
        if value < size or unit == "d":
            return f"{value} {unit}"
        value //= size
    return ""


def format_size(size_bytes: int) -> str:
    """Return a size in KiB or MiB."""
    kib = size_bytes / _KIB
    return f"{kib:.1f} KiB" if kib < _KIB else f"{kib / _KIB:.1f} MiB"
