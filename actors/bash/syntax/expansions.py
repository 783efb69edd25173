"""Which expansions are certain to run nothing."""

import re

_ARITHMETIC = re.compile(rb"\$\(\([0-9 +*/%<>=!&|^~?:-]*\)\)")
"""Numbers alone: a name may hold `a[$(…)]`, which bash would run."""
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
    """Whether only numbers are reckoned with."""
    return _ARITHMETIC.fullmatch(text) is not None


def is_plain_expansion(source: bytes, start: int, end: int) -> bool:
    """Whether this `$name` or `${…}` only yields text, and ends where bash ends it."""
    form = _BRACED if source[start : start + 2] == b"${" else _NAMED
    match = form.match(source, start)
    return match is not None and match.end() == end


def is_plain_test(text: bytes) -> bool:
    """Whether a `[[ … ]]` only looks at files and compares texts.

    A comparison of numbers (`-eq`) reckons, so it may run what an array index holds.
    """
    return _TEST.fullmatch(text) is not None


def find_backticks(source: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    """Find what stands in backticks where the tree sees none: where it begins, and the text."""
    found = _BACKTICKS.finditer(source, start, end)
    return [(match.start(), _ESCAPE.sub(rb"\1", match[1])) for match in found]


def find_substitutions(source: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    """Find what stands in `$(…)` where the tree sees none, as far as brackets tell its end."""
    found: list[tuple[int, bytes]] = []
    at = source.find(b"$(", start, end)
    while at >= 0:
        close, depth = end, 0
        for bracket in _PARENTHESIS.finditer(source, at, end):
            depth += 1 if bracket.group() == b"(" else -1
            if not depth:
                close = bracket.start()
                break
        found.append((at, source[at + 2 : close]))
        at = source.find(b"$(", close, end)
    return found


def unescape_backticks(text: bytes) -> bytes:
    """Read what stands in one pair of backticks as bash runs it."""
    return _ESCAPE.sub(rb"\1", text[1:-1])
