"""Searches files for a pattern where ripgrep is not at hand; run as a program of its own.

A regular expression can take for ever and holds the interpreter while it does, so it runs in a
process that can be ended. Arguments: `{"pattern", "ignore_case", "context", "most"}` as JSON, then
the files. Lines on standard output are as ripgrep's `--json` writes them; exit status 0: something
was found, 1: nothing, 2: the pattern is wrong (and standard error says how).
Source: https://docs.rs/grep-printer, `JSON`.
"""

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator

MAX_FILE_BYTES = 64 * 1024 * 1024
_WHOLE_TEXT = ("(?", "\\A", "\\Z")
"""With one of these a line can match although the text around it, taken whole, does not."""


def main(arguments: list[str]) -> int:
    """Search every file in turn."""
    asked, *files = arguments
    options = json.loads(asked)
    flags = re.MULTILINE | (re.IGNORECASE if options["ignore_case"] else 0)
    try:
        pattern = re.compile(options["pattern"], flags)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = False
    for path in files:
        for event in search_file(path, pattern, options["context"], options["most"]):
            sys.stdout.write(json.dumps(event) + "\n")
            found = True
    return 0 if found else 1


def search_file(
    path: str, pattern: "re.Pattern[str]", context: int, max_matches: int
) -> Iterator[object]:
    """Yield the matching lines of one file, at most `most`, and those around them."""
    with open(path, "rb") as file:  # noqa: PTH123  (`pathlib` would double the time to start)
        text = file.read(MAX_FILE_BYTES).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    whole = not any(each in pattern.pattern for each in _WHOLE_TEXT)
    if whole and not pattern.search(text.replace("\r\n", "\n")):
        return
    lines = text.removesuffix("\n").split("\n")
    matching: list[int] = []
    for number, line in enumerate(lines):
        if pattern.search(line.removesuffix("\r")):
            matching.append(number)
            if len(matching) == max_matches:
                break
    chosen = set(matching)
    around = {at + by for at in matching for by in range(-context, context + 1)}
    for number in sorted(at for at in around if 0 <= at < len(lines)):
        kind = "match" if number in chosen else "context"
        yield _event(kind, path, number + 1, lines[number])


def _event(kind: str, path: str, number: int, line: str) -> object:
    data = {"path": {"text": path}, "lines": _text(line), "line_number": number}
    return {"type": kind, "data": data}


def _text(line: str) -> dict[str, str]:
    try:
        line.encode()
    except UnicodeEncodeError:
        return {"bytes": b64encode(line.encode("utf-8", "surrogateescape")).decode()}
    return {"text": line + "\n"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
