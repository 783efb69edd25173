"""A definition's file taken apart: what its frontmatter says, and the prompt below it."""

import re
from dataclasses import dataclass
from typing import Any, cast

_FENCE = "---"
_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]*(.*)")


class FrontmatterError(Exception):
    """The file is no definition; the text says why, `line` where."""

    def __init__(self, why: str, line: int) -> None:
        """Lines count from 1."""
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The two parts of a file."""

    keys: dict[str, Any]
    key_lines: dict[str, int]
    """Where each key of the first level stands."""
    body: str


def parse_frontmatter(text: str) -> Frontmatter:
    """Split a file and read its frontmatter.

    Raises:
        FrontmatterError: there is none, or it cannot be understood.
    """
    first, *rest = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if first.rstrip() != _FENCE:
        message = "it does not begin with a line ---"
        raise FrontmatterError(message, 1)
    ends = [at for at, line in enumerate(rest) if line.rstrip() == _FENCE]
    if not ends:
        message = "no second line --- ends its frontmatter"
        raise FrontmatterError(message, 1)
    head, body = rest[: ends[0]], rest[ends[0] + 1 :]
    lines = {found[1]: at + 2 for at, line in enumerate(head) if (found := _LINE.match(line))}
    return Frontmatter(_keys(head), lines, "\n".join(body).strip())


def _keys(head: list[str]) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415  (10 ms, where there is a file)

    try:
        value: object = yaml.safe_load("\n".join(head))
    except yaml.YAMLError as error:
        plain = _plain(head)  # a colon in a description is no YAML, and common all the same
        if plain is None:
            mark = getattr(error, "problem_mark", None)
            why = str(getattr(error, "problem", None) or "it is no YAML")
            raise FrontmatterError(why, (mark.line if mark else 0) + 2) from None
        return plain
    except (RecursionError, ValueError) as error:
        message = f"it cannot be understood: {error}"
        raise FrontmatterError(message, 2) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        message = "its frontmatter is no list of keys"
        raise FrontmatterError(message, 2)
    return {str(key): each for key, each in cast("dict[object, Any]", value).items()}


def _plain(head: list[str]) -> dict[str, Any] | None:
    """Read `key: text` line by line; None: there is something else."""
    found = [_LINE.fullmatch(line) for line in head if line.strip()]
    if not all(found):
        return None
    return {each[1]: each[2].strip().strip("\"'") for each in found if each}
