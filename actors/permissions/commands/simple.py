"""Reads one simple command: its words, its redirections, and where it ends."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actors.permissions.commands.command import Redirect, Word
from actors.permissions.commands.plain import RESERVED
from actors.permissions.commands.words import (
    AT_A_WORD_END,
    PLAIN_WORD,
    WordReader,
    plain_word,
    refuse,
)

_BLANKS = re.compile(rb"(?:[ \t]|\\\n)*")
_REDIRECT = re.compile(
    rb"(?:(?P<both>&>>|&>)"
    rb"|(?P<descriptor>\d+|\{[A-Za-z_]\w*\})?"
    rb"(?P<operator><<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\()))"
)
_PLAIN_WORDS = re.compile(
    rb"([\w./:,@%+^-]++" + AT_A_WORD_END + rb"(?>(?:[ \t]++" + PLAIN_WORD + rb")*))[ \t]*+"
)
"""The words a command begins with, up to one with anything special in it; the first sets nothing.
Most commands hold no other."""
_SURELY_ENDS = frozenset(b"\n;|)")
_MAY_BLANK = {b" ", b"\t", b"\\", b""}
_MAY_REDIRECT = frozenset(b"<>&{0123456789")
_DUPLICATE = re.compile(r"\d+-?|-")
_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*(?:\+?=|\[)")
_NETWORK = ("/dev/tcp/", "/dev/udp/")
_READING = {b"<", b"<>"}


@dataclass(slots=True)
class Simple:
    """A simple command as it was read."""

    start: int
    end: int = 0
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    floors: list[str] = field(default_factory=list)
    heredocs: list[int] = field(default_factory=list)
    """Where the delimiters of its here-documents begin."""
    stdin: str = ""
    """The text of a here-string."""
    assigned: list[str] = field(default_factory=list)
    """What variables are set to."""
    first: int = -1
    """Where the command word begins."""
    holes: list[int] = field(default_factory=list)
    """Where the expansions begin that stand in it."""


def read_simple(source: bytes, holes: Mapping[int, int], start: int) -> Simple:
    """Read words and redirections up to what ends a command.

    Raises:
        UncertainError: bash may read it differently.
    """
    plain = _PLAIN_WORDS.match(source, start)
    words = list(map(plain_word, plain[1].split())) if plain else []
    if plain and (plain.end() == len(source) or source[plain.end()] in _SURELY_ENDS):
        return Simple(start, plain.end(), words, first=start)
    reader = WordReader(source, holes, plain.end(1) if plain else start)
    read = Simple(start, 0, words, first=start if plain else -1, holes=reader.holes_seen)
    while _skip_blanks(reader, start):
        if source[reader.at] in _MAY_REDIRECT:
            redirect = _REDIRECT.match(source, reader.at)
            if redirect:
                _redirect(reader, redirect, read)
                continue
        if not _one_word(reader, read):
            break
    read.end = reader.at
    return read


def is_reserved(simple: Simple) -> bool:
    """Whether its command word is one of the grammar's own, which no command can be."""
    word = simple.words[0] if simple.first >= 0 else None
    return word is not None and word.plain and word.text in RESERVED and word.text != "time"


def without_reserved(simple: Simple) -> Simple:
    """Pass over the grammar's own words before a command, as bash does with some of them."""
    words = list(simple.words)
    while words and words[0].text in RESERVED:
        words.pop(0)
    return replace(simple, words=words)


def _skip_blanks(reader: WordReader, start: int) -> bool:
    """Go to the next word; False at the end of the text."""
    source, at = reader.source, reader.at
    if source[at : at + 1] not in _MAY_BLANK:
        return True
    blanks = _BLANKS.match(source, at)
    end = blanks.end() if blanks else at
    if end > at > start and not source[at:end].strip(b"\\\n"):
        refuse("a line break joins two words")
    reader.at = end
    return end < len(source)


def _one_word(reader: WordReader, read: Simple) -> bool:
    start = reader.at
    word = reader.word()
    if word is None:
        return False
    if read.words:
        read.words.append(word)
    elif _ASSIGNMENT.match(reader.source, start):
        read.floors.append("it sets a variable")
        read.assigned.append(word.text.partition("=")[2])
    else:
        read.first = start
        read.words.append(word)
    return True


def _redirect(reader: WordReader, match: re.Match[bytes], read: Simple) -> None:
    operator = match["both"] or match["operator"]
    reader.at = match.end()
    if (match["descriptor"] or b"").startswith(b"{"):
        read.floors.append("it sets a variable to a descriptor")
    _skip_blanks(reader, match.end())
    start = reader.at
    word = reader.word()
    if word is None:
        refuse("a redirection has no target")
    if operator in {b"<<", b"<<-"}:
        read.heredocs.append(start)
    elif operator == b"<<<":
        read.stdin = word.text
    elif operator not in {b"<&", b">&"} or not _DUPLICATE.fullmatch(word.text):
        _open(operator, word, read)


def _open(operator: bytes, word: Word, read: Simple) -> None:
    if operator == b"<&":
        refuse(f"{word.text} is not the number of a descriptor")
    if word.text == "/dev/null" and word.literal:
        return
    if word.text.startswith(_NETWORK):
        read.floors.append(f"it opens a connection: {word.text}")
    if operator in _READING:
        read.redirects.append(Redirect("read", word))
    if operator != b"<":
        read.redirects.append(Redirect("write", word))
        read.floors.append(f"it writes {word.text}")
