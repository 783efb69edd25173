"""Characters that look like others on the keyboard, told from them in what a person allows. Pure.

A Cyrillic a in a command's name is another command; no font shows it. The letters are the ones of
common scripts that are drawn as Latin ones; after Unicode's list of confusable characters (UTS 39),
chosen for what a command, path or rule could be faked with.
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
    # Latin, beyond the keyboard's
    "\u0131\u0184\u0185\u0196\u01c0\u01c3\u0237\u0251\u0261\u0269\u026a\u028f\u0299\u029f\ua731"
)
_SCRIPTS = ("CHEROKEE ", "COPTIC ", "DESERET ", "LISU ", "OLD ITALIC ", "TIFINAGH ")
"""Letters of these are drawn as Latin capitals so often that all of them are told."""
_FOLDS = ("<wide>", "<font>", "<narrow>", "<compat>", "<noBreak>")
"""How Unicode calls what is another character in another shape."""
_SIGNS = frozenset(
    "\u01c0\u01c3\u02b9\u02bc\u02c2\u02c3\u02cb\u02d7\u02dc\u0589\u05c0\u05f3\u0701\u1806\u2010"
    "\u2032\u2035\u2043\u2044\u204e\u2052\u2212\u2215\u2216\u2217\u2223\u2236\u223c\u2758\u2768"
    "\u2769\u27cb\u27cd\u29f5\u29f8\u29f9\u3014\u3015\ua789\ua78a\ua4f8\ua4fa"
)
"""Drawn as one of the signs that shells and paths know."""
_PRINTERS = frozenset("\u2012\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u2039\u203a\u00b4\u00b8")
"""Dashes and quotation marks of printed text; in a command they are none of the keyboard's."""


def mark_confusables(text: str, *, is_code: bool) -> str:
    """Name each character that looks like one of the keyboard's: `<U+0430>`.

    In prose a letter is named only in a word that has letters of the keyboard too; in `code` also
    where a whole word looks like another, and with it printers' dashes and quotation marks.
    """
    if text.isascii():
        return text
    named = _WORD.sub(lambda found: _word(found[0], code=is_code), text)
    return "".join(_named(char) if _is_sign(char, code=is_code) else char for char in named)


def _word(word: str, *, code: bool) -> str:
    if word.isascii():
        return word
    letters = [char for char in word if char.isalpha()]
    mixed = any(char.isascii() for char in letters)
    faked = code and all(map(_is_letter, letters))
    if not (mixed or faked):
        return word
    return "".join(_named(char) if _is_letter(char) else char for char in word)


@lru_cache(maxsize=4096)
def _is_letter(char: str) -> bool:
    return char in _LETTERS or unicodedata.name(char, "").startswith(_SCRIPTS)


def _is_sign(char: str, *, code: bool) -> bool:
    if char.isascii():
        return False
    return char in _SIGNS or _is_folded(char) or (code and char in _PRINTERS)


@lru_cache(maxsize=4096)
def _is_folded(char: str) -> bool:
    """Whether it is one or more of the keyboard's characters in another shape."""
    how = unicodedata.decomposition(char).split(" ")[0]
    folded = unicodedata.normalize("NFKC", char)
    same = folded.isascii() and folded.isprintable() and not folded.isspace()
    return same and (len(folded) == 1 or folded.isalpha()) and (how in _FOLDS or how[:1] != "<")


def _named(char: str) -> str:
    return f"<U+{ord(char):04X}>"
