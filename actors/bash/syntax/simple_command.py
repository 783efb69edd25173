"""Reads one simple command: its words, its redirections and where it ends."""

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
_PLAIN_START = re.compile(
    rb"([\w./:,@%+^-]++" + WORD_END_LOOKAHEAD + rb"(?>(?:[ \t]++" + PLAIN_WORD + rb")*))[ \t]*+"
)
"""The first words of a command, up to one with a special character; the first is not an assignment.
Most commands have no other words."""
_COMMAND_ENDS = frozenset(b"\n;|)")
_BLANK_STARTS = {b" ", b"\t", b"\\", b""}
_REDIRECT_STARTS = frozenset(b"<>&{0123456789")
_DESCRIPTOR = re.compile(r"\d+-?|-")
_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*(?:\+?=|\[)")
_HARMLESS_ASSIGNMENT = re.compile(
    r"(?:CI|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FORCE_COLOR|NO_COLOR|TERM|TZ|LANG|LC_[A-Z]+|COLUMNS|"
    r"PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH|"
    r"CGO_ENABLED|LOG_LEVEL|VERBOSE|DEBUG)=[\w.:*,=-]*"
    r"|PYTHONPATH=(?:(?!\.\.)[\w.-][\w./-]*:?)*"
)
"""Neither makes a program run another one nor names files outside the folder."""
_SETS_VARIABLE = "it sets a variable"
_NETWORK_PREFIXES = ("/dev/tcp/", "/dev/udp/")
_READ_OPERATORS = {b"<", b"<>"}


@dataclass(slots=True)
class SimpleCommand:
    """A simple command as read from the text; offsets are in bytes."""

    start: int
    end: int = 0
    words: list[Word] = field(default_factory=list)
    redirects: list[RedirectedFile] = field(default_factory=list)
    ask_reasons: list[str] = field(default_factory=list)
    heredoc_offsets: list[int] = field(default_factory=list)
    """Where the delimiters of its here-documents begin."""
    here_string: str = ""
    """The text of a here-string."""
    assignments: list[str] = field(default_factory=list)
    """Its assignments, as `NAME=value`."""
    command_offset: int = -1
    """Where the command word begins."""
    expansion_offsets: list[int] = field(default_factory=list)
    """Where the expansions in it begin."""


def read_simple_command(
    source: bytes, expansion_ends: Mapping[int, int], start: int
) -> SimpleCommand:
    """Read words and redirections up to the end of a command.

    Raises:
        AmbiguousSyntaxError: bash may read it differently.
    """
    plain = _PLAIN_START.match(source, start)
    words = list(map(make_plain_word, plain[1].split())) if plain else []
    if plain and (plain.end() == len(source) or source[plain.end()] in _COMMAND_ENDS):
        return SimpleCommand(start, plain.end(), words, command_offset=start)
    reader = WordReader(source, expansion_ends, plain.end(1) if plain else start)
    command = SimpleCommand(
        start,
        0,
        words,
        command_offset=start if plain else -1,
        expansion_offsets=reader.seen_expansions,
    )
    while _skip_blanks(reader, start):
        if source[reader.offset] in _REDIRECT_STARTS:
            redirect = _REDIRECT.match(source, reader.offset)
            if redirect:
                _read_redirect(reader, redirect, command)
                continue
        if not _read_word(reader, command):
            break
    command.end = reader.offset
    if command.assignments and not (command.words or command.ask_reasons):
        command.ask_reasons.append(_SETS_VARIABLE)
    return command


def has_reserved_word(simple: SimpleCommand) -> bool:
    """Whether its command word is a reserved word, which cannot name a command."""
    word = simple.words[0] if simple.command_offset >= 0 else None
    return (
        word is not None
        and word.is_unquoted
        and word.text in RESERVED_WORDS
        and word.text != "time"
    )


def without_reserved_words(simple: SimpleCommand) -> SimpleCommand:
    """Return the command without leading reserved words, some of which bash skips."""
    words = list(simple.words)
    while words and words[0].text in RESERVED_WORDS:
        words.pop(0)
    return replace(simple, words=words)


def _skip_blanks(reader: WordReader, start: int) -> bool:
    """Move to the next word; False at the end of the text."""
    source, at = reader.source, reader.offset
    if source[at : at + 1] not in _BLANK_STARTS:
        return True
    blanks = _BLANKS.match(source, at)
    end = blanks.end() if blanks else at
    if end > at > start and not source[at:end].strip(b"\\\n"):
        raise_ambiguous("a line continuation joins two words")
    reader.offset = end
    return end < len(source)


def _read_word(reader: WordReader, command: SimpleCommand) -> bool:
    start = reader.offset
    word = reader.read_word()
    if word is None:
        return False
    if command.words:
        command.words.append(word)
    elif _ASSIGNMENT.match(reader.source, start):
        command.assignments.append(word.text)
        if not (word.is_literal and _HARMLESS_ASSIGNMENT.fullmatch(word.text)):
            command.ask_reasons.append(_SETS_VARIABLE)
    else:
        command.command_offset = start
        command.words.append(word)
    return True


def _read_redirect(reader: WordReader, match: re.Match[bytes], command: SimpleCommand) -> None:
    operator = match["both"] or match["operator"]
    reader.offset = match.end()
    if (match["descriptor"] or b"").startswith(b"{"):
        command.ask_reasons.append("it stores a file descriptor in a variable")
    _skip_blanks(reader, match.end())
    start = reader.offset
    word = reader.read_word()
    if word is None:
        raise_ambiguous("a redirection has no target")
    if operator in {b"<<", b"<<-"}:
        command.heredoc_offsets.append(start)
    elif operator == b"<<<":
        command.here_string = word.text
    elif operator not in {b"<&", b">&"} or not _DESCRIPTOR.fullmatch(word.text):
        _add_file(operator, word, command)


def _add_file(operator: bytes, word: Word, command: SimpleCommand) -> None:
    if operator == b"<&":
        raise_ambiguous(f"`{word.text}` is not a file descriptor")
    if word.text == "/dev/null" and word.is_literal:
        return
    if word.text.startswith(_NETWORK_PREFIXES):
        command.ask_reasons.append(f"it opens a network connection ({word.text})")
    if operator in _READ_OPERATORS:
        command.redirects.append(RedirectedFile("read", word))
    if operator != b"<":
        command.redirects.append(RedirectedFile("write", word))
        command.ask_reasons.append(f"it writes to {word.text}")
