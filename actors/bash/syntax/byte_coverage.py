"""Which bytes of a text are accounted for, and whether tokens are what the tree takes them for."""

import re

from actors.bash.syntax.fast_path import RESERVED_WORDS

CASE_TERMINATORS = frozenset([";;", ";&", ";;&"])
_OPERATORS = CASE_TERMINATORS | {"\n", ";", "&", "&&", "||", "|", "|&", "(", ")"}
_OPERATOR = re.compile(rb"\n|&&|&>>|&>|;;&|;;|;&|\|\||\|&|\(\(|[;&|()]")
_BETWEEN_WORDS = frozenset(b" \t\n;&|()<>`")
_MAY_FOLLOW_A_COMMAND = frozenset(b"\n;&|)`#")
_AFTER_A_GROUP = re.compile(
    rb"(?:[ \t]|\\\n)*(?:\Z|[\n;&|)`<>]|[ \t]#|\d+[<>]"
    rb"|(?<=[ \t)])(?:then|do|done|fi|elif|else|esac|\})"
    rb"(?=[ \t\n;&|)]|\Z))"
)
_GAP = re.compile(rb"[ \t\n]+(?:\\\n[ \t]+)*|(?:\\\n[ \t]+)+")
"""Blanks and newlines; a continuation counts only beside a blank, else it joins words."""


class ByteCoverage:
    """What has been read of a text; in the end every byte was read once, or is a blank."""

    def __init__(self, source: bytes) -> None:
        """Begin with nothing read."""
        self._source = source
        self._spans: list[tuple[int, int]] = []

    def cover(self, start: int, end: int) -> None:
        """Take note that these bytes were read."""
        self._spans.append((start, end))

    def check_token(self, kind: str, start: int, end: int) -> str:
        """Read a token for itself; say why it may be none; empty: it is one."""
        self.cover(start, end)
        if kind == "comment":
            return "" if self._is_comment(start, end) else "a comment may not be one"
        if kind in _OPERATORS:
            operator = _OPERATOR.match(self._source, start)
            is_whole = operator and operator.end() == end
            return "" if is_whole else f"{kind!r} may be another operator"
        if kind not in RESERVED_WORDS:
            return f"{kind!r} is not judged"
        is_whole = self._begins(start) and self._ends(end)
        return "" if is_whole else f"{kind!r} may not be a reserved word"

    def check_command_end(self, at: int, end: int | None) -> str:
        """Say why a command may not end here, or not at `end`, where the tree has it."""
        source = self._source
        if end not in (None, at) and source[min(at, end) : max(at, end)].strip(b" \t\\\n"):
            return "where a command ends is not certain"
        if at < len(source) and source[at] not in _MAY_FOLLOW_A_COMMAND:
            return "what follows a command is not certain"
        return ""

    def check_group_end(self, end: int) -> str:
        """Say why a group may not end here; empty: it does."""
        return "" if _AFTER_A_GROUP.match(self._source, end) else "something follows a group"

    def find_problem(self) -> str:
        """Say what is wrong with the account; empty: nothing."""
        at, size = 0, len(self._source)
        for start, end in [*sorted(self._spans), (size, size)]:
            if start < at:
                return "two readings overlap"
            if start > at and not _GAP.fullmatch(self._source, at, start):
                return "a piece of it was not understood"
            at = end
        return ""

    def _is_comment(self, start: int, end: int) -> bool:
        source = self._source
        is_whole = source[start] == ord("#") and (end == len(source) or source[end] == ord("\n"))
        return is_whole and self._begins(start) and b"\n" not in source[start:end]

    def _begins(self, start: int) -> bool:
        return start == 0 or self._source[start - 1] in _BETWEEN_WORDS

    def _ends(self, end: int) -> bool:
        return end == len(self._source) or self._source[end] in _BETWEEN_WORDS
