"""Compiles git's wildcard patterns to regular expressions that match in bounded time.

`*` and `?` do not match `/`; `**` between slashes matches any folders. Every `*` except the last
one of its part is an atomic group that takes the shortest match, which suffices. So no pattern
backtracks exponentially, as any `*` does in the library pathspec and `**` in wcmatch.
Source: gitignore(5).
"""

import re
import string
from collections.abc import Iterator

_STAR, _ANY_FOLDERS, _ANYTHING = "*", "**/", "**"
_CHARACTER_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": string.digits,
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "lower": string.ascii_lowercase,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "punct": string.punctuation,
    "space": string.whitespace,
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
_BRACKET = re.compile(
    r"\[(?P<negation>[!^]?)(?P<members>\]?(?>(?:\\.|\[:[^\]]*:\]|[^\]\\])*))\]", re.DOTALL
)
_MEMBER = re.compile(
    r"\[:(?P<class>[^\]]*):\]|(?P<low>\\.|[^\\])(?:-(?P<high>\\.|[^\\]))?", re.DOTALL
)


def compile_wildcards(pattern: str) -> "re.Pattern[str]":
    """Compile a pattern for `fullmatch` on whole paths.

    Raises:
        ValueError: a bracket is not closed, a class is unknown, or it ends in a backslash.
    """
    parts: list[list[str]] = [[]]
    for token in _tokenize(pattern):
        if token == _ANY_FOLDERS:
            parts.append([])
        else:
            parts[-1].append(token)
    first, *others = map(_translate_part, parts)
    if others:
        *inner, last = others
        first += "".join(f"(?>(?:[^/]*/)*?{part})" for part in inner) + f"(?:[^/]*/)*{last}"
    return re.compile(first, re.DOTALL)


def _translate_part(tokens: list[str]) -> str:
    """Translate the tokens between two `**/`."""
    chunks = [""]
    for token in tokens:
        if token == _STAR:
            chunks.append("")
        else:
            chunks[-1] += ".*" if token == _ANYTHING else token
    first, *others = chunks
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in inner) + f"[^/]*{last}"


def _tokenize(pattern: str) -> Iterator[str]:
    """Split a pattern into wildcards, and regular expressions for one character each."""
    at = 0
    while at < len(pattern):
        match pattern[at]:
            case "*":
                token, at = _read_stars(pattern, at)
            case "?":
                token, at = "[^/]", at + 1
            case "[":
                token, at = _read_bracket(pattern, at)
            case "\\":
                if at + 1 == len(pattern):
                    message = "it ends in a backslash"
                    raise ValueError(message)
                token, at = re.escape(pattern[at + 1]), at + 2
            case character:
                token, at = re.escape(character), at + 1
        yield token


def _read_stars(pattern: str, at: int) -> tuple[str, int]:
    end = at
    while pattern[end : end + 1] == "*":
        end += 1
    is_double = end - at > 1 and (at == 0 or pattern[at - 1] == "/")
    if is_double and end == len(pattern):
        return _ANYTHING, end
    if is_double and pattern[end] == "/":
        return _ANY_FOLDERS, end + 1
    return _STAR, end


def _read_bracket(pattern: str, at: int) -> tuple[str, int]:
    bracket = _BRACKET.match(pattern, at)
    if not bracket:
        message = "a bracket is not closed"
        raise ValueError(message)
    members = "".join(_translate_members(bracket["members"]))
    if bracket["negation"]:
        return f"[^/{members}]", bracket.end()
    return f"(?!/)[{members}]" if members else "(?!)", bracket.end()


def _translate_members(text: str) -> Iterator[str]:
    for member in _MEMBER.finditer(text):
        if member["class"] is not None:
            if member["class"] not in _CHARACTER_CLASSES:
                message = f"there is no character class [:{member['class']}:]"
                raise ValueError(message)
            yield re.escape(_CHARACTER_CLASSES[member["class"]])
        else:
            low, high = member["low"][-1], (member["high"] or member["low"])[-1]
            # Git takes a reversed range as its first character.
            yield f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
