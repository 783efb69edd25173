"""Splits an agent definition file into frontmatter and prompt."""

import re
from dataclasses import dataclass
from typing import Any, cast

_FENCE = "---"
_KEY_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]*(.*)")


class FrontmatterError(Exception):
    """The frontmatter is missing or invalid; the text says why."""

    def __init__(self, reason: str, line: int) -> None:
        """Lines are numbered from 1."""
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The two parts of a definition file."""

    keys: dict[str, Any]
    key_lines: dict[str, int]
    """Line of each top-level key, from 1."""
    body: str


def parse_frontmatter(text: str) -> Frontmatter:
    """Split a file and parse its frontmatter.

    Raises:
        FrontmatterError: there is none, or it cannot be parsed.
    """
    first, *rest = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if first.rstrip() != _FENCE:
        message = "the file does not start with a line ---"
        raise FrontmatterError(message, 1)
    ends = [index for index, line in enumerate(rest) if line.rstrip() == _FENCE]
    if not ends:
        message = "the frontmatter does not end with a line ---"
        raise FrontmatterError(message, 1)
    head, body = rest[: ends[0]], rest[ends[0] + 1 :]
    lines = {
        match[1]: index + 2 for index, line in enumerate(head) if (match := _KEY_LINE.match(line))
    }
    return Frontmatter(_parse_keys(head), lines, "\n".join(body).strip())


def _parse_keys(head: list[str]) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415  (takes 10 ms; only if there is a file)

    try:
        document: object = yaml.safe_load("\n".join(head))
    except yaml.YAMLError as error:
        # A description with a colon is invalid YAML but common.
        keys = _parse_plain_lines(head)
        if keys is None:
            mark = getattr(error, "problem_mark", None)
            reason = str(getattr(error, "problem", None) or "invalid YAML")
            raise FrontmatterError(reason, (mark.line if mark else 0) + 2) from None
        return keys
    except (RecursionError, ValueError) as error:
        message = f"invalid YAML: {error}"
        raise FrontmatterError(message, 2) from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        message = "the frontmatter must be a mapping of keys to values"
        raise FrontmatterError(message, 2)
    return {str(key): value for key, value in cast("dict[object, Any]", document).items()}


def _parse_plain_lines(head: list[str]) -> dict[str, Any] | None:
    """Parse `key: text` line by line; None if any line has another form."""
    matches = [_KEY_LINE.fullmatch(line) for line in head if line.strip()]
    if not all(matches):
        return None
    return {match[1]: match[2].strip().strip("\"'") for match in matches if match}
