"""Hostile text made visible; the only way that text from outside reaches the screen.

Commands, paths, diffs, tool output and model text could otherwise move the cursor, set the
clipboard, or look like something else than what they are. Nothing is dropped: what cannot be
drawn as itself is drawn as a mark.
"""

import re
import unicodedata
from functools import lru_cache

from shell.text.confusables import mark_confusables

MAX_COMBINING_MARKS = 4
"""Of more combining marks on one character the others are told: a pile of them hides text."""
_UNUSUAL = re.compile(r"[^\t\n\x20-\x7e]+")
_BLANKS = re.compile(r" {3,}")
_CONTROLS_END = 0x20
_DELETE = 0x7F
_NAMED_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"})
_ACCENTS = frozenset({"Mc", "Me", "Mn"})
_JOINING_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
"""Letters that are drawn into the one before them, as accents are."""
_IGNORED = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Drawn as nothing although their category says letter or mark (Default_Ignorable_Code_Point)."""
_IGNORED_RANGES = (range(0xFE00, 0xFE0E), range(0xE0000, 0xE1000))
_EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")
"""Behind the character that they choose a picture for they stay; in a row they smuggle text."""
_BLANK_PICTURES = frozenset("\u2800\U0001d159")
"""Braille and music of no dots and no head."""


def visible(text: str) -> str:
    """Replace what a terminal would obey or hide: `^[` for ESC, `<U+202E>` for a bidi override.

    Tab and newline stay; a carriage return becomes `^M`.
    """
    return _UNUSUAL.sub(lambda found: "".join(sanitize_chars(found[0])), text)


def sanitize_line(text: str) -> str:
    """Like `visible`, for what must stay on one line, where blanks could push it to another.

    A newline becomes `^J`, a tab a blank, and a long run of blanks is counted.
    """
    return _on_one_line(visible(text).replace("\t", " "))


def exact(text: str, *, is_code: bool = False) -> str:
    """Like `visible`, for what a person allows: blanks that are none of the space bar's are told.

    So are the selectors of emoji, since terminals disagree how wide they make a character, and what
    looks like another character; most strictly in `code`: commands, paths and rules.
    """
    apart = mark_confusables(text, is_code=is_code)
    return _UNUSUAL.sub(
        lambda found: "".join(map(_exact_mark, found[0], sanitize_chars(found[0]))), apart
    )


def sanitize_line_strict(text: str, *, is_code: bool = False) -> str:
    """Like `exact`, on one line: a newline becomes `^J`, a tab `^I`, a run of blanks is counted."""
    return _on_one_line(exact(text, is_code=is_code).replace("\t", "^I"))


def sanitize_chars(text: str) -> list[str]:
    """Tell for each character how `visible` draws it, given the ones before it."""
    drawn: list[str] = []
    accents, before = 0, ""
    for char in text:
        accents = accents + 1 if _joins(char) else 0
        hidden = accents > MAX_COMBINING_MARKS or (
            char in _EMOJI_SELECTORS and not _may_choose(before)
        )
        drawn.append(_code(char) if hidden else _mark(char))
        before = drawn[-1]
    return drawn


def _joins(char: str) -> bool:
    jamo = any(ord(char) in letters for letters in _JOINING_JAMO)
    return jamo or unicodedata.category(char) in _ACCENTS


def _may_choose(before: str) -> bool:
    """Whether a selector stays behind what was drawn before it."""
    return len(before) == 1 and not before.isascii() and before not in _EMOJI_SELECTORS


def _on_one_line(text: str) -> str:
    counted = _BLANKS.sub(lambda run: f"<U+0020×{len(run[0])}>", text)  # noqa: RUF001  (times)
    return counted.replace("\n", "^J")


def _exact_mark(char: str, mark: str) -> str:
    blank = char in _BLANK_PICTURES or unicodedata.category(char) == "Zs"
    return _code(char) if blank or char in _EMOJI_SELECTORS else mark


@lru_cache(maxsize=4096)
def _mark(char: str) -> str:
    if char in "\t\n":
        return char
    code = ord(char)
    if code < _CONTROLS_END or code == _DELETE:
        return "^" + chr(code ^ 0x40)
    return _code(char) if _hides(char, code) else char


def _code(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _hides(char: str, code: int) -> bool:
    return (
        unicodedata.category(char) in _NAMED_CATEGORIES
        or char in _IGNORED
        or any(code in ignored for ignored in _IGNORED_RANGES)
    )
