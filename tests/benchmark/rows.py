"""What a row is, and how it is measured: ours and the limit by turns, in the same noise."""

import gc
import os
import re
import statistics
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

Measure = Callable[[], float]
"""Runs once and says what it took, in the row's unit."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    """For the command line, such as `tell`."""
    what: str
    limit: str
    """What the bare thing is that ours is held against."""
    reach: float
    """The ratio that we want to stay under."""
    ours: Measure
    bare: Measure
    unit: str = "us"
    rounds: int = 7
    one_thread: bool = False
    """One thread does the work on both sides. They are kept on the same processor, a round on each:
    what shares its hardware with others may be slower than the next for minutes."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a row came to: medians over its rounds."""

    row: Row
    ours: float
    bare: float
    median: float
    """Of the rounds' own ratios."""
    low: float
    high: float

    @property
    def held(self) -> bool:
        """Whether the reach was kept."""
        return self.median <= self.row.reach


def measured(row: Row) -> Ratio:
    """Run both sides by turns; the first round only warms up."""
    pairs: list[tuple[float, float]] = []
    for turn in range(row.rounds + 1):
        gc.collect()
        with _one_processor(turn) if row.one_thread else nullcontext():
            pair = (row.ours(), row.bare())
        if turn:
            pairs.append(pair)
    ratios = [ours / bare for ours, bare in pairs]
    return Ratio(
        row=row,
        ours=statistics.median(ours for ours, _ in pairs),
        bare=statistics.median(bare for _, bare in pairs),
        median=statistics.median(ratios),
        low=min(ratios),
        high=max(ratios),
    )


@contextmanager
def _one_processor(turn: int) -> Generator[None]:
    """Stay on one of those that we may use, the next one each turn; where that can be said."""
    if sys.platform != "linux":
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(usable)[turn % len(usable)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


HEAD = ("what", "limit in the same run", "ratio", "spread", "reach", "ours", "limit")
SLOWER = 1.2
"""What grew by more than so much since the table was written is marked."""


def ratios_in(text: str) -> dict[tuple[str, str], float]:
    """Read the ratios of a table that was written before, by what they are of, and to what."""
    found: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        ratio = parts[2].split()[0] if len(parts) == len(HEAD) and parts[2] else ""
        if re.fullmatch(r"-?\d+\.\d\d", ratio):
            found[parts[0], parts[1]] = float(ratio)
    return found


def cells(ratio: Ratio, before: Mapping[tuple[str, str], float]) -> tuple[str, ...]:
    """Write one row of the table."""
    row = ratio.row
    mark = "" if ratio.held else " (!)"
    was = before.get((row.what, row.limit), ratio.median)
    if ratio.median > was * SLOWER:
        mark += f" (was {was:.2f})"
    return (
        row.what,
        row.limit,
        f"{ratio.median:.2f}{mark}",
        f"{ratio.low:.2f}-{ratio.high:.2f}",
        f"{row.reach:g}",
        f"{ratio.ours:,.4g} {row.unit}",
        f"{ratio.bare:,.4g} {row.unit}",
    )


def table(ratios: list[Ratio], before: Mapping[tuple[str, str], float]) -> str:
    """Write the table as Markdown; `before` are the ratios that it had."""
    lines = [HEAD, ("---",) * len(HEAD), *(cells(each, before) for each in ratios)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
