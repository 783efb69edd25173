"""Reads words as bash does, byte by byte; the tree only says where expansions end.

What this reader does not know for certain, it refuses.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from actors.permissions.commands.ansi_c import decoded
from actors.permissions.commands.command import Word


class UncertainError(Exception):
    """The text may mean something else to bash than to us; says what is in doubt."""


def refuse(why: str) -> NoReturn:
    """Give up on a text.

    Raises:
        UncertainError: always.
    """
    raise UncertainError(why)


AT_A_WORD_END = rb"(?=[ \t\n;&|)]|\Z)"
PLAIN_WORD = rb"[\w./:,@%+^-][\w./:,@%+^=-]*+" + AT_A_WORD_END
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
def plain_word(text: bytes) -> Word:
    """Take a word for what it says."""
    return Word(text.decode())


class WordReader:
    """A position in a text from which words are read."""

    def __init__(self, source: bytes, holes: Mapping[int, int], at: int) -> None:
        """Read `source`, whose expansions begin and end as `holes` says."""
        self.source = source
        self.at = at
        self.holes_seen: list[int] = []
        """Where the expansions begin that were stepped over."""
        self._holes = holes
        self._text: list[bytes] = []
        self._literal = self._plain = self._single = True
        self._home = False

    def word(self) -> Word | None:
        """Read the word that begins here; None where none does.

        Raises:
            UncertainError: bash may read it differently.
        """
        whole = _WHOLE.match(self.source, self.at)
        if whole:
            self.at = whole.end()
            return plain_word(whole.group())
        start = self.at
        self._text = []
        self._literal = self._plain = self._single = True
        self._home = False
        while self._piece(start):
            pass
        return self._word() if self.at > start else None

    def body(self, end: int) -> None:
        """Step over the body of a here-document whose delimiter is not quoted.

        Raises:
            UncertainError: bash may read it differently.
        """
        while self.at < end:
            self._expanding(_UNQUOTED_BODY)

    def _word(self) -> Word:
        text = b"".join(self._text).decode(errors="replace")
        fixed = bool(self._text) and text[:1] not in {"$", "`", "*", "?", "[", "{", "~", "<", ">"}
        return Word(
            text,
            literal=self._literal,
            plain=self._plain,
            single=self._single,
            steady=self._literal or (self._single and fixed and not text.startswith("-")),
            home=self._home,
        )

    def _piece(self, start: int) -> bool:
        """Read on to the next change of quoting; False at the end of the word."""
        source, at = self.source, self.at
        run = _PLAIN.match(source, at)
        if run:
            self._text.append(run.group())
            self.at = run.end()
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
        source, at = self.source, self.at
        braces = _LITERAL_BRACES.match(source, at) if char == b"{" else None
        if braces:
            self._text.append(braces.group())
            self.at = braces.end()
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
        self.at += 1

    def _raw(self) -> None:
        end = self.source.find(b"'", self.at + 1)
        if end < 0:
            refuse("a quote is not closed")
        self._text.append(self.source[self.at + 1 : end])
        self._plain = False
        self.at = end + 1

    def _escape(self) -> None:
        self._plain = False
        after = self.source[self.at + 1 : self.at + 2]
        if not after:
            refuse("it ends in a backslash")
        if after == b"\n":
            self._joined()
        else:
            self._text.append(after)
        self.at += 2

    def _joined(self) -> None:
        """Pass a line break that bash takes away before it looks for what begins there."""
        source, at = self.source, self.at
        if _BLANKS.isdisjoint((source[at - 1 : at], source[at + 2 : at + 3])):
            refuse("a line break joins two words")

    def _dollar(self) -> bool:
        after = self.source[self.at : self.at + 2]
        if after == b"$'":
            self._ansi_c()
        elif after == b'$"':
            refuse("a translated string")
        elif self.at in self._holes:
            self._single = self._literal = False
            self._hole()
        elif after[:1] == b"`":
            return False
        elif _EXPANDS.match(after):
            refuse("an expansion is not plainly one")
        else:
            self._text.append(b"$")
            self.at += 1
        return True

    def _ansi_c(self) -> None:
        text, end, plain = decoded(self.source, self.at)
        if end < 0:
            refuse("a quote is not closed")
        self._text.append(text)
        self._plain = False
        self._literal = self._literal and plain
        self.at = end

    def _double(self) -> None:
        self._plain = False
        self._text.append(b"")
        self.at += 1
        while self.source[self.at : self.at + 1] != b'"':
            self._expanding(_QUOTED)
        self.at += 1

    def _expanding(self, run: re.Pattern[bytes]) -> None:
        """Take one piece of a text in which only `$`, backtick and backslash are special."""
        plain = run.match(self.source, self.at)
        if plain:
            self._text.append(plain.group())
            self.at = plain.end()
            return
        after = self.source[self.at : self.at + 2]
        if not after:
            refuse("a quote is not closed")
        if after[:1] == b"\\":
            self._quoted_escape(after)
        elif self.at in self._holes:
            self._literal = False
            self._hole()
        elif after[:1] == b"`" or (_EXPANDS.match(after) and after[1:] not in {b"'", b'"'}):
            refuse("an expansion is not plainly one")
        else:
            self._text.append(b"$")
            self.at += 1

    def _quoted_escape(self, pair: bytes) -> None:
        if pair == b"\\\n":
            self._joined()
        else:
            self._text.append(pair[1:] if pair[1:] in _ESCAPED else pair)
        self.at += 2

    def _hole(self) -> None:
        start = self.at
        end = self._holes.get(start)
        if end is None or end <= start:
            refuse("an expansion is not plainly one")
        text = self.source[start:end]
        self.holes_seen.append(start)
        self._text.append(text)
        self._single = self._single and b"@" not in text
        self.at = end
