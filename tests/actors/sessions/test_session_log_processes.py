"""Session files across processes: a disk that fills up, and a holder that is killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from actors.sessions.log_reader import read_log
from actors.sessions.session_log import LogLockedError, SessionLog
from tests.actors.sessions.sample_records import create_log, fixed_clock
from tests.faults.faulty_file_system import FaultyFileSystem

ROOT = Path(__file__).parents[3]
FILL_DISK_SCRIPT = """
import resource, signal, sys
from pathlib import Path
from actors.sessions.session_log import LogError, SessionLog
from messages.address import PRIMARY
from tests.actors.sessions.sample_records import clock, turn

log, _ = SessionLog.open(Path(sys.argv[1]), clock)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    log.append([(turn(1), PRIMARY), (turn(2), PRIMARY)])
except LogError as error:
    print(error.detail)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append([(turn(3), PRIMARY)])
"""
HOLD_LOCK_SCRIPT = """
import os, sys
from pathlib import Path
from actors.sessions.session_log import SessionLog
from messages.address import ROOT
from messages.journal import SessionOpened
from tests.actors.sessions.sample_records import clock

log, _ = SessionLog.open(Path(sys.argv[1]), clock)
log.append([(SessionOpened(run=2, pid=os.getpid(), version="0"), ROOT)])
print("held", flush=True)
sys.stdin.read()
"""

LEAVE_LOCK_TO_CHILD_SCRIPT = """
import os, sys
from pathlib import Path
from actors.sessions.session_log import SessionLog
from messages.address import ROOT
from messages.journal import SessionOpened
from tests.actors.sessions.sample_records import clock

log, _ = SessionLog.open(Path(sys.argv[1]), clock)
log.append([(SessionOpened(run=2, pid=os.getpid(), version="0"), ROOT)])
if os.fork() == 0:
    print("held", flush=True)
    sys.stdin.read()
os._exit(0)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "20260131-235959-ab12.jsonl"
    create_log(path).close()
    return path


@pytest.mark.parametrize(
    ("room_bytes", "why"), [(100, "only 100 of"), (0, "File too large")], ids=["some", "none"]
)
def test_a_full_disk_costs_the_group_at_hand_and_nothing_else(
    path: Path, room_bytes: int, why: str
) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FILL_DISK_SCRIPT, str(path), str(room_bytes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert why in child.stdout
    assert [line.seq for line in read_log(path).lines] == [1, 2, 3]


def test_a_killed_holder_is_named_while_it_lives_and_leaves_no_lock(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK_SCRIPT, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(LogLockedError) as locked:
            SessionLog.open(path, fixed_clock)
        assert locked.value.pid == child.pid
        child.kill()
        child.wait(timeout=10)
    log, contents = SessionLog.open(path, fixed_clock)
    log.close()
    assert len(contents.lines) == 3


def test_a_lock_that_a_killed_holder_left_to_what_it_started_is_waited_for(path: Path) -> None:
    """Between fork and exec a child of the holder has all its descriptors."""
    with subprocess.Popen(
        [sys.executable, "-c", LEAVE_LOCK_TO_CHILD_SCRIPT, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "held\n"
        child.wait(timeout=10)
        files = FaultyFileSystem()

        def let_go(call: str) -> None:
            if call == "lock" and files.calls.count("lock") == 2:
                assert child.stdin is not None
                child.stdin.close()

        files.before_call = let_go
        log, contents = SessionLog.open(path, fixed_clock, files)
        log.close()
    assert len(contents.lines) == 3
