"""Recognizes expansions that cannot run commands, and finds substitutions the tree misses."""

import re

_ARITHMETIC = re.compile(rb"\$\(\([0-9 +*/%<>=!&|^~?:-]*\)\)")
"""Only numbers: a variable may contain `a[$(…)]`, which bash would run."""
_NAMED = re.compile(rb"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])")
_BRACED = re.compile(
    rb"\$\{(?:#?(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!-])"
    rb"|(?:[A-Za-z_]\w*|[0-9]+|[@*])(?::?[-+?]|##?|%%?|//?|\^\^?|,,?)[^\"'\\$`{}()<>!&|;]*)\}"
)
_OPERAND = rb"(?:[\w./:,@%+=*?-]+|\"[\w ./:,@%+=$-]*\"|'[^'\n]*'|\$[A-Za-z_]\w*|\$[0-9#?])"
_UNARY = rb"-[a-hknprstuwxzGLNOSo] " + _OPERAND
_BINARY = _OPERAND + rb" (?:==?|!=|-[no]t|-ef|=~) " + _OPERAND
_CLAUSE = rb"(?:! )?(?:" + _UNARY + rb"|" + _BINARY + rb"|" + _OPERAND + rb")"
_TEST = re.compile(rb"\[\[ " + _CLAUSE + rb"(?: (?:&&|\|\|) " + _CLAUSE + rb")* \]\]")
_BACKTICKS = re.compile(rb"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_PARENTHESIS = re.compile(rb"[()]")
_ESCAPE = re.compile(rb"\\([\\$`\"])")


def is_plain_arithmetic(text: bytes) -> bool:
    """Whether an arithmetic expansion contains only numbers and operators."""
    return _ARITHMETIC.fullmatch(text) is not None


def is_plain_expansion(source: bytes, start: int, end: int) -> bool:
    """Whether this `$name` or `${…}` only yields text, and ends where bash ends it."""
    form = _BRACED if source[start : start + 2] == b"${" else _NAMED
    match = form.match(source, start)
    return match is not None and match.end() == end


def is_plain_test(text: bytes) -> bool:
    """Whether a `[[ … ]]` only looks at files and compares strings.

    A numeric comparison (`-eq`) evaluates arithmetic, which may run a command in an array index.
    """
    return _TEST.fullmatch(text) is not None


def find_backticks(source: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    """Find text in backticks that the tree does not show, as pairs of offset and text."""
    found = _BACKTICKS.finditer(source, start, end)
    return [(match.start(), _ESCAPE.sub(rb"\1", match[1])) for match in found]


def find_substitutions(source: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    """Find the text in `$(…)` that the tree does not show, by matching parentheses."""
    found: list[tuple[int, bytes]] = []
    offset = source.find(b"$(", start, end)
    while offset >= 0:
        close, depth = end, 0
        for bracket in _PARENTHESIS.finditer(source, offset, end):
            depth += 1 if bracket.group() == b"(" else -1
            if not depth:
                close = bracket.start()
                break
        found.append((offset, source[offset + 2 : close]))
        offset = source.find(b"$(", close, end)
    return found


def unescape_backticks(text: bytes) -> bytes:
    """Return the text in a pair of backticks as bash runs it."""
    return _ESCAPE.sub(rb"\1", text[1:-1])
