"""What a text that is not understood may run: ask and deny rules would rather see more."""

import re

from actors.permissions.commands.command import Part, Word

_SEPARATOR = re.compile(rb"[;&|\n()`{}]+|\$\(")
_QUOTES = re.compile(rb"['\"\\\0]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RESERVED = {"if", "then", "elif", "else", "while", "until", "do", "!", "time"}


def crude_parts(source: bytes) -> list[Part]:
    """Split at everything that may separate commands, in quotes too."""
    pieces = _SEPARATOR.split(source)
    known = {piece: _part(piece) for piece in dict.fromkeys(pieces)}
    return [part for piece in pieces if (part := known[piece])]


def _part(piece: bytes) -> Part | None:
    texts = _QUOTES.sub(b"", piece).decode(errors="replace").split()
    while texts and (texts[0] in _RESERVED or _ASSIGNMENT.match(texts[0])):
        texts.pop(0)
    words = tuple(Word(text, literal=False, plain=False) for text in texts)
    return Part(" ".join(texts), words, floor="it was not understood") if words else None
