"""Numbers that a user types to choose from a list."""

MAX_DIGITS = 9
OUT_OF_RANGE = 10**MAX_DIGITS


def parse_list_number(digits: str) -> int:
    """Return the number, or `OUT_OF_RANGE` if it has more than `MAX_DIGITS` digits.

    `int` raises an exception for thousands of digits.
    """
    return int(digits) if len(digits) <= MAX_DIGITS else OUT_OF_RANGE
