"""The parts of the environment's description, and their bounds. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

MAX_LINE_CHARS = 200
MAX_LISTED_NAMES = 100
MAX_SECTION_CHARS = 4_000

EnvironmentScope = Literal["none", "host", "all", "changes"]
"""What to describe. host: date, platform and working directory · all: git and the top-level listing
too · changes: what differs from the last description."""


@dataclass(frozen=True, slots=True)
class KnownEnvironment:
    """What the model was told last and may change between turns."""

    date: str
    branch: str
    """As `git status` shows it; empty: not read."""
    model: str


@dataclass(frozen=True, slots=True)
class Environment:
    """A description of the environment."""

    text: str
    """Lines for the model; empty: nothing has changed."""
    known: KnownEnvironment


def format_environment(text: str, listing: str = "") -> str:
    """Return the block for the model, with the listing of the working directory."""
    if listing:
        rows = "\n".join(bound_lines(listing.split("\n"), MAX_LISTED_NAMES))
        text = f"{text}\nTop-level listing of the working directory:\n{rows}"
    return f"<env>\n{text}\n</env>" if text else ""


def bound_lines(lines: Iterable[str], max_lines: int) -> list[str]:
    """Return the first lines, each and all together bounded, and the number of the others."""
    all_lines = list(lines)
    kept: list[str] = []
    left_chars = MAX_SECTION_CHARS
    for line in map(cut_line, all_lines[:max_lines]):
        left_chars -= len(line) + 1
        if left_chars < 0:
            break
        kept.append(line)
    omitted = len(all_lines) - len(kept)
    return [*kept, f"… and {omitted:,} more"] if omitted else kept


def cut_line(line: str) -> str:
    """Return a line, cut if it is very long."""
    return line if len(line) <= MAX_LINE_CHARS else f"{line[:MAX_LINE_CHARS]}…"
