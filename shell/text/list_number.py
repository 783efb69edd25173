"""Numbers that a person types to mean one of a list."""

MAX_DIGITS = 9
OUT_OF_RANGE = 10**MAX_DIGITS


def parse_list_number(digits: str) -> int:
    """Read which one is meant; whatever has more digits than any list is beyond all of them.

    Python itself refuses to read thousands of digits, by an exception.
    """
    return int(digits) if len(digits) <= MAX_DIGITS else OUT_OF_RANGE
