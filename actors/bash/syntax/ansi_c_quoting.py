r"""Bash's `$'…'`: what its escapes stand for."""

import re

_PIECE = re.compile(
    rb"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)|'", re.DOTALL
)
_PLAIN = {b"n": b"\n", b"t": b"\t", b"\\": b"\\", b"'": b"'", b'"': b'"'}
"""What people write; every other escape may be there to hide something."""
_SINGLE = {
    b"a": b"\a",
    b"b": b"\b",
    b"e": b"\x1b",
    b"E": b"\x1b",
    b"f": b"\f",
    b"r": b"\r",
    b"v": b"\v",
    b"?": b"?",
}
_HIGHEST = 0x10FFFF


def decode_ansi_c(source: bytes, start: int) -> tuple[bytes, int, bool]:
    """Decode the string whose `$` is at `start`: its text, its end and whether it is plain.

    The end is -1 where the quote is not closed.
    """
    text: list[bytes] = []
    at, is_plain = start + 2, True
    for piece in _PIECE.finditer(source, at):
        text.append(source[at : piece.start()])
        at = piece.end()
        escape = piece[1]
        if escape is None:
            return b"".join(text), at, is_plain
        is_plain = is_plain and escape in _PLAIN
        text.append(_character(escape))
    return b"", -1, False


def _character(escape: bytes) -> bytes:
    known = _PLAIN.get(escape) or _SINGLE.get(escape)
    if known:
        return known
    kind, digits = escape[:1], escape[1:]
    if kind in b"01234567":
        return bytes((int(escape, 8) & 0xFF,))
    return _numbered(kind, digits) if digits else b"\\" + escape


def _numbered(kind: bytes, digits: bytes) -> bytes:
    if kind == b"c":
        return bytes((digits[0] & 0x1F,))
    number = int(digits, 16)
    return bytes((number,)) if kind == b"x" else _utf8(number)


def _utf8(number: int) -> bytes:
    return chr(number).encode(errors="replace") if number <= _HIGHEST else b"?"
