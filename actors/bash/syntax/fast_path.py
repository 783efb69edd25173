"""Texts with nothing in them that could be read in two ways: words, blanks and separators.

Most commands are of this kind, and they need no grammar: without quotes, backslashes, `$`, globs,
braces, brackets, redirections and comments, every separator separates and every word is a word.
"""

import re

_WORD = r"[A-Za-z0-9_./:,@%+^-][A-Za-z0-9_./:,@%+^=-]*+"
_COMMAND = rf"[ \t]*+{_WORD}(?>(?:[ \t]++{_WORD})*)[ \t]*+"
_SEPARATOR = r"\n|;|&&?|\|\|?"
_TEXT = re.compile(rf"{_COMMAND}(?>(?:(?:{_SEPARATOR}){_COMMAND})*)[;&\n]?")
SEPARATOR = re.compile(_SEPARATOR)
RESERVED_WORDS = {
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done",
    "case", "esac", "in", "function", "{", "}", "!", "[[", "]]", "time", "coproc",
}  # fmt: skip


def split_plain_commands(text: str) -> list[tuple[str, ...]] | None:
    """Split a plain text into commands, each as its words; None where it is not all plain."""
    if not _TEXT.fullmatch(text):
        return None
    commands = [tuple(piece.split()) for piece in SEPARATOR.split(text)]
    if not commands[-1]:
        commands.pop()
    names = [words[0] for words in commands]
    is_special = not RESERVED_WORDS.isdisjoint(names) or "=" in "".join(names)
    return None if is_special else commands
