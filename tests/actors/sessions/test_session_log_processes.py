"""Session files across processes: a full disk, and a killed lock holder."""

import subprocess
import sys
from pathlib import Path

import pytest

from actors.sessions.errors import LogLockedError
from actors.sessions.log_reader import read_log
from actors.sessions.session_log import SessionLog
from tests.actors.sessions.sample_records import create_log, fixed_clock
from tests.faults.faulty_file_system import FaultyFileSystem

ROOT = Path(__file__).parents[3]
FILL_DISK_SCRIPT = """
import resource, signal, sys
from pathlib import Path
from actors.sessions.errors import LogError
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
from tests.actors.sessions.sample_records import fixed_clock, make_turn_started

log, _ = SessionLog.open(Path(sys.argv[1]), fixed_clock)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    log.append([(make_turn_started(1), PRIMARY), (make_turn_started(2), PRIMARY)])
except LogError as error:
    print(error.detail)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append([(make_turn_started(3), PRIMARY)])
"""
OPEN_SCRIPT = """
import os, sys
from pathlib import Path
from actors.sessions.session_log import SessionLog
from messages.address import ROOT
from messages.journal import SessionOpened
from tests.actors.sessions.sample_records import fixed_clock

log, _ = SessionLog.open(Path(sys.argv[1]), fixed_clock)
log.append([(SessionOpened(run=2, pid=os.getpid(), version="0"), ROOT)])
"""
HOLD_LOCK_SCRIPT = f"""{OPEN_SCRIPT}
print("locked", flush=True)
sys.stdin.read()
"""
LEAVE_LOCK_TO_CHILD_SCRIPT = f"""{OPEN_SCRIPT}
if os.fork() == 0:
    print("locked", flush=True)
    sys.stdin.read()
os._exit(0)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "20260131-235959-ab12.jsonl"
    create_log(path).close()
    return path


@pytest.mark.parametrize(
    ("free_bytes", "reason"), [(100, "only 100 of"), (0, "File too large")], ids=["some", "none"]
)
def test_a_full_disk_loses_only_the_current_group(path: Path, free_bytes: int, reason: str) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FILL_DISK_SCRIPT, str(path), str(free_bytes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert reason in child.stdout
    assert [line.seq for line in read_log(path).lines] == [1, 2, 3]


def test_a_killed_process_leaves_no_lock_behind(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK_SCRIPT, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        with pytest.raises(LogLockedError, match=f"open in process {child.pid}"):
            SessionLog.open(path, fixed_clock)
        child.kill()
        child.wait(timeout=10)
    log, contents = SessionLog.open(path, fixed_clock)
    log.close()
    assert len(contents.lines) == 3


def test_a_lock_inherited_by_a_forked_child_is_awaited(path: Path) -> None:
    """Between fork and exec, a child of the lock holder has all its descriptors."""
    with subprocess.Popen(
        [sys.executable, "-c", LEAVE_LOCK_TO_CHILD_SCRIPT, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "locked\n"
        child.wait(timeout=10)
        files = FaultyFileSystem()

        def release_lock(call: str) -> None:
            if call == "lock" and files.calls.count("lock") == 2:
                assert child.stdin is not None
                child.stdin.close()

        files.before_call = release_lock
        log, contents = SessionLog.open(path, fixed_clock, files)
        log.close()
    assert len(contents.lines) == 3
