"""Measure Greenroom against its baselines and print a table."""

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
    attached_folder,
    compaction_splice,
    many_subagents,
    permission_decisions,
    screen_latency,
    session_journal,
    whole_program,
    work_beside_turns,
    workspace_snapshot,
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
    *attached_folder.ROWS,
    *workspace_snapshot.ROWS,
    *compaction_splice.ROWS,
    *work_beside_turns.ROWS,
    *screen_latency.ROWS,
)
README = Path(__file__).with_name("README.md")
TABLE_BEGIN, TABLE_END = "<!-- benchmark -->\n", "<!-- /benchmark -->"


def main(words: list[str]) -> int:
    """Measure or profile the rows that the arguments name."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark",
        description=__doc__,
        epilog=f"rows: {' '.join(row.name for row in ROWS)}",
    )
    parser.add_argument("row", nargs="*", metavar="ROW", help="a row's name (default: all rows)")
    parser.add_argument("--profile", action="store_true", help="profile one run of each row")
    parser.add_argument(
        "--write", action="store_true", help="update the table in tests/benchmark/README.md"
    )
    options = parser.parse_args(words)
    unknown = [name for name in options.row if name not in {row.name for row in ROWS}]
    if unknown:
        names = " ".join(row.name for row in ROWS)
        parser.error(f"unknown row: {unknown[0]}. Choose from: {names}")
    rows = [row for row in ROWS if not options.row or row.name in options.row]
    if options.write and (options.row or options.profile):
        parser.error("--write needs all rows: leave out ROW and --profile")
    if options.profile:
        for row in rows:
            profile_row(row)
        return 0
    readme = README.read_text()
    table = format_table([measure_with_progress(row) for row in rows], parse_ratios(readme))
    sys.stdout.write(table + "\n")
    if options.write:
        README.write_text(replace_table(readme, f"{describe_machine()}\n\n{table}"))
    return 0


def describe_machine() -> str:
    """Return a sentence about the Python and the machine of this run."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"Measured with {python} on {platform.system()}, {os.cpu_count()} processors."


def measure_with_progress(row: BenchmarkRow) -> BenchmarkResult:
    """Measure one row and print its name first, as some take minutes."""
    sys.stderr.write(f"{row.name}: {row.description} …\n")
    return measure(row)


def profile_row(row: BenchmarkRow) -> None:
    """Run our side of a row under the profiler; if it starts a program, profile the program."""
    row.measure_ours()
    with tempfile.NamedTemporaryFile() as profile_file:
        os.environ[PROFILE_VARIABLE] = profile_file.name
        try:
            with profile_all_threads() as profiles:
                row.measure_ours()
        finally:
            del os.environ[PROFILE_VARIABLE]
        program_profile = Path(profile_file.name).read_text()
    if program_profile:
        sys.stdout.write(program_profile)
    else:
        pstats.Stats(*profiles).sort_stats("tottime").print_stats(MAX_PROFILE_LINES)


def replace_table(readme: str, table: str) -> str:
    """Return the README with a new table between its markers."""
    before, _, rest = readme.partition(TABLE_BEGIN)
    _, marker, after = rest.partition(TABLE_END)
    if not marker:
        message = f"{README} has no markers {TABLE_BEGIN.strip()} … {TABLE_END}"
        raise SystemExit(message)
    return f"{before}{TABLE_BEGIN}\n{table}\n\n{TABLE_END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
