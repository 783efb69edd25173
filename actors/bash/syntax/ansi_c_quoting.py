r"""Decodes the escapes in bash's `$'…'` strings."""

import re

_PIECE = re.compile(
    rb"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)|'", re.DOTALL
)
_COMMON_ESCAPES = {b"n": b"\n", b"t": b"\t", b"\\": b"\\", b"'": b"'", b'"': b'"'}
"""Escapes in ordinary use; any other may be there to hide something."""
_OTHER_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"e": b"\x1b",
    b"E": b"\x1b",
    b"f": b"\f",
    b"r": b"\r",
    b"v": b"\v",
    b"?": b"?",
}
_MAX_CODE_POINT = 0x10FFFF


def decode_ansi_c(source: bytes, start: int) -> tuple[bytes, int, bool]:
    """Decode the string whose `$` is at `start`: its text, its end, and whether it is plain.

    The end is -1 if the quote is not closed.
    """
    text: list[bytes] = []
    offset, is_plain = start + 2, True
    for piece in _PIECE.finditer(source, offset):
        text.append(source[offset : piece.start()])
        offset = piece.end()
        escape = piece[1]
        if escape is None:
            return b"".join(text), offset, is_plain
        is_plain = is_plain and escape in _COMMON_ESCAPES
        text.append(_decode_escape(escape))
    return b"", -1, False


def _decode_escape(escape: bytes) -> bytes:
    known = _COMMON_ESCAPES.get(escape) or _OTHER_ESCAPES.get(escape)
    if known:
        return known
    kind, digits = escape[:1], escape[1:]
    if kind in b"01234567":
        return bytes((int(escape, 8) & 0xFF,))
    return _decode_number(kind, digits) if digits else b"\\" + escape


def _decode_number(kind: bytes, digits: bytes) -> bytes:
    if kind == b"c":
        return bytes((digits[0] & 0x1F,))
    number = int(digits, 16)
    return bytes((number,)) if kind == b"x" else _encode_code_point(number)


def _encode_code_point(number: int) -> bytes:
    return chr(number).encode(errors="replace") if number <= _MAX_CODE_POINT else b"?"
