"""`python -m tests.benchmark [ROW …] [--profile] [--write]`."""

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
from pathlib import Path

from tests.benchmark import decisions, journal, programs, screen, subagents, substrate, trees
from tests.benchmark.profiled import MOST_LINES, NAME
from tests.benchmark.rows import Ratio, Row, measured, ratios_in, table

ROWS: tuple[Row, ...] = (
    *programs.ROWS,
    *substrate.ROWS,
    *trees.ROWS,
    *subagents.ROWS,
    *journal.ROWS,
    *decisions.ROWS,
    *screen.ROWS,
)
README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- benchmark -->\n", "<!-- /benchmark -->"


def main(words: list[str]) -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument("row", nargs="*", choices=[*(row.name for row in ROWS), []])
    parser.add_argument("--profile", action="store_true", help="one run of each row, profiled")
    parser.add_argument("--write", action="store_true", help="put the table into the README")
    asked = parser.parse_args(words)
    rows = [row for row in ROWS if not asked.row or row.name in asked.row]
    if asked.profile:
        for row in rows:
            profiled(row)
        return 0
    if asked.write and asked.row:
        parser.error("--write takes the whole table")
    readme = README.read_text()
    lines = table([told(row) for row in rows], ratios_in(readme))
    sys.stdout.write(lines + "\n")
    if asked.write:
        README.write_text(written(readme, lines))
    return 0


def told(row: Row) -> Ratio:
    """Measure one row, and say so: some take a while."""
    sys.stderr.write(f"{row.what} …\n")
    return measured(row)


def profiled(row: Row) -> None:
    """Run our side once under the profiler; where that is a program, the program."""
    row.ours()
    with tempfile.NamedTemporaryFile() as told:
        os.environ[NAME] = told.name
        profile = cProfile.Profile()
        profile.runcall(row.ours)
        of_program = Path(told.name).read_text()
    if of_program:
        sys.stdout.write(of_program)
    else:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(MOST_LINES)


def written(readme: str, rows: str) -> str:
    """Put the table between its marks."""
    before, _, rest = readme.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        message = f"the README has no {BEGIN.strip()} … {END}"
        raise SystemExit(message)
    return f"{before}{BEGIN}\n{rows}\n\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
