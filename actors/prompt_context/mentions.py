"""Finds the files that a prompt mentions with `@`. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MENTIONS = 100
"""Mentions of one prompt that are examined; pasted text may contain many words with an `@`."""
_MAX_CHARS = 1_000
_LINES = r":\d{1,9}(?:-\d{1,9})?"
# After a space or `(`, so that an email address is no mention.
_MENTION = (
    rf'(?:^|(?<=[\s(]))@("[^"\n]{{1,{_MAX_CHARS}}}"(?:{_LINES})?|[^\s"@]\S{{0,{_MAX_CHARS}}}(?!\S))'
)
_WITH_LINES = r"(.+):(\d{1,9})(?:-(\d{1,9}))?"
_PUNCTUATION = ".,;:!?)]}>'\"`*_"


@dataclass(frozen=True, slots=True)
class FileMention:
    """One way to read a mention."""

    text: str
    """The mention without what follows it in the sentence."""
    path: str
    first_line: int = 0
    """0: the whole file."""
    last_line: int = 0


def find_mentions(text: str) -> tuple[str, ...]:
    """Return the words of a prompt that may name files, without the `@` and without duplicates."""
    if "@" not in text:
        return ()
    words = dict.fromkeys(match[1] for match in re.finditer(_MENTION, text))
    return tuple(words)[:MAX_MENTIONS]


def iter_readings(mention: str) -> Iterator[FileMention]:
    """Yield the ways to read a mention, the most literal first.

    A sentence may go on right after a path, and a file name may end in what looks like lines.
    """
    if mention.startswith('"'):
        path, _, lines = mention[1:].rpartition('"')
        yield from _iter_with_lines(mention, path + lines)
        return
    yield from _iter_with_lines(mention, mention)
    while mention[-1:] and mention[-1] in _PUNCTUATION:
        mention = mention[:-1]
        yield from _iter_with_lines(mention, mention)


def _iter_with_lines(text: str, path: str) -> Iterator[FileMention]:
    if path:
        yield FileMention(text, path)
    match = re.fullmatch(_WITH_LINES, path)
    if match:
        first, last = sorted((int(match[2]), int(match[3] or match[2])))
        yield FileMention(text, match[1], max(first, 1), max(last, 1))
