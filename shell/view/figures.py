"""Numbers as people read them."""


def counted(number: int, noun: str) -> str:
    """Say how many there are: `1 line`, `2,000 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def clock(seconds: float) -> str:
    """Say how long it has been: `59s`, `1m 05s`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes}m {rest:02d}s" if minutes else f"{rest}s"
