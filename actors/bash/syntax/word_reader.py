"""Reads words byte by byte as bash does; the tree only supplies where expansions end.

It raises `AmbiguousSyntaxError` for anything that it cannot read with certainty.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from actors.bash.syntax.ansi_c_quoting import decode_ansi_c
from actors.bash.syntax.parsed_command import Word


class AmbiguousSyntaxError(Exception):
    """Bash may read the text differently than we do; the message says why."""


def raise_ambiguous(reason: str) -> NoReturn:
    """Reject text that bash may read differently.

    Raises:
        AmbiguousSyntaxError: always.
    """
    raise AmbiguousSyntaxError(reason)


UNCLEAR_EXPANSION = "it is unclear whether a `$` or a backtick starts an expansion"
WORD_END_LOOKAHEAD = rb"(?=[ \t\n;&|)]|\Z)"
PLAIN_WORD = rb"[\w./:,@%+^-][\w./:,@%+^=-]*+" + WORD_END_LOOKAHEAD
"""A word without special characters, up to its end: nearly every word."""
_PLAIN_WORD = re.compile(PLAIN_WORD)
_PLAIN_RUN = re.compile(rb"[^ \t\n;&|()<>'\"\\$`*?\[{~#]+")
_QUOTED_RUN = re.compile(rb'[^"\\$`]+')
_HEREDOC_RUN = re.compile(rb"[^\\$`]+")
_EXPANDS = re.compile(rb"\$[\w({\[@*#?$!'\"-]")
_LITERAL_BRACES = re.compile(rb"\{[\w@/:^~+-]*\}")
"""Without a comma or `..`, bash leaves braces as they are: `HEAD@{1}`."""
_WORD_ENDS = frozenset(b" \t\n;&|()<>")
_EXPANSION_STARTS = frozenset("$`*?[{~<>")
_BLANKS = {b" ", b"\t"}
_ESCAPABLE = {b'"', b"\\", b"$", b"`"}


@lru_cache(1_024)
def make_plain_word(text: bytes) -> Word:
    """Make a word that contains nothing special."""
    return Word(text.decode())


class WordReader:
    """A position in the source from which words are read."""

    def __init__(self, source: bytes, expansion_ends: Mapping[int, int], offset: int) -> None:
        """Start reading at `offset`; `expansion_ends` maps each expansion's start to its end."""
        self.source = source
        self.offset = offset
        self.seen_expansions: list[int] = []
        """Where the expansions that were skipped begin."""
        self._expansion_ends = expansion_ends
        self._text: list[bytes] = []
        self._is_literal = self._is_unquoted = self._is_one_word = True
        self._has_home_prefix = False

    def read_word(self) -> Word | None:
        """Read the word that begins here; None if none does.

        Raises:
            AmbiguousSyntaxError: bash may read it differently.
        """
        plain = _PLAIN_WORD.match(self.source, self.offset)
        if plain:
            self.offset = plain.end()
            return make_plain_word(plain.group())
        start = self.offset
        self._text = []
        self._is_literal = self._is_unquoted = self._is_one_word = True
        self._has_home_prefix = False
        while self._read_piece(start):
            pass
        return self._build_word() if self.offset > start else None

    def skip_heredoc_body(self, end: int) -> None:
        """Skip the body of a here-document whose delimiter is not quoted.

        Raises:
            AmbiguousSyntaxError: bash may read it differently.
        """
        while self.offset < end:
            self._read_expanded_piece(_HEREDOC_RUN)

    def _build_word(self) -> Word:
        text = b"".join(self._text).decode(errors="replace")
        has_fixed_start = bool(self._text) and text[:1] not in _EXPANSION_STARTS
        return Word(
            text,
            is_literal=self._is_literal,
            is_unquoted=self._is_unquoted,
            is_one_word=self._is_one_word,
            is_never_option=self._is_literal
            or (self._is_one_word and has_fixed_start and not text.startswith("-")),
            has_home_prefix=self._has_home_prefix,
        )

    def _read_piece(self, start: int) -> bool:
        """Read up to the next change of quoting; False at the end of the word."""
        source, at = self.source, self.offset
        run = _PLAIN_RUN.match(source, at)
        if run:
            self._text.append(run.group())
            self.offset = run.end()
            return True
        if at == len(source):
            return False
        char = source[at : at + 1]
        match char:
            case b"'":
                self._read_single_quoted()
            case b'"':
                self._read_double_quoted()
            case b"\\":
                self._read_escape()
            case b"$" | b"`":
                return self._read_dollar()
            case b"<" | b">" if source[at + 1 : at + 2] == b"(":
                self._skip_expansion()
                self._is_literal = False
            case b"#" if at == start:
                return False
            case _ if char[0] in _WORD_ENDS:
                return False
            case _:
                self._read_special(char, start)
        return True

    def _read_special(self, char: bytes, start: int) -> None:
        """Read a character that bash may expand in this position."""
        source, at = self.source, self.offset
        braces = _LITERAL_BRACES.match(source, at) if char == b"{" else None
        if braces:
            self._text.append(braces.group())
            self.offset = braces.end()
            return
        if char == b"~":
            before = source[at - 1 : at] if at > start else b""
            if before in {b"", b"=", b":"}:
                self._is_literal = False
                self._has_home_prefix = not before and source[at + 1 : at + 2] in b"/ \t\n;&|)"
        elif char != b"#":
            self._is_literal = False
            self._is_one_word = self._is_one_word and char != b"{"
        self._text.append(char)
        self.offset += 1

    def _read_single_quoted(self) -> None:
        end = self.source.find(b"'", self.offset + 1)
        if end < 0:
            raise_ambiguous("a quote is not closed")
        self._text.append(self.source[self.offset + 1 : end])
        self._is_unquoted = False
        self.offset = end + 1

    def _read_escape(self) -> None:
        self._is_unquoted = False
        after = self.source[self.offset + 1 : self.offset + 2]
        if not after:
            raise_ambiguous("it ends with a backslash")
        if after == b"\n":
            self._check_continuation()
        else:
            self._text.append(after)
        self.offset += 2

    def _check_continuation(self) -> None:
        """Reject a line continuation without a blank: bash removes it before it reads words."""
        source, at = self.source, self.offset
        if _BLANKS.isdisjoint((source[at - 1 : at], source[at + 2 : at + 3])):
            raise_ambiguous("a line continuation joins two words")

    def _read_dollar(self) -> bool:
        after = self.source[self.offset : self.offset + 2]
        if after == b"$'":
            self._read_ansi_c()
        elif after == b'$"':
            raise_ambiguous('it uses a translated string, $"…"')
        elif self.offset in self._expansion_ends:
            self._is_one_word = self._is_literal = False
            self._skip_expansion()
        elif after[:1] == b"`":
            return False
        elif _EXPANDS.match(after):
            raise_ambiguous(UNCLEAR_EXPANSION)
        else:
            self._text.append(b"$")
            self.offset += 1
        return True

    def _read_ansi_c(self) -> None:
        text, end, is_plain = decode_ansi_c(self.source, self.offset)
        if end < 0:
            raise_ambiguous("a quote is not closed")
        self._text.append(text)
        self._is_unquoted = False
        self._is_literal = self._is_literal and is_plain
        self.offset = end

    def _read_double_quoted(self) -> None:
        self._is_unquoted = False
        self._text.append(b"")
        self.offset += 1
        while self.source[self.offset : self.offset + 1] != b'"':
            self._read_expanded_piece(_QUOTED_RUN)
        self.offset += 1

    def _read_expanded_piece(self, plain_run: re.Pattern[bytes]) -> None:
        """Read one piece of text in which only `$`, backtick and backslash are special."""
        plain = plain_run.match(self.source, self.offset)
        if plain:
            self._text.append(plain.group())
            self.offset = plain.end()
            return
        after = self.source[self.offset : self.offset + 2]
        if not after:
            raise_ambiguous("a quote is not closed")
        if after[:1] == b"\\":
            self._read_quoted_escape(after)
        elif self.offset in self._expansion_ends:
            self._is_literal = False
            self._skip_expansion()
        elif after[:1] == b"`" or (_EXPANDS.match(after) and after[1:] not in {b"'", b'"'}):
            raise_ambiguous(UNCLEAR_EXPANSION)
        else:
            self._text.append(b"$")
            self.offset += 1

    def _read_quoted_escape(self, pair: bytes) -> None:
        if pair == b"\\\n":
            self._check_continuation()
        else:
            self._text.append(pair[1:] if pair[1:] in _ESCAPABLE else pair)
        self.offset += 2

    def _skip_expansion(self) -> None:
        start = self.offset
        end = self._expansion_ends.get(start)
        if end is None or end <= start:
            raise_ambiguous(UNCLEAR_EXPANSION)
        text = self.source[start:end]
        self.seen_expansions.append(start)
        self._text.append(text)
        self._is_one_word = self._is_one_word and b"@" not in text
        self.offset = end
