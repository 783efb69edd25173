"""What a text that is not understood may run: ask and deny rules would rather see more."""

import re

from actors.bash.syntax.parsed_command import CommandPart, Word

_SEPARATOR = re.compile(rb"[;&|\n()`{}]+|\$\(")
_QUOTES = re.compile(rb"['\"\\\0]")
_QUOTED = re.compile(rb"'[^']*'|\"[^\"]*\"")
_BRACED = re.compile(
    r"(?<![^\s;&|(])([^\s{};&|()]{0,64})\{([^\s{},]*+(?:,[^\s{},]*+)+)\}([^\s{};&|()]*+)"
)
_PLAINLY = re.compile(
    r"\$\((?:which|echo|printf|command -v|type -[pP])\s++([\w./ -]++)\)"
    r"|\$\{\w++:?[-=]([^{}]++)\}|\$(?:IFS|\{IFS\})"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RESERVED = {"if", "then", "elif", "else", "while", "until", "do", "!", "time"}


def expand_obvious(text: str) -> str:
    """Write out what expansions plainly come to: `{a,b}`, `${x:-a}`, `$(which a)`, `$IFS`."""
    text = _PLAINLY.sub(lambda found: found[1] or found[2] or " ", text) if "$" in text else text
    return _BRACED.sub(_choices, text) if "{" in text else text


def _choices(found: re.Match[str]) -> str:
    return " ".join(f"{found[1]}{choice}{found[3]}" for choice in found[2].split(","))


def split_crudely(source: bytes) -> list[CommandPart]:
    """Split at everything that may separate commands, in quotes too."""
    pieces = _SEPARATOR.split(source)
    known = {piece: _part(piece) for piece in dict.fromkeys(pieces)}
    return [part for piece in pieces if (part := known[piece])]


def extract_quoted(source: bytes) -> bytes:
    """List what stands in quotes, a line each: a shell may be given it to run."""
    return b"\n".join(_QUOTED.findall(source))


def _part(piece: bytes) -> CommandPart | None:
    texts = _QUOTES.sub(b"", piece).decode(errors="replace").split()
    while texts and (texts[0] in _RESERVED or _ASSIGNMENT.match(texts[0])):
        texts.pop(0)
    words = tuple(Word(text, is_literal=False, is_unquoted=False) for text in texts)
    return (
        CommandPart(" ".join(texts), words, ask_reason="it was not understood") if words else None
    )
