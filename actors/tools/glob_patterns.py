"""Patterns of file names, as `.gitignore` has them, plus `{a,b}`."""

from collections.abc import Callable
from itertools import pairwise

from actors.tools.tool import ToolError
from actors.tools.wildcards import compile_wildcards

MAX_ALTERNATIVES = 100
MAX_PATTERN_CHARS = 1_000


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Make a test for paths relative to the folder that is searched.

    `*` and `?` stop at `/`, `**` does not; a pattern without a `/` matches names at any depth.

    Raises:
        ToolError: it is empty or too much.
    """
    if not pattern.strip() or len(pattern) > MAX_PATTERN_CHARS:
        message = f"a pattern has 1 to {MAX_PATTERN_CHARS:,} characters"
        raise ToolError(message)
    if ".." in pattern.split("/"):
        message = "no pattern leads out of the folder by ..; name another folder as path"
        raise ToolError(message)
    try:
        tests = [_test(each) for each in expand_braces(pattern)]
    except ValueError as error:
        message = f"not a pattern of file names: {error}"
        raise ToolError(message) from error
    return lambda path: any(test(path) for test in tests)


def expand_braces(pattern: str) -> list[str]:
    """Write out `{a,b}`, as a shell does; braces may hold braces.

    Raises:
        ToolError: it stands for too many patterns.
    """
    done: list[str] = []
    left = [pattern]
    while left:
        if len(left) + len(done) > MAX_ALTERNATIVES:
            message = f"the pattern stands for more than {MAX_ALTERNATIVES} patterns"
            raise ToolError(message)
        each = left.pop(0)
        alternatives = _first_braces(each)
        if alternatives:
            left = [*alternatives, *left]
        else:
            done.append(each)
    return done


def _first_braces(pattern: str) -> list[str]:
    """Write out the first pair of braces that holds a comma; nothing: there is none."""
    start = pattern.find("{")
    while start >= 0:
        commas, end = _span(pattern, start)
        if commas and end:
            cuts = [start, *commas, end]
            head, tail = pattern[:start], pattern[end + 1 :]
            return [head + pattern[left + 1 : right] + tail for left, right in pairwise(cuts)]
        start = pattern.find("{", start + 1)
    return []


def _span(pattern: str, start: int) -> tuple[list[int], int]:
    """Find the commas between a brace and its fellow, and where that stands; 0: nowhere."""
    depth, commas = 0, list[int]()
    for at in range(start, len(pattern)):
        match pattern[at]:
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if depth == 0:
                    return commas, at
            case "," if depth == 1:
                commas.append(at)
            case _:
                pass
    return [], 0


def _test(pattern: str) -> Callable[[str], bool]:
    """Test one pattern; what it matches is a file, or a folder with all that is in it."""
    plain = pattern.removesuffix("/")
    whole = "/" in plain
    test = compile_wildcards(plain.removeprefix("/"))

    def matches(path: str) -> bool:
        names = path.split("/")
        last = len(names) - (plain != pattern)
        return any(
            test.fullmatch("/".join(names[: at + 1]) if whole else names[at]) for at in range(last)
        )

    return matches
