"""Runs the program as `greenroom` does, with every thread of it under a profiler.

What took longest goes into the file that `GREENROOM_BENCHMARK_PROFILE` names.
"""

import cProfile
import os
import pstats
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "GREENROOM_BENCHMARK_PROFILE"
MOST_LINES = 45


def main() -> None:
    """Run it, then write the profile, and leave as it does."""
    sys.path.insert(0, str(ROOT))
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        profiles.append(cProfile.Profile())
        profiles[-1].enable()

    threading.setprofile(begin)
    begin()
    from shell.loading import put_off_garbage  # noqa: PLC0415  (loading is part of the start)
    from shell.main import run  # noqa: PLC0415  (as above)
    from shell.process import leave, settle  # noqa: PLC0415  (as above)

    put_off_garbage()
    settle()
    status = run(sys.argv[1:])
    threading.setprofile(None)
    with Path(os.environ[NAME]).open("w") as file:
        pstats.Stats(*profiles, stream=file).sort_stats("cumulative").print_stats(MOST_LINES)
    leave(status)


if __name__ == "__main__":
    main()
