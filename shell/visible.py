"""Hostile text made visible; the only way that text from outside reaches the screen.

Commands, paths, diffs, tool output and model text could otherwise move the cursor, set the
clipboard, or look like something else than what they are. Nothing is dropped: what cannot be
drawn as itself is drawn as a mark.
"""

import re
import unicodedata
from functools import lru_cache

_UNUSUAL = re.compile(r"[^\t\n\x20-\x7e]")
_CONTROLS_END = 0x20
_DELETE = 0x7F
_NAMED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Drawn as nothing although their category says letter or mark."""
_SELECTORS = (range(0xFE00, 0xFE0E), range(0xE0100, 0xE01F0))
"""Variation selectors, which can smuggle text; the two that emoji need (FE0E, FE0F) stay."""


def visible(text: str) -> str:
    """Replace what a terminal would obey or hide: `^[` for ESC, `<U+202E>` for a bidi override.

    Tab and newline stay; a carriage return becomes `^M`.
    """
    return _UNUSUAL.sub(lambda found: _mark(found[0]), text)


def visible_line(text: str) -> str:
    """Like `visible`, for what must stay on one line: a newline becomes `^J`, a tab a blank."""
    return visible(text).replace("\n", "^J").replace("\t", " ")


@lru_cache(maxsize=4096)
def _mark(char: str) -> str:
    code = ord(char)
    if code < _CONTROLS_END or code == _DELETE:
        return "^" + chr(code ^ 0x40)
    if _hides(char, code):
        return f"<U+{code:04X}>"
    return char


def _hides(char: str, code: int) -> bool:
    return (
        unicodedata.category(char) in _NAMED_CATEGORIES
        or char in _BLANK_LETTERS
        or any(code in selectors for selectors in _SELECTORS)
    )
