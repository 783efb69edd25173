"""Tests paths against a glob pattern: the wildcards of `.gitignore`, plus `{a,b}`."""

from collections.abc import Callable

from actors.tools.tool import ToolError
from actors.tools.wildcards import compile_wildcards

MAX_ALTERNATIVES = 100
MAX_PATTERN_CHARS = 1_000


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Return a test for paths relative to the folder that is searched.

    `*` and `?` do not match `/`; `**` does. A pattern without a `/` matches names at any depth.

    Raises:
        ToolError: the pattern is empty, invalid or exceeds a limit.
    """
    if not pattern.strip() or len(pattern) > MAX_PATTERN_CHARS:
        message = f"a pattern must have 1 to {MAX_PATTERN_CHARS:,} characters"
        raise ToolError(message)
    if ".." in pattern.split("/"):
        message = "a pattern cannot contain ..; set path to another directory instead"
        raise ToolError(message)
    try:
        tests = [_compile_alternative(alternative) for alternative in expand_braces(pattern)]
    except ValueError as error:
        message = f"not a valid glob pattern: {error}"
        raise ToolError(message) from error
    return lambda path: any(test(path) for test in tests)


def expand_braces(pattern: str) -> list[str]:
    """Expand `{a,b}` and `{1..3}` as bash does.

    Raises:
        ToolError: the pattern expands to too many alternatives, or nests braces too deeply.
    """
    import bracex  # noqa: PLC0415  (25 ms that startup does not need)

    try:
        return bracex.expand(pattern, keep_escapes=True, limit=MAX_ALTERNATIVES)
    except (bracex.ExpansionLimitException, RecursionError) as error:
        message = f"the pattern expands to more than {MAX_ALTERNATIVES} alternatives"
        raise ToolError(message) from error


def _compile_alternative(pattern: str) -> Callable[[str], bool]:
    """Return a test for one pattern, which matches a file, or a folder and everything in it."""
    base = pattern.removesuffix("/")
    is_anchored = "/" in base
    matches_folders_only = base != pattern
    regex = compile_wildcards(base.removeprefix("/"))

    def matches(path: str) -> bool:
        names = path.split("/")
        candidates = len(names) - matches_folders_only
        return any(
            regex.fullmatch("/".join(names[: at + 1]) if is_anchored else names[at])
            for at in range(candidates)
        )

    return matches
