"""What a row is, and how it is measured: ours and the limit by turns, in the same noise."""

import gc
import os
import re
import statistics
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

Measurement = Callable[[], float]
"""Runs once and says what it took, in the row's unit."""


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One line of the table."""

    name: str
    """For the command line, such as `tell`."""
    description: str
    baseline_description: str
    """What the bare thing is that ours is held against."""
    max_ratio: float
    """The ratio that we want to stay under."""
    measure_ours: Measurement
    measure_baseline: Measurement
    unit: str = "us"
    rounds: int = 7
    is_single_threaded: bool = False
    """One thread does the work. It stays on one processor a round: neighbours may slow one of them
    down for minutes, and both sides are to have the same."""
    is_fixed_limit: bool = False
    """The limit is a figure for an idle machine, which shares no noise with ours: the quietest
    round counts, since noise only adds. What is slow itself is slow in every round."""


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """What a row came to: medians over its rounds."""

    row: BenchmarkRow
    ours: float
    baseline: float
    ratio: float
    """Of the rounds' own ratios the median; for a stated limit the lowest."""
    min_ratio: float
    max_ratio: float

    @property
    def is_within_limit(self) -> bool:
        """Whether the reach was kept."""
        return self.ratio <= self.row.max_ratio


def measure(row: BenchmarkRow) -> BenchmarkResult:
    """Run both sides by turns, each first every other time; the first round only warms up."""
    pairs: list[tuple[float, float]] = []
    for turn in range(row.rounds + 1):
        with _one_processor(turn) if row.is_single_threaded else nullcontext():
            pair = _pair(row, turn)
        if turn:
            pairs.append(pair)
    ratios = [ours / bare for ours, bare in pairs]
    middle = min if row.is_fixed_limit else statistics.median
    return BenchmarkResult(
        row=row,
        ours=middle([ours for ours, _ in pairs]),
        baseline=middle([bare for _, bare in pairs]),
        ratio=middle(ratios),
        min_ratio=min(ratios),
        max_ratio=max(ratios),
    )


def _pair(row: BenchmarkRow, turn: int) -> tuple[float, float]:
    if turn % 2:
        ours = _alone(row.measure_ours)
        return ours, _alone(row.measure_baseline)
    bare = _alone(row.measure_baseline)
    return _alone(row.measure_ours), bare


def _alone(side: Measurement) -> float:
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


TABLE_HEADER = ("what", "limit in the same run", "ratio", "spread", "reach", "ours", "limit")
REGRESSION_RATIO = 1.2
"""What grew by more than so much since the table was written is marked."""


def parse_ratios(text: str) -> dict[tuple[str, str], float]:
    """Read the ratios of a table that was written before, by what they are of, and to what."""
    found: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        ratio = parts[2].split()[0] if len(parts) == len(TABLE_HEADER) and parts[2] else ""
        if re.fullmatch(r"-?\d+\.\d\d", ratio):
            found[parts[0], parts[1]] = float(ratio)
    return found


def format_cells(
    ratio: BenchmarkResult, previous_ratios: Mapping[tuple[str, str], float]
) -> tuple[str, ...]:
    """Write one row of the table."""
    row = ratio.row
    mark = "" if ratio.is_within_limit else " (!)"
    was = previous_ratios.get((row.description, row.baseline_description))
    if was is None:
        mark += " (new)"
    elif ratio.ratio > was * REGRESSION_RATIO:
        mark += f" (was {was:.2f})"
    return (
        row.description,
        row.baseline_description,
        f"{ratio.ratio:.2f}{mark}",
        f"{ratio.min_ratio:.2f}-{ratio.max_ratio:.2f}",
        f"{row.max_ratio:g}",
        f"{ratio.ours:,.4g} {row.unit}",
        f"{ratio.baseline:,.4g} {row.unit}",
    )


def format_table(
    ratios: list[BenchmarkResult], previous_ratios: Mapping[tuple[str, str], float]
) -> str:
    """Write the table as Markdown; `before` are the ratios that it had."""
    lines = [
        TABLE_HEADER,
        ("---",) * len(TABLE_HEADER),
        *(format_cells(each, previous_ratios) for each in ratios),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
