"""Marks characters that look like ASCII ones, in text that the user approves. Pure.

A command name with a Cyrillic a is a different command, but no font shows it. The tables are based
on Unicode's list of confusable characters (UTS 39) and cover what could fake a command, path or
rule.
"""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"(?:\w[\u0300-\u036f]*)+")
_LETTERS = frozenset(
    # Cyrillic
    "\u0410\u0412\u0415\u0417\u0405\u0406\u0407\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    "\u0423\u0425\u0430\u0435\u0433\u043a\u043e\u0440\u0441\u0443\u0445\u044c\u0455\u0456\u0457"
    "\u0458\u0474\u0475\u04ae\u04af\u04ba\u04bb\u04c0\u04cf\u0501\u050c\u051a\u051b\u051c\u051d"
    # Greek
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1"
    "\u03b3\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c9\u03f2\u03f3\u03f9"
    # Armenian
    "\u0531\u0532\u053c\u054d\u054f\u0555\u0561\u0563\u0566\u0570\u0575\u0578\u057d\u0581\u0585"
    # Latin outside ASCII
    "\u0131\u0184\u0185\u0196\u01c0\u01c3\u0237\u0251\u0261\u0269\u026a\u028f\u0299\u029f\ua731"
)
_SCRIPTS = ("CHEROKEE ", "COPTIC ", "DESERET ", "LISU ", "OLD ITALIC ", "TIFINAGH ")
"""So many letters of these scripts look like Latin capitals that all of them are marked."""
_COMPATIBILITY_TAGS = ("<wide>", "<font>", "<narrow>", "<compat>", "<noBreak>")
"""Decomposition tags of characters that are a variant shape of another character."""
_SIGNS = frozenset(
    "\u01c0\u01c3\u02b9\u02bc\u02c2\u02c3\u02cb\u02d7\u02dc\u0589\u05c0\u05f3\u0701\u1806\u2010"
    "\u2032\u2035\u2043\u2044\u204e\u2052\u2212\u2215\u2216\u2217\u2223\u2236\u223c\u2758\u2768"
    "\u2769\u27cb\u27cd\u29f5\u29f8\u29f9\u3014\u3015\ua789\ua78a\ua4f8\ua4fa"
)
"""Look like punctuation that is special in shells or paths."""
_TYPOGRAPHIC = frozenset("\u2012\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u2039\u203a\u00b4\u00b8")
"""Typographic dashes and quotation marks; common in prose, suspicious in a command."""


def mark_confusables(text: str, *, is_code: bool) -> str:
    """Replace each character that looks like an ASCII one with its code point, like `<U+0430>`.

    In prose, letters are replaced only in words that also have ASCII letters. With `is_code`, they
    are also replaced in words made of confusables only, and so are typographic dashes and quotes.
    """
    if text.isascii():
        return text
    marked = _WORD.sub(lambda match: _mark_letters(match[0], is_code=is_code), text)
    return "".join(_mark(char) if _is_sign(char, is_code=is_code) else char for char in marked)


def _mark_letters(word: str, *, is_code: bool) -> str:
    if word.isascii():
        return word
    letters = [char for char in word if char.isalpha()]
    is_mixed = any(char.isascii() for char in letters)
    is_fake = is_code and all(map(_is_letter, letters))
    if not (is_mixed or is_fake):
        return word
    return "".join(_mark(char) if _is_letter(char) else char for char in word)


@lru_cache(maxsize=4096)
def _is_letter(char: str) -> bool:
    return char in _LETTERS or unicodedata.name(char, "").startswith(_SCRIPTS)


def _is_sign(char: str, *, is_code: bool) -> bool:
    if char.isascii():
        return False
    return char in _SIGNS or _is_ascii_variant(char) or (is_code and char in _TYPOGRAPHIC)


@lru_cache(maxsize=4096)
def _is_ascii_variant(char: str) -> bool:
    """Whether the character is a variant shape of one or more ASCII characters."""
    tag = unicodedata.decomposition(char).split(" ")[0]
    folded = unicodedata.normalize("NFKC", char)
    is_text = folded.isascii() and folded.isprintable() and not folded.isspace()
    is_variant = tag in _COMPATIBILITY_TAGS or tag[:1] != "<"
    return is_text and (len(folded) == 1 or folded.isalpha()) and is_variant


def _mark(char: str) -> str:
    return f"<U+{ord(char):04X}>"
