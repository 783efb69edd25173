"""`python -m tests.benchmark [ROW …] [--profile] [--write]`."""

import argparse
import os
import platform
import pstats
import sys
import tempfile
from pathlib import Path

from tests.benchmark import (
    actor_runtime,
    actor_tree_shutdown,
    many_subagents,
    permission_decisions,
    screen_latency,
    session_journal,
    whole_program,
)
from tests.benchmark.benchmark_row import (
    BenchmarkResult,
    BenchmarkRow,
    format_table,
    measure,
    parse_ratios,
)
from tests.benchmark.program_profiler import (
    MAX_PROFILE_LINES,
    PROFILE_VARIABLE,
    profile_all_threads,
)

ROWS: tuple[BenchmarkRow, ...] = (
    *whole_program.ROWS,
    *actor_runtime.ROWS,
    *actor_tree_shutdown.ROWS,
    *many_subagents.ROWS,
    *session_journal.ROWS,
    *permission_decisions.ROWS,
    *screen_latency.ROWS,
)
README = Path(__file__).with_name("README.md")
TABLE_BEGIN, TABLE_END = "<!-- benchmark -->\n", "<!-- /benchmark -->"


def main(words: list[str]) -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument("row", nargs="*", metavar="ROW", help="its name; without any, all")
    parser.add_argument("--profile", action="store_true", help="one run of each row, profiled")
    parser.add_argument(
        "--write", action="store_true", help="update the table in tests/benchmark/README.md"
    )
    asked = parser.parse_args(words)
    unknown = [name for name in asked.row if name not in {row.name for row in ROWS}]
    if unknown:
        names = " ".join(row.name for row in ROWS)
        parser.error(f"there is no row {unknown[0]}; there are: {names}")
    rows = [row for row in ROWS if not asked.row or row.name in asked.row]
    if asked.write and (asked.row or asked.profile):
        parser.error("--write takes the whole table")
    if asked.profile:
        for row in rows:
            profile_row(row)
        return 0
    readme = README.read_text()
    lines = format_table([measure_with_progress(row) for row in rows], parse_ratios(readme))
    sys.stdout.write(lines + "\n")
    if asked.write:
        README.write_text(replace_table(readme, f"{describe_machine()}\n\n{lines}"))
    return 0


def describe_machine() -> str:
    """Say what the figures are of."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"Taken with {python} on {platform.system()}, {os.cpu_count()} processors."


def measure_with_progress(row: BenchmarkRow) -> BenchmarkResult:
    """Measure one row, and say so: some take a while."""
    sys.stderr.write(f"{row.description} …\n")
    return measure(row)


def profile_row(row: BenchmarkRow) -> None:
    """Run our side once under the profiler; where that is a program, the program."""
    row.measure_ours()
    with tempfile.NamedTemporaryFile() as told:
        os.environ[PROFILE_VARIABLE] = told.name
        try:
            with profile_all_threads() as profiles:
                row.measure_ours()
        finally:
            del os.environ[PROFILE_VARIABLE]
        of_program = Path(told.name).read_text()
    if of_program:
        sys.stdout.write(of_program)
    else:
        pstats.Stats(*profiles).sort_stats("tottime").print_stats(MAX_PROFILE_LINES)


def replace_table(readme: str, table: str) -> str:
    """Put the table, and what it is of, between its marks."""
    before, _, rest = readme.partition(TABLE_BEGIN)
    _, mark, after = rest.partition(TABLE_END)
    if not mark:
        message = f"{README} has no {TABLE_BEGIN.strip()} … {TABLE_END}"
        raise SystemExit(message)
    return f"{before}{TABLE_BEGIN}\n{table}\n\n{TABLE_END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
