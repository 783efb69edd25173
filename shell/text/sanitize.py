"""Makes control and invisible characters visible; all text from outside is shown through this.

Commands, paths, diffs, tool output and model text could otherwise move the cursor, set the
clipboard, or look like something else. Nothing is dropped: each such character is replaced by a
mark.
"""

import re
import unicodedata
from functools import lru_cache

from shell.text.confusables import mark_confusables

MAX_COMBINING_MARKS = 4
"""Combining marks on one character; more are replaced, since a stack of them can hide text."""
_NOT_PLAIN = re.compile(r"[^\t\n\x20-\x7e]+")
_SPACES = re.compile(r" {3,}")
_CONTROLS_END = 0x20
_DELETE = 0x7F
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"})
_COMBINING_CATEGORIES = frozenset({"Mc", "Me", "Mn"})
_JOINING_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
"""Letters that are drawn into the previous one, like combining marks."""
_IGNORABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Invisible although their category is letter or mark (Default_Ignorable_Code_Point)."""
_IGNORABLE_RANGES = (range(0xFE00, 0xFE0E), range(0xE0000, 0xE1000))
_EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")
"""Kept after a character whose picture they select; a row of them could smuggle text."""
_JOINER = "\u200d"
_EMOJI = "[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[\U0001f3fb-\U0001f3ff]?"
_JOINED_EMOJI = re.compile(f"({_EMOJI}(?:{_JOINER}{_EMOJI}){{1,8}})")
_BLANK_GLYPHS = frozenset("\u2800\U0001d159")
"""Braille without dots and a note without a head; they look like spaces."""


def sanitize(text: str) -> str:
    """Replace characters that a terminal would interpret or hide.

    ESC becomes `^[`, a bidi override `<U+202E>`, a carriage return `^M`. Tab and newline stay.
    """
    return _NOT_PLAIN.sub(lambda match: "".join(sanitize_chars(match[0])), text)


def sanitize_prose(text: str) -> str:
    """Like `sanitize`, but emoji that are joined into one picture stay joined.

    For the model's prose only: elsewhere, a joiner could make two texts look the same.
    """
    if _JOINER not in text:
        return sanitize(text)
    pieces = _JOINED_EMOJI.split(text)
    return "".join(piece if number % 2 else sanitize(piece) for number, piece in enumerate(pieces))


def sanitize_line(text: str) -> str:
    """Like `sanitize`, on one line.

    A newline becomes `^J`, a tab a space, and a long run of spaces its count, since it could push
    text out of sight.
    """
    return _on_one_line(sanitize(text).replace("\t", " "))


def sanitize_strict(text: str, *, is_code: bool = False) -> str:
    """Like `sanitize`, for text that the user approves; stricter with `is_code`.

    Also replaces spaces other than U+0020, emoji selectors (terminals disagree about the width)
    and characters that look like ASCII ones. `is_code` is for commands, paths and rules.
    """
    marked = mark_confusables(text, is_code=is_code)
    return _NOT_PLAIN.sub(
        lambda match: "".join(map(_mark_strict, match[0], sanitize_chars(match[0]))), marked
    )


def sanitize_line_strict(text: str, *, is_code: bool = False) -> str:
    """Like `sanitize_strict`, on one line: newline becomes `^J`, tab `^I`, many spaces a count."""
    return _on_one_line(sanitize_strict(text, is_code=is_code).replace("\t", "^I"))


def sanitize_chars(text: str) -> list[str]:
    """Return what `sanitize` shows for each character, which depends on the previous ones."""
    shown: list[str] = []
    combining_marks, previous = 0, ""
    for char in text:
        combining_marks = combining_marks + 1 if _is_combining(char) else 0
        is_hidden = combining_marks > MAX_COMBINING_MARKS or (
            char in _EMOJI_SELECTORS and not _takes_selector(previous)
        )
        shown.append(_code_point(char) if is_hidden else _mark(char))
        previous = shown[-1]
    return shown


def replace_invalid_utf8(text: str) -> str:
    """Replace undecodable bytes (surrogate escapes), which would not fit into JSON."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_combining(char: str) -> bool:
    is_jamo = any(ord(char) in letters for letters in _JOINING_JAMO)
    return is_jamo or unicodedata.category(char) in _COMBINING_CATEGORIES


def _takes_selector(previous: str) -> bool:
    """Whether an emoji selector may follow what was shown before it."""
    return len(previous) == 1 and not previous.isascii() and previous not in _EMOJI_SELECTORS


def _on_one_line(text: str) -> str:
    counted = _SPACES.sub(lambda run: f"<U+0020×{len(run[0])}>", text)  # noqa: RUF001  (multiplication sign)
    return counted.replace("\n", "^J")


def _mark_strict(char: str, mark: str) -> str:
    is_blank = char in _BLANK_GLYPHS or unicodedata.category(char) == "Zs"
    return _code_point(char) if is_blank or char in _EMOJI_SELECTORS else mark


@lru_cache(maxsize=4096)
def _mark(char: str) -> str:
    if char in "\t\n":
        return char
    code = ord(char)
    if code < _CONTROLS_END or code == _DELETE:
        return "^" + chr(code ^ 0x40)
    return _code_point(char) if _is_invisible(char, code) else char


def _code_point(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _is_invisible(char: str, code: int) -> bool:
    return (
        unicodedata.category(char) in _INVISIBLE_CATEGORIES
        or char in _IGNORABLE
        or any(code in ignorable for ignorable in _IGNORABLE_RANGES)
    )
