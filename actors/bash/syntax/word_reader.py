"""Reads words as bash does, byte by byte; the tree only says where expansions end.

What this reader does not know for certain, it refuses.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from actors.bash.syntax.ansi_c_quoting import decode_ansi_c
from actors.bash.syntax.parsed_command import Word


class AmbiguousSyntaxError(Exception):
    """The text may mean something else to bash than to us; says what is in doubt."""


def raise_ambiguous(why: str) -> NoReturn:
    """Give up on a text.

    Raises:
        UncertainError: always.
    """
    raise AmbiguousSyntaxError(why)


WORD_END_LOOKAHEAD = rb"(?=[ \t\n;&|)]|\Z)"
PLAIN_WORD = rb"[\w./:,@%+^-][\w./:,@%+^=-]*+" + WORD_END_LOOKAHEAD
"""A word without anything special in it, up to its very end: nearly every word."""
_WHOLE = re.compile(PLAIN_WORD)
_PLAIN = re.compile(rb"[^ \t\n;&|()<>'\"\\$`*?\[{~#]+")
_QUOTED = re.compile(rb'[^"\\$`]+')
_UNQUOTED_BODY = re.compile(rb"[^\\$`]+")
_EXPANDS = re.compile(rb"\$[\w({\[@*#?$!'\"-]")
_LITERAL_BRACES = re.compile(rb"\{[\w@/:^~+-]*\}")
"""Without a comma and without `..` bash leaves them as they are: `HEAD@{1}`."""
_ENDS = frozenset(b" \t\n;&|()<>")
_BLANKS = {b" ", b"\t"}
_ESCAPED = {b'"', b"\\", b"$", b"`"}


@lru_cache(1_024)
def make_plain_word(text: bytes) -> Word:
    """Take a word for what it says."""
    return Word(text.decode())


class WordReader:
    """A position in a text from which words are read."""

    def __init__(self, source: bytes, expansion_ends: Mapping[int, int], offset: int) -> None:
        """Read `source`, whose expansions begin and end as `holes` says."""
        self.source = source
        self.offset = offset
        self.seen_expansions: list[int] = []
        """Where the expansions begin that were stepped over."""
        self._holes = expansion_ends
        self._text: list[bytes] = []
        self._literal = self._plain = self._single = True
        self._home = False

    def read_word(self) -> Word | None:
        """Read the word that begins here; None where none does.

        Raises:
            UncertainError: bash may read it differently.
        """
        whole = _WHOLE.match(self.source, self.offset)
        if whole:
            self.offset = whole.end()
            return make_plain_word(whole.group())
        start = self.offset
        self._text = []
        self._literal = self._plain = self._single = True
        self._home = False
        while self._piece(start):
            pass
        return self._word() if self.offset > start else None

    def skip_heredoc_body(self, end: int) -> None:
        """Step over the body of a here-document whose delimiter is not quoted.

        Raises:
            UncertainError: bash may read it differently.
        """
        while self.offset < end:
            self._expanding(_UNQUOTED_BODY)

    def _word(self) -> Word:
        text = b"".join(self._text).decode(errors="replace")
        fixed = bool(self._text) and text[:1] not in {"$", "`", "*", "?", "[", "{", "~", "<", ">"}
        return Word(
            text,
            is_literal=self._literal,
            is_unquoted=self._plain,
            is_one_word=self._single,
            is_never_option=self._literal or (self._single and fixed and not text.startswith("-")),
            has_home_prefix=self._home,
        )

    def _piece(self, start: int) -> bool:
        """Read on to the next change of quoting; False at the end of the word."""
        source, at = self.source, self.offset
        run = _PLAIN.match(source, at)
        if run:
            self._text.append(run.group())
            self.offset = run.end()
            return True
        if at == len(source):
            return False
        char = source[at : at + 1]
        match char:
            case b"'":
                self._raw()
            case b'"':
                self._double()
            case b"\\":
                self._escape()
            case b"$" | b"`":
                return self._dollar()
            case b"<" | b">" if source[at + 1 : at + 2] == b"(":
                self._hole()
                self._literal = False
            case b"#" if at == start:
                return False
            case _ if char[0] in _ENDS:
                return False
            case _:
                self._special(char, start)
        return True

    def _special(self, char: bytes, start: int) -> None:
        """Take a character that may expand where it stands."""
        source, at = self.source, self.offset
        braces = _LITERAL_BRACES.match(source, at) if char == b"{" else None
        if braces:
            self._text.append(braces.group())
            self.offset = braces.end()
            return
        if char == b"~":
            before = source[at - 1 : at] if at > start else b""
            if before in {b"", b"=", b":"}:
                self._literal = False
                self._home = not before and source[at + 1 : at + 2] in b"/ \t\n;&|)"
        elif char != b"#":
            self._literal = False
            self._single = self._single and char != b"{"
        self._text.append(char)
        self.offset += 1

    def _raw(self) -> None:
        end = self.source.find(b"'", self.offset + 1)
        if end < 0:
            raise_ambiguous("a quote is not closed")
        self._text.append(self.source[self.offset + 1 : end])
        self._plain = False
        self.offset = end + 1

    def _escape(self) -> None:
        self._plain = False
        after = self.source[self.offset + 1 : self.offset + 2]
        if not after:
            raise_ambiguous("it ends in a backslash")
        if after == b"\n":
            self._joined()
        else:
            self._text.append(after)
        self.offset += 2

    def _joined(self) -> None:
        """Pass a line break that bash takes away before it looks for what begins there."""
        source, at = self.source, self.offset
        if _BLANKS.isdisjoint((source[at - 1 : at], source[at + 2 : at + 3])):
            raise_ambiguous("a line break joins two words")

    def _dollar(self) -> bool:
        after = self.source[self.offset : self.offset + 2]
        if after == b"$'":
            self._ansi_c()
        elif after == b'$"':
            raise_ambiguous("a translated string")
        elif self.offset in self._holes:
            self._single = self._literal = False
            self._hole()
        elif after[:1] == b"`":
            return False
        elif _EXPANDS.match(after):
            raise_ambiguous("an expansion is not plainly one")
        else:
            self._text.append(b"$")
            self.offset += 1
        return True

    def _ansi_c(self) -> None:
        text, end, plain = decode_ansi_c(self.source, self.offset)
        if end < 0:
            raise_ambiguous("a quote is not closed")
        self._text.append(text)
        self._plain = False
        self._literal = self._literal and plain
        self.offset = end

    def _double(self) -> None:
        self._plain = False
        self._text.append(b"")
        self.offset += 1
        while self.source[self.offset : self.offset + 1] != b'"':
            self._expanding(_QUOTED)
        self.offset += 1

    def _expanding(self, run: re.Pattern[bytes]) -> None:
        """Take one piece of a text in which only `$`, backtick and backslash are special."""
        plain = run.match(self.source, self.offset)
        if plain:
            self._text.append(plain.group())
            self.offset = plain.end()
            return
        after = self.source[self.offset : self.offset + 2]
        if not after:
            raise_ambiguous("a quote is not closed")
        if after[:1] == b"\\":
            self._quoted_escape(after)
        elif self.offset in self._holes:
            self._literal = False
            self._hole()
        elif after[:1] == b"`" or (_EXPANDS.match(after) and after[1:] not in {b"'", b'"'}):
            raise_ambiguous("an expansion is not plainly one")
        else:
            self._text.append(b"$")
            self.offset += 1

    def _quoted_escape(self, pair: bytes) -> None:
        if pair == b"\\\n":
            self._joined()
        else:
            self._text.append(pair[1:] if pair[1:] in _ESCAPED else pair)
        self.offset += 2

    def _hole(self) -> None:
        start = self.offset
        end = self._holes.get(start)
        if end is None or end <= start:
            raise_ambiguous("an expansion is not plainly one")
        text = self.source[start:end]
        self.seen_expansions.append(start)
        self._text.append(text)
        self._single = self._single and b"@" not in text
        self.offset = end
