"""Guesses what a command that cannot be parsed may run.

Finding too many commands is better than too few: only ask and deny rules match them.
"""

import re

from actors.bash.syntax.parsed_command import CommandPart, Word

_SEPARATOR = re.compile(rb"[;&|\n()`{}]+|\$\(")
_QUOTES = re.compile(rb"['\"\\\0]")
_QUOTED = re.compile(rb"'[^']*'|\"[^\"]*\"")
_BRACED = re.compile(
    r"(?<![^\s;&|(])([^\s{};&|()]{0,64})\{([^\s{},]*+(?:,[^\s{},]*+)+)\}([^\s{};&|()]*+)"
)
_OBVIOUS_EXPANSION = re.compile(
    r"\$\((?:which|echo|printf|command -v|type -[pP])\s++([\w./ -]++)\)"
    r"|\$\{\w++:?[-=]([^{}]++)\}|\$(?:IFS|\{IFS\})"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RESERVED = {"if", "then", "elif", "else", "while", "until", "do", "!", "time"}


def expand_obvious(text: str) -> str:
    """Expand what needs no shell state: `{a,b}`, `${x:-a}`, `$(which a)`, `$IFS`."""
    if "$" in text:
        text = _OBVIOUS_EXPANSION.sub(lambda match: match[1] or match[2] or " ", text)
    return _BRACED.sub(_expand_braces, text) if "{" in text else text


def _expand_braces(match: re.Match[str]) -> str:
    return " ".join(f"{match[1]}{choice}{match[3]}" for choice in match[2].split(","))


def split_crudely(source: bytes) -> list[CommandPart]:
    """Split at everything that may separate commands, even inside quotes."""
    pieces = _SEPARATOR.split(source)
    parts = {piece: _parse_piece(piece) for piece in dict.fromkeys(pieces)}
    return [part for piece in pieces if (part := parts[piece])]


def extract_quoted(source: bytes) -> bytes:
    """List the quoted strings, one per line: a shell may run them."""
    return b"\n".join(_QUOTED.findall(source))


def _parse_piece(piece: bytes) -> CommandPart | None:
    texts = _QUOTES.sub(b"", piece).decode(errors="replace").split()
    while texts and (texts[0] in _RESERVED or _ASSIGNMENT.match(texts[0])):
        texts.pop(0)
    words = tuple(Word(text, is_literal=False, is_unquoted=False) for text in texts)
    return (
        CommandPart(" ".join(texts), words, ask_reason="it could not be parsed") if words else None
    )
