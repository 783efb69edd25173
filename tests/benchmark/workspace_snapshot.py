"""Time to keep a workspace of 10,000 files, with and without changes."""

import functools
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from actors.snapshots.snapshot_store import SnapshotStore
from tests.benchmark.benchmark_row import BenchmarkRow

FILE_COUNT, FILES_PER_FOLDER = 10_000, 50
UNCHANGED_LIMIT_MS, MAX_RATIO = 60.0, 1.5


def first_snapshot_ms() -> float:
    """Return the milliseconds of a session's first snapshot, which reads every file."""
    store = _make_store(f"s{time.monotonic_ns()}")
    return _measure_ms(lambda: store.take("x"))


def add_all_ms() -> float:
    """Return the milliseconds of `git add -A` with a new index."""
    index = _get_folder() / f"index-{time.monotonic_ns()}"
    return _measure_ms(lambda: _run_git("add", "-A", GIT_INDEX_FILE=str(index)))


def unchanged_snapshot_ms() -> float:
    """Return the milliseconds of a snapshot of files that have not changed."""
    store = _make_store("unchanged")
    first = store.take("x").commit
    duration_ms = _measure_ms(lambda: store.take("x"))
    if store.take("x").commit != first:
        raise RuntimeError(first)
    return duration_ms


def _measure_ms(work: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    work()
    return (time.perf_counter() - started_s) * 1e3


def _make_store(session_id: str) -> SnapshotStore:
    folder = _get_folder()
    clock = time.time  # noqa: TID251  (its times are compared with those of files)
    return SnapshotStore(folder / "work", folder / "snapshots", session_id, clock)


@functools.cache
def _get_folder() -> Path:
    """Return a folder with a repository in which every file is committed."""
    folder = Path(tempfile.mkdtemp())
    for number in range(FILE_COUNT):
        path = folder / "work" / f"folder{number // FILES_PER_FOLDER}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 100)
    _run_git("init", "-q", folder=folder)
    _run_git("add", "-A", folder=folder)
    _run_git(
        "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x", folder=folder
    )
    return folder


def _run_git(*words: str, folder: Path | None = None, **variables: str) -> None:
    root = (folder or _get_folder()) / "work"
    subprocess.run(["git", *words], cwd=root, env={**os.environ, **variables}, check=True)


ROWS = (
    BenchmarkRow(
        "first-snapshot",
        f"first snapshot of {FILE_COUNT:,} files",
        "`git add -A` with a new index",
        MAX_RATIO,
        first_snapshot_ms,
        add_all_ms,
        unit="ms",
    ),
    BenchmarkRow(
        "unchanged-snapshot",
        f"snapshot of {FILE_COUNT:,} unchanged files",
        f"{UNCHANGED_LIMIT_MS:g} ms, fixed",
        1,
        unchanged_snapshot_ms,
        lambda: UNCHANGED_LIMIT_MS,
        unit="ms",
        is_fixed_limit=True,
    ),
)
