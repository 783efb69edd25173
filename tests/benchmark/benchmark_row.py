"""One row of the table: Greenroom and its baseline, measured alternately."""

import gc
import os
import re
import statistics
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

Measurement = Callable[[], float]
"""Runs once and returns the result in the row's unit."""


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """What one row measures."""

    name: str
    """Name on the command line."""
    description: str
    baseline_description: str
    """What Greenroom is compared with."""
    target_ratio: float
    """Target for the ratio."""
    measure_ours: Measurement
    measure_baseline: Measurement
    unit: str = "us"
    rounds: int = 7
    is_single_threaded: bool = False
    """One thread does the work. Both sides then run on the same processor in each round, as other
    load may slow down one processor for minutes."""
    is_fixed_limit: bool = False
    """The baseline is a fixed figure for an idle machine. The best round is the result, because
    noise only adds time and slow code is slow in every round."""


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """Result of a row: medians over its rounds."""

    row: BenchmarkRow
    ours: float
    baseline: float
    ratio: float
    """Median of the rounds' ratios; for a fixed limit the lowest."""
    min_ratio: float
    max_ratio: float

    @property
    def is_within_target(self) -> bool:
        """True if the ratio does not exceed the target."""
        return self.ratio <= self.row.target_ratio


def measure(row: BenchmarkRow) -> BenchmarkResult:
    """Run both sides in alternating order; the first round only warms up."""
    pairs: list[tuple[float, float]] = []
    for number in range(row.rounds + 1):
        with _use_one_processor(number) if row.is_single_threaded else nullcontext():
            pair = _measure_pair(row, number)
        if number:
            pairs.append(pair)
    ratios = [ours / baseline for ours, baseline in pairs]
    combine = min if row.is_fixed_limit else statistics.median
    return BenchmarkResult(
        row=row,
        ours=combine([ours for ours, _ in pairs]),
        baseline=combine([baseline for _, baseline in pairs]),
        ratio=combine(ratios),
        min_ratio=min(ratios),
        max_ratio=max(ratios),
    )


def _measure_pair(row: BenchmarkRow, round_number: int) -> tuple[float, float]:
    if round_number % 2:
        ours = _run_isolated(row.measure_ours)
        return ours, _run_isolated(row.measure_baseline)
    baseline = _run_isolated(row.measure_baseline)
    return _run_isolated(row.measure_ours), baseline


def _run_isolated(run: Measurement) -> float:
    """Run one side without earlier garbage, and restore the garbage collector's settings."""
    gc.collect()
    thresholds = gc.get_threshold()
    try:
        return run()
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@contextmanager
def _use_one_processor(round_number: int) -> Generator[None]:
    """Bind this process to one processor, another one each round; only on Linux."""
    if sys.platform != "linux":
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(usable)[round_number % len(usable)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


TABLE_HEADER = ("what", "limit in the same run", "ratio", "spread", "target", "ours", "limit")
REGRESSION_RATIO = 1.2
"""A ratio that has grown by more than this since the last table is marked."""


def parse_ratios(text: str) -> dict[tuple[str, str], float]:
    """Return the ratios of the table in a README, by description and baseline."""
    ratios: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        ratio = parts[2].split()[0] if len(parts) == len(TABLE_HEADER) and parts[2] else ""
        if re.fullmatch(r"-?\d+\.\d\d", ratio):
            ratios[parts[0], parts[1]] = float(ratio)
    return ratios


def format_cells(
    result: BenchmarkResult, previous_ratios: Mapping[tuple[str, str], float]
) -> tuple[str, ...]:
    """Return the cells of one row."""
    row = result.row
    mark = "" if result.is_within_target else " (!)"
    previous = previous_ratios.get((row.description, row.baseline_description))
    if previous is None:
        mark += " (new)"
    elif result.ratio > previous * REGRESSION_RATIO:
        mark += f" (was {previous:.2f})"
    return (
        row.description,
        row.baseline_description,
        f"{result.ratio:.2f}{mark}",
        f"{result.min_ratio:.2f}-{result.max_ratio:.2f}",
        f"{row.target_ratio:g}",
        f"{result.ours:,.4g} {row.unit}",
        f"{result.baseline:,.4g} {row.unit}",
    )


def format_table(
    results: list[BenchmarkResult], previous_ratios: Mapping[tuple[str, str], float]
) -> str:
    """Return the table as Markdown, with marks for rows that have got worse."""
    lines = [
        TABLE_HEADER,
        ("---",) * len(TABLE_HEADER),
        *(format_cells(result, previous_ratios) for result in results),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
