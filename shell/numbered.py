"""Numbers that a person types to mean one of a list."""

MOST_DIGITS = 9
BEYOND_ALL_LISTS = 10**MOST_DIGITS


def numbered(digits: str) -> int:
    """Read which one is meant; whatever has more digits than any list is beyond all of them.

    Python itself refuses to read thousands of digits, by an exception.
    """
    return int(digits) if len(digits) <= MOST_DIGITS else BEYOND_ALL_LISTS
