"""File names with wildcards, as git reads them, made into regular expressions.

`*` and `?` stop at `/`; `**` between slashes stands for any folders. What could take for ever is
not tried: each `*` but the last of its part takes what fits first, which is all that it needs.
Source: gitignore(5).
"""

import re
import string
from collections.abc import Iterator

_STAR, _FOLDERS, _REST = "*", "**/", "**"
_NAMED = {
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
_SET = re.compile(r"\[(?P<no>[!^]?)(?P<members>\]?(?>(?:\\.|\[:[^\]]*:\]|[^\]\\])*))\]", re.DOTALL)
_MEMBER = re.compile(
    r"\[:(?P<named>[^\]]*):\]|(?P<low>\\.|[^\\])(?:-(?P<high>\\.|[^\\]))?", re.DOTALL
)


def compile_wildcards(pattern: str) -> "re.Pattern[str]":
    """Make the test for whole paths; one that can never match matches nothing.

    Raises:
        ValueError: a bracket is not closed, a class has no such name, or it ends in a backslash.
    """
    parts: list[list[str]] = [[]]
    for token in _tokens(pattern):
        if token == _FOLDERS:
            parts.append([])
        else:
            parts[-1].append(token)
    first, *others = map(_part, parts)
    if others:
        *inner, last = others
        first += "".join(f"(?>(?:[^/]*/)*?{each})" for each in inner) + f"(?:[^/]*/)*{last}"
    return re.compile(first, re.DOTALL)


def _part(tokens: list[str]) -> str:
    """Write what stands between two `**/`."""
    chunks = [""]
    for token in tokens:
        if token == _STAR:
            chunks.append("")
        else:
            chunks[-1] += ".*" if token == _REST else token
    first, *others = chunks
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>[^/]*?{each})" for each in inner) + f"[^/]*{last}"


def _tokens(pattern: str) -> Iterator[str]:
    """Cut a pattern into wildcards, and regular expressions of one character each."""
    at = 0
    while at < len(pattern):
        match pattern[at]:
            case "*":
                token, at = _stars(pattern, at)
            case "?":
                token, at = "[^/]", at + 1
            case "[":
                token, at = _set(pattern, at)
            case "\\":
                if at + 1 == len(pattern):
                    message = "it ends in a backslash"
                    raise ValueError(message)
                token, at = re.escape(pattern[at + 1]), at + 2
            case plain:
                token, at = re.escape(plain), at + 1
        yield token


def _stars(pattern: str, at: int) -> tuple[str, int]:
    end = at
    while pattern[end : end + 1] == "*":
        end += 1
    alone = end - at > 1 and (at == 0 or pattern[at - 1] == "/")
    if alone and end == len(pattern):
        return _REST, end
    if alone and pattern[end] == "/":
        return _FOLDERS, end + 1
    return _STAR, end


def _set(pattern: str, at: int) -> tuple[str, int]:
    found = _SET.match(pattern, at)
    if not found:
        message = "a bracket is not closed"
        raise ValueError(message)
    members = "".join(_members(found["members"]))
    if found["no"]:
        return f"[^/{members}]", found.end()
    return f"(?!/)[{members}]" if members else "(?!)", found.end()


def _members(text: str) -> Iterator[str]:
    for each in _MEMBER.finditer(text):
        if each["named"] is not None:
            if each["named"] not in _NAMED:
                message = f"there is no class [:{each['named']}:]"
                raise ValueError(message)
            yield re.escape(_NAMED[each["named"]])
        else:
            low, high = each["low"][-1], (each["high"] or each["low"])[-1]
            # Git takes the first character of a range that runs backwards for itself.
            yield f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
