"""Run the program as `greenroom` does, with a profiler on every thread.

The profile is appended to the file that `GREENROOM_BENCHMARK_PROFILE` names.
"""

import cProfile
import os
import pstats
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROFILE_VARIABLE = "GREENROOM_BENCHMARK_PROFILE"
MAX_PROFILE_LINES = 45


@contextmanager
def profile_all_threads() -> Generator[list[cProfile.Profile]]:
    """Profile this thread and all threads that start in the meantime, one profile each."""
    profiles: list[cProfile.Profile] = []

    def start_profile(*_: object) -> None:
        profiles.append(cProfile.Profile())
        profiles[-1].enable()

    threading.setprofile(start_profile)
    start_profile()
    try:
        yield profiles
    finally:
        threading.setprofile(None)
        profiles[0].disable()


def main() -> None:
    """Run the program, write the profile, and exit with the program's status."""
    sys.path.insert(0, str(ROOT))
    with profile_all_threads() as profiles:
        status = run_greenroom()
    with Path(os.environ[PROFILE_VARIABLE]).open("a") as file:  # a row may run the program twice
        pstats.Stats(*profiles, stream=file).sort_stats("cumulative").print_stats(MAX_PROFILE_LINES)
    from shell.process.streams import exit_process  # noqa: PLC0415  (loading is part of the start)

    exit_process(status)


def run_greenroom() -> int:
    """Run the program up to its exit status."""
    from shell.main import run  # noqa: PLC0415  (loading is part of the start)
    from shell.process.deferred_imports import disable_gc  # noqa: PLC0415  (loading is part of the start)
    from shell.process.streams import fix_home, fix_streams  # noqa: PLC0415  (as above)

    disable_gc()
    fix_home()
    fix_streams()
    return run(sys.argv[1:])


if __name__ == "__main__":
    main()
