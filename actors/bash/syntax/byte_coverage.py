"""Checks that every byte of a command was read once, and that its tokens match the syntax tree."""

import re

from actors.bash.syntax.fast_path import RESERVED_WORDS

CASE_TERMINATORS = frozenset([";;", ";&", ";;&"])
_OPERATORS = CASE_TERMINATORS | {"\n", ";", "&", "&&", "||", "|", "|&", "(", ")"}
_OPERATOR = re.compile(rb"\n|&&|&>>|&>|;;&|;;|;&|\|\||\|&|\(\(|[;&|()]")
_BETWEEN_WORDS = frozenset(b" \t\n;&|()<>`")
_COMMAND_FOLLOWERS = frozenset(b"\n;&|)`#")
_GROUP_FOLLOWER = re.compile(
    rb"(?:[ \t]|\\\n)*(?:\Z|[\n;&|)`<>]|[ \t]#|\d+[<>]"
    rb"|(?<=[ \t)])(?:then|do|done|fi|elif|else|esac|\})"
    rb"(?=[ \t\n;&|)]|\Z))"
)
_GAP = re.compile(rb"[ \t\n]+(?:\\\n[ \t]+)*|(?:\\\n[ \t]+)+")
"""Blanks and newlines; a line continuation only next to a blank, since elsewhere it joins words."""


class ByteCoverage:
    """Records which bytes were read; at the end, each must have been read once or be blank."""

    def __init__(self, source: bytes) -> None:
        """Start with nothing read."""
        self._source = source
        self._spans: list[tuple[int, int]] = []

    def cover(self, start: int, end: int) -> None:
        """Record that these bytes were read."""
        self._spans.append((start, end))

    def check_token(self, kind: str, start: int, end: int) -> str:
        """Cover a token; return why it may not be one, or an empty string."""
        self.cover(start, end)
        if kind == "comment":
            is_comment = self._is_comment(start, end)
            return "" if is_comment else "what looks like a comment may be part of a command"
        if kind in _OPERATORS:
            operator = _OPERATOR.match(self._source, start)
            is_whole = operator and operator.end() == end
            return "" if is_whole else f"`{kind}` may be part of another operator"
        if kind not in RESERVED_WORDS:
            return f"`{kind}` is not supported"
        is_whole = self._is_word_start(start) and self._is_word_end(end)
        return "" if is_whole else f"`{kind}` may not be a reserved word here"

    def check_command_end(self, offset: int, tree_end: int | None) -> str:
        """Return why a command may not end at `offset`, or not where the tree ends it."""
        source = self._source
        if tree_end is not None:
            between = source[min(offset, tree_end) : max(offset, tree_end)]
            if between.strip(b" \t\\\n"):
                return "it is unclear where a command ends"
        if offset < len(source) and source[offset] not in _COMMAND_FOLLOWERS:
            return "it is unclear what follows a command"
        return ""

    def check_group_end(self, end: int) -> str:
        """Return why a command group may not end here, or an empty string."""
        is_end = _GROUP_FOLLOWER.match(self._source, end) is not None
        return "" if is_end else "unexpected text follows a command group"

    def find_problem(self) -> str:
        """Return why the coverage is not exact, or an empty string."""
        offset, size = 0, len(self._source)
        for start, end in [*sorted(self._spans), (size, size)]:
            if start < offset:
                return "part of it can be read in two ways"
            if start > offset and not _GAP.fullmatch(self._source, offset, start):
                return "part of it could not be parsed"
            offset = end
        return ""

    def _is_comment(self, start: int, end: int) -> bool:
        source = self._source
        is_whole = source[start] == ord("#") and (end == len(source) or source[end] == ord("\n"))
        return is_whole and self._is_word_start(start) and b"\n" not in source[start:end]

    def _is_word_start(self, start: int) -> bool:
        return start == 0 or self._source[start - 1] in _BETWEEN_WORDS

    def _is_word_end(self, end: int) -> bool:
        return end == len(self._source) or self._source[end] in _BETWEEN_WORDS
