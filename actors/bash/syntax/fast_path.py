"""Splits unambiguous commands, which contain only words, blanks and separators.

Most commands need no grammar: without quotes, backslashes, `$`, globs, braces, brackets,
redirections and comments, every separator separates and every word is a word.
"""

import re

_WORD = r"[A-Za-z0-9_./:,@%+^-][A-Za-z0-9_./:,@%+^=-]*+"
_COMMAND = rf"[ \t]*+{_WORD}(?>(?:[ \t]++{_WORD})*)[ \t]*+"
_SEPARATOR = r"\n|;|&&?|\|\|?"
_PLAIN_TEXT = re.compile(rf"{_COMMAND}(?>(?:(?:{_SEPARATOR}){_COMMAND})*)[;&\n]?")
SEPARATOR = re.compile(_SEPARATOR)
RESERVED_WORDS = {
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done",
    "case", "esac", "in", "function", "{", "}", "!", "[[", "]]", "time", "coproc",
}  # fmt: skip


def split_plain_commands(text: str) -> list[tuple[str, ...]] | None:
    """Split a plain text into commands, each as its words; None if any of it is not plain."""
    if not _PLAIN_TEXT.fullmatch(text):
        return None
    commands = [tuple(piece.split()) for piece in SEPARATOR.split(text)]
    if not commands[-1]:
        commands.pop()
    names = [words[0] for words in commands]
    is_special = not RESERVED_WORDS.isdisjoint(names) or "=" in "".join(names)
    return None if is_special else commands
