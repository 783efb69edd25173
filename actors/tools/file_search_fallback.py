"""Searches files for a pattern where ripgrep is not installed; runs as its own process.

A regular expression can run forever and blocks the interpreter meanwhile, so it runs in a process
that can be killed. Arguments: `{"pattern", "ignore_case", "context", "max_matches"}` as JSON, then
the files. Standard output has the lines of ripgrep's `--json`. Exit status 0: something matched, 1:
nothing did, 2: the pattern is invalid (standard error says why).
Source: https://docs.rs/grep-printer, `JSON`.
"""

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator

MAX_FILE_BYTES = 64 * 1024 * 1024
_WHOLE_TEXT_SYNTAX = ("(?", "\\A", "\\Z")
"""With one of these, a line can match although the whole text does not."""


def main(arguments: list[str]) -> int:
    """Search every file in turn; return the exit status."""
    options_json, *files = arguments
    options = json.loads(options_json)
    flags = re.MULTILINE | (re.IGNORECASE if options["ignore_case"] else 0)
    try:
        pattern = re.compile(options["pattern"], flags)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    has_match = False
    for path in files:
        for event in search_file(path, pattern, options["context"], options["max_matches"]):
            sys.stdout.write(json.dumps(event) + "\n")
            has_match = True
    return 0 if has_match else 1


def search_file(
    path: str, pattern: "re.Pattern[str]", context: int, max_matches: int
) -> Iterator[object]:
    """Yield the first `max_matches` matching lines of a file and the lines around them."""
    with open(path, "rb") as file:  # noqa: PTH123  (`pathlib` would double the startup time)
        text = file.read(MAX_FILE_BYTES).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    can_precheck = not any(syntax in pattern.pattern for syntax in _WHOLE_TEXT_SYNTAX)
    if can_precheck and not pattern.search(text.replace("\r\n", "\n")):
        return
    lines = text.removesuffix("\n").split("\n")
    matches: list[int] = []
    for index, line in enumerate(lines):
        if pattern.search(line.removesuffix("\r")):
            matches.append(index)
            if len(matches) == max_matches:
                break
    is_match = set(matches).__contains__
    nearby = {match + offset for match in matches for offset in range(-context, context + 1)}
    for index in sorted(index for index in nearby if 0 <= index < len(lines)):
        kind = "match" if is_match(index) else "context"
        yield _make_event(kind, path, index + 1, lines[index])


def _make_event(kind: str, path: str, line_number: int, line: str) -> object:
    data = {"path": {"text": path}, "lines": _encode_text(line), "line_number": line_number}
    return {"type": kind, "data": data}


def _encode_text(line: str) -> dict[str, str]:
    try:
        line.encode()
    except UnicodeEncodeError:
        return {"bytes": b64encode(line.encode("utf-8", "surrogateescape")).decode()}
    return {"text": line + "\n"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
