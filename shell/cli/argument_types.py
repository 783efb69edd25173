"""Parsers for the numeric limits on the command line."""

import argparse

MAX_DIGITS = 9
MAX_DEPTH = 100


def parse_count(text: str) -> int:
    """Return a positive whole number.

    Raises:
        argparse.ArgumentTypeError: `text` is something else.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text)):
        message = "must be a whole number above 0"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def parse_depth(text: str) -> int:
    """Return a depth from 0 to `MAX_DEPTH`.

    Raises:
        argparse.ArgumentTypeError: `text` is something else.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    if not (is_number and int(text) <= MAX_DEPTH):
        message = f"must be a whole number from 0 to {MAX_DEPTH}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def parse_seconds(text: str) -> float:
    """Return a positive, finite number of seconds.

    Raises:
        argparse.ArgumentTypeError: `text` is something else.
    """
    try:
        duration_s = float(text)
    except ValueError:
        duration_s = 0.0
    if not 0 < duration_s < float("inf"):
        message = "must be a number of seconds above 0"
        raise argparse.ArgumentTypeError(message)
    return duration_s
