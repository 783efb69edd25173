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
    """One thread does the work. It stays on one processor a round: neighbours may slow one of them
    down for minutes, and both sides are to have the same."""
    stated: bool = False
    """The limit is a figure for an idle machine, which shares no noise with ours: the quietest
    round counts, since noise only adds. What is slow itself is slow in every round."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a row came to: medians over its rounds."""

    row: Row
    ours: float
    bare: float
    ratio: float
    """Of the rounds' own ratios the median; for a stated limit the lowest."""
    low: float
    high: float

    @property
    def held(self) -> bool:
        """Whether the reach was kept."""
        return self.ratio <= self.row.reach


def measured(row: Row) -> Ratio:
    """Run both sides by turns, each first every other time; the first round only warms up."""
    pairs: list[tuple[float, float]] = []
    for turn in range(row.rounds + 1):
        with _one_processor(turn) if row.one_thread else nullcontext():
            pair = _pair(row, turn)
        if turn:
            pairs.append(pair)
    ratios = [ours / bare for ours, bare in pairs]
    middle = min if row.stated else statistics.median
    return Ratio(
        row=row,
        ours=middle([ours for ours, _ in pairs]),
        bare=middle([bare for _, bare in pairs]),
        ratio=middle(ratios),
        low=min(ratios),
        high=max(ratios),
    )


def _pair(row: Row, turn: int) -> tuple[float, float]:
    if turn % 2:
        ours = _alone(row.ours)
        return ours, _alone(row.bare)
    bare = _alone(row.bare)
    return _alone(row.ours), bare


def _alone(side: Measure) -> float:
    """Run a side without garbage of what ran before it, and leave the collector as it was."""
    gc.collect()
    thresholds = gc.get_threshold()
    try:
        return side()
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


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
    was = before.get((row.what, row.limit))
    if was is None:
        mark += " (new)"
    elif ratio.ratio > was * SLOWER:
        mark += f" (was {was:.2f})"
    return (
        row.what,
        row.limit,
        f"{ratio.ratio:.2f}{mark}",
        f"{ratio.low:.2f}-{ratio.high:.2f}",
        f"{row.reach:g}",
        f"{ratio.ours:,.4g} {row.unit}",
        f"{ratio.bare:,.4g} {row.unit}",
    )


def table(ratios: list[Ratio], before: Mapping[tuple[str, str], float]) -> str:
    """Write the table as Markdown; `before` are the ratios that it had."""
    lines = [HEAD, ("---",) * len(HEAD), *(cells(each, before) for each in ratios)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
