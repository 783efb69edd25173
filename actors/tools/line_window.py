"""The part of a long file that the model is shown, cut out while the file streams by."""

import codecs
from dataclasses import dataclass, field

MAX_LINES = 2_000
MAX_LINE_CHARS = 2_000
MAX_BYTES = 65_536
_MAX_LINE_BYTES = 4 * MAX_LINE_CHARS
"""A character of UTF-8 has at most four bytes."""


@dataclass(slots=True)
class LineWindow:
    """Keeps the lines from `first` on (counted from 1) until `limit` or the size cap is reached.

    Memory is bounded by the caps, whatever is fed.
    """

    first_line: int
    max_lines: int
    rows: list[str] = field(default_factory=list[str])
    """Shown lines, numbered."""
    newline_count: int = 0
    """Line feeds seen so far."""
    has_invalid_utf8: bool = False
    """A shown line is not UTF-8."""
    _line: bytearray = field(default_factory=bytearray)
    _line_bytes: int = 0
    _shown_bytes: int = 0
    _full: bool = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the file."""
        feeds = chunk.count(b"\n")
        if self._full or self.newline_count + feeds < self.first_line - 1:
            self.newline_count += feeds
            self._line_bytes = len(chunk) - chunk.rfind(b"\n") - 1 if feeds else 1
            return
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._take(piece)
            self._end_line()
        self._take(rest)

    def finish(self) -> None:
        """Take the end of the file, which ends a last line without a line feed."""
        if self._line_bytes:
            self._end_line()

    @property
    def next_line(self) -> int:
        """The number of the line after the last shown one."""
        return self.first_line + len(self.rows)

    def _take(self, piece: bytes) -> None:
        self._line_bytes += len(piece)
        if self._wanted():
            self._line += piece[: _MAX_LINE_BYTES - len(self._line)]

    def _end_line(self) -> None:
        if self._wanted():
            self._show()
        self.newline_count += 1
        self._line.clear()
        self._line_bytes = 0

    def _wanted(self) -> bool:
        return not self._full and self.newline_count >= self.first_line - 1

    def _show(self) -> None:
        row = f"{self.newline_count + 1:>6}\t{self._text()}"
        self._shown_bytes += len(row.encode()) + 1
        self._full = self._shown_bytes > MAX_BYTES and bool(self.rows)
        if not self._full:
            self.rows.append(row)
            self._full = len(self.rows) == self.max_lines

    def _text(self) -> str:
        whole = self._line_bytes == len(self._line)
        text = self._decoded(whole=whole).removesuffix("\r")
        if self.newline_count == 0:
            text = text.removeprefix("\ufeff")
        if whole and len(text) <= MAX_LINE_CHARS:
            return text
        return f"{text[:MAX_LINE_CHARS]}… [line cut; it has {self._line_bytes:,} bytes]"

    def _decoded(self, *, whole: bool) -> str:
        try:
            return codecs.utf_8_decode(self._line, "strict", whole)[0]
        except UnicodeDecodeError:
            self.has_invalid_utf8 = True
            return codecs.utf_8_decode(self._line, "replace", whole)[0]
