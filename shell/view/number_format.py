"""Numbers as people read them."""

_CHARS_PER_TOKEN = 4
_ROUND_FROM = 1000


def format_count(number: int, noun: str) -> str:
    """Say how many there are: `1 line`, `2,000 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Say how long it has been: `59s`, `1m 05s`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes}m {rest:02d}s" if minutes else f"{rest}s"


def format_tokens(output_tokens: int, streamed_chars: int) -> str:
    """Count what was written, with a reply in hand of so many characters; `~`: it is estimated."""
    count = output_tokens + streamed_chars // _CHARS_PER_TOKEN
    about = "~" if streamed_chars else ""
    told = f"{count / 1000:.1f}k tokens" if count >= _ROUND_FROM else format_count(count, "token")
    return about + told
