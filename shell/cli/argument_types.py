"""Limits as the command line gives them."""

import argparse

_MOST_DIGITS = 9
_MOST_DEPTH = 100


def parse_count(word: str) -> int:
    """Read how often.

    Raises:
        argparse.ArgumentTypeError: it is no number that counts anything.
    """
    if not (word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS and int(word)):
        message = "not a whole number above 0"
        raise argparse.ArgumentTypeError(message)
    return int(word)


def parse_depth(word: str) -> int:
    """Read how deep.

    Raises:
        argparse.ArgumentTypeError: it is no depth.
    """
    if not (word.isascii() and word.isdigit() and int(word) <= _MOST_DEPTH):
        message = f"not a whole number from 0 to {_MOST_DEPTH}"
        raise argparse.ArgumentTypeError(message)
    return int(word)


def parse_seconds(word: str) -> float:
    """Read how long.

    Raises:
        argparse.ArgumentTypeError: it is no time.
    """
    try:
        given_s = float(word)
    except ValueError:
        given_s = 0.0
    if not 0 < given_s < float("inf"):
        message = "not a number of seconds above 0"
        raise argparse.ArgumentTypeError(message)
    return given_s
