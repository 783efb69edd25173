"""Selects the lines of a long file to show to the model, while the file is read in chunks."""

import codecs
from dataclasses import dataclass, field

MAX_LINES = 2_000
MAX_LINE_CHARS = 2_000
MAX_BYTES = 65_536
_MAX_LINE_BYTES = 4 * MAX_LINE_CHARS
"""A UTF-8 character has at most four bytes."""


@dataclass(slots=True)
class LineWindow:
    """Keeps lines from `first_line` (counted from 1) until `max_lines` or `MAX_BYTES` is reached.

    Memory is bounded by these limits, regardless of the input.
    """

    first_line: int
    max_lines: int
    rows: list[str] = field(default_factory=list[str])
    """The selected lines, numbered."""
    newline_count: int = 0
    """Lines that have ended so far."""
    has_invalid_utf8: bool = False
    """A selected line is not valid UTF-8."""
    _line: bytearray = field(default_factory=bytearray)
    _line_bytes: int = 0
    _window_bytes: int = 0
    _is_full: bool = False

    def feed(self, chunk: bytes) -> None:
        """Process the next bytes of the file."""
        newlines = chunk.count(b"\n")
        if self._is_full or self.newline_count + newlines < self.first_line - 1:
            self.newline_count += newlines
            # Of a skipped line, only whether it has begun matters.
            self._line_bytes = len(chunk) - chunk.rfind(b"\n") - 1 if newlines else 1
            return
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._add_piece(piece)
            self._end_line()
        self._add_piece(rest)

    def finish(self) -> None:
        """Process the end of the file, which ends a last line without a newline."""
        if self._line_bytes:
            self._end_line()

    @property
    def next_line(self) -> int:
        """The number of the line after the last selected one."""
        return self.first_line + len(self.rows)

    def _add_piece(self, piece: bytes) -> None:
        self._line_bytes += len(piece)
        if self._is_in_window():
            self._line += piece[: _MAX_LINE_BYTES - len(self._line)]

    def _end_line(self) -> None:
        if self._is_in_window():
            self._add_row()
        self.newline_count += 1
        self._line.clear()
        self._line_bytes = 0

    def _is_in_window(self) -> bool:
        return not self._is_full and self.newline_count >= self.first_line - 1

    def _add_row(self) -> None:
        row = f"{self.newline_count + 1:>6}\t{self._format_line()}"
        self._window_bytes += len(row.encode()) + 1
        self._is_full = self._window_bytes > MAX_BYTES and bool(self.rows)
        if not self._is_full:
            self.rows.append(row)
            self._is_full = len(self.rows) == self.max_lines

    def _format_line(self) -> str:
        is_complete = self._line_bytes == len(self._line)
        text = self._decode_line(is_complete=is_complete).removesuffix("\r")
        if self.newline_count == 0:
            text = text.removeprefix("\ufeff")
        if is_complete and len(text) <= MAX_LINE_CHARS:
            return text
        return f"{text[:MAX_LINE_CHARS]}… [line truncated; it is {self._line_bytes:,} bytes long]"

    def _decode_line(self, *, is_complete: bool) -> str:
        try:
            return codecs.utf_8_decode(self._line, "strict", is_complete)[0]
        except UnicodeDecodeError:
            self.has_invalid_utf8 = True
            return codecs.utf_8_decode(self._line, "replace", is_complete)[0]
