"""Reads one simple command: its words, its redirections, and where it ends."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actors.bash.syntax.fast_path import RESERVED_WORDS
from actors.bash.syntax.parsed_command import RedirectedFile, Word
from actors.bash.syntax.word_reader import (
    PLAIN_WORD,
    WORD_END_LOOKAHEAD,
    WordReader,
    make_plain_word,
    raise_ambiguous,
)

_BLANKS = re.compile(rb"(?:[ \t]|\\\n)*")
_REDIRECT = re.compile(
    rb"(?:(?P<both>&>>|&>)"
    rb"|(?P<descriptor>\d+|\{[A-Za-z_]\w*\})?"
    rb"(?P<operator><<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\()))"
)
_PLAIN_WORDS = re.compile(
    rb"([\w./:,@%+^-]++" + WORD_END_LOOKAHEAD + rb"(?>(?:[ \t]++" + PLAIN_WORD + rb")*))[ \t]*+"
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
class SimpleCommand:
    """A simple command as it was read."""

    start: int
    end: int = 0
    words: list[Word] = field(default_factory=list)
    redirects: list[RedirectedFile] = field(default_factory=list)
    ask_reasons: list[str] = field(default_factory=list)
    heredoc_offsets: list[int] = field(default_factory=list)
    """Where the delimiters of its here-documents begin."""
    here_string: str = ""
    """The text of a here-string."""
    assigned_values: list[str] = field(default_factory=list)
    """What variables are set to."""
    command_offset: int = -1
    """Where the command word begins."""
    expansion_offsets: list[int] = field(default_factory=list)
    """Where the expansions begin that stand in it."""


def read_simple_command(
    source: bytes, expansion_ends: Mapping[int, int], start: int
) -> SimpleCommand:
    """Read words and redirections up to what ends a command.

    Raises:
        UncertainError: bash may read it differently.
    """
    plain = _PLAIN_WORDS.match(source, start)
    words = list(map(make_plain_word, plain[1].split())) if plain else []
    if plain and (plain.end() == len(source) or source[plain.end()] in _SURELY_ENDS):
        return SimpleCommand(start, plain.end(), words, command_offset=start)
    reader = WordReader(source, expansion_ends, plain.end(1) if plain else start)
    read = SimpleCommand(
        start,
        0,
        words,
        command_offset=start if plain else -1,
        expansion_offsets=reader.seen_expansions,
    )
    while _skip_blanks(reader, start):
        if source[reader.offset] in _MAY_REDIRECT:
            redirect = _REDIRECT.match(source, reader.offset)
            if redirect:
                _redirect(reader, redirect, read)
                continue
        if not _one_word(reader, read):
            break
    read.end = reader.offset
    return read


def has_reserved_word(simple: SimpleCommand) -> bool:
    """Whether its command word is one of the grammar's own, which no command can be."""
    word = simple.words[0] if simple.command_offset >= 0 else None
    return (
        word is not None
        and word.is_unquoted
        and word.text in RESERVED_WORDS
        and word.text != "time"
    )


def without_reserved_words(simple: SimpleCommand) -> SimpleCommand:
    """Pass over the grammar's own words before a command, as bash does with some of them."""
    words = list(simple.words)
    while words and words[0].text in RESERVED_WORDS:
        words.pop(0)
    return replace(simple, words=words)


def _skip_blanks(reader: WordReader, start: int) -> bool:
    """Go to the next word; False at the end of the text."""
    source, at = reader.source, reader.offset
    if source[at : at + 1] not in _MAY_BLANK:
        return True
    blanks = _BLANKS.match(source, at)
    end = blanks.end() if blanks else at
    if end > at > start and not source[at:end].strip(b"\\\n"):
        raise_ambiguous("a line break joins two words")
    reader.offset = end
    return end < len(source)


def _one_word(reader: WordReader, read: SimpleCommand) -> bool:
    start = reader.offset
    word = reader.read_word()
    if word is None:
        return False
    if read.words:
        read.words.append(word)
    elif _ASSIGNMENT.match(reader.source, start):
        read.ask_reasons.append("it sets a variable")
        read.assigned_values.append(word.text.partition("=")[2])
    else:
        read.command_offset = start
        read.words.append(word)
    return True


def _redirect(reader: WordReader, match: re.Match[bytes], read: SimpleCommand) -> None:
    operator = match["both"] or match["operator"]
    reader.offset = match.end()
    if (match["descriptor"] or b"").startswith(b"{"):
        read.ask_reasons.append("it sets a variable to a descriptor")
    _skip_blanks(reader, match.end())
    start = reader.offset
    word = reader.read_word()
    if word is None:
        raise_ambiguous("a redirection has no target")
    if operator in {b"<<", b"<<-"}:
        read.heredoc_offsets.append(start)
    elif operator == b"<<<":
        read.here_string = word.text
    elif operator not in {b"<&", b">&"} or not _DUPLICATE.fullmatch(word.text):
        _open(operator, word, read)


def _open(operator: bytes, word: Word, read: SimpleCommand) -> None:
    if operator == b"<&":
        raise_ambiguous(f"{word.text} is not the number of a descriptor")
    if word.text == "/dev/null" and word.is_literal:
        return
    if word.text.startswith(_NETWORK):
        read.ask_reasons.append(f"it opens a connection: {word.text}")
    if operator in _READING:
        read.redirects.append(RedirectedFile("read", word))
    if operator != b"<":
        read.redirects.append(RedirectedFile("write", word))
        read.ask_reasons.append(f"it writes {word.text}")
