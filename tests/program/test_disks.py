"""The program on a disk that is full, read-only or gone: a clear line, nothing unrecorded done."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from errno import ENOSPC, EROFS
from pathlib import Path

import pytest

from actors.sessions.log import LogError, SessionLog
from actors.sessions.reading import read_log
from tests.actors.sessions.writing import clock
from tests.program.program import YOLO, Program, messages_of, one_complaint, results_in
from tests.scripted_server import calls, says

FULL_BYTES = 64 * 1024


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True, timeout=10)


@pytest.fixture
def small(program: Program) -> Iterator[Path]:
    """The state folder on a disk of its own, of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    program.home.mkdir(mode=0o700)
    try:
        mount("-t", "tmpfs", "-o", f"size={FULL_BYTES},mode=700", "tmpfs", str(program.home))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine lets nobody mount a disk: {error}")
    yield program.home
    subprocess.run(["umount", "-l", str(program.home)], check=True, timeout=10)


def fill(folder: Path) -> Path:
    """Take all room, and see that a write fails."""
    ballast = folder / "ballast"
    descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError) as full:  # noqa: PT011, PT012  (its number counts, and when)
        while True:
            os.write(descriptor, b"x" * 4096)
    os.close(descriptor)
    assert full.value.errno == ENOSPC
    return ballast


def assert_read_only(folder: Path) -> None:
    """As root a mode is no obstacle: see that a write fails."""
    with pytest.raises(OSError) as refused:  # noqa: PT011  (as above)
        (folder / "probe").write_text("")
    assert refused.value.errno == EROFS


def test_on_a_full_disk_no_session_begins_and_no_call_is_made(
    program: Program, small: Path
) -> None:
    ballast = fill(small)
    with program.serve(says("One.")) as server:
        refused = program.run("-p", "Speak.")
        assert server.asked == []
        ballast.unlink()
        served = program.run("-p", "Speak.")
    assert refused.status == 1
    assert "No space left" in one_complaint(refused)
    assert (served.status, served.out) == (0, b"One.\n")


def test_a_call_whose_intent_does_not_fit_on_the_disk_is_not_run(
    program: Program, small: Path
) -> None:
    """The model's long reply fills the last room but a little; the call's start does not fit."""
    with program.serve(says("One."), says("Two.")):
        program.run("-p", "First.")
    ballast = fill(small)
    os.truncate(ballast, ballast.stat().st_size - 4096)
    effect = calls("bash", command="touch ran; : " + "x" * 9000)
    with program.serve(effect, says("Done.")) as server:
        full = program.run("-p", "Change it.", *YOLO, "--continue")
        assert (full.status, full.out) == (1, b"Done.\n")
        told, refused, unsaved = full.err.splitlines()
        assert "cannot be written" in told
        assert "Not run" in refused
        assert "is not in the session" in unsaved
        assert not (program.repository / "ran").exists()
        assert "Not run" in str(results_in(messages_of(server)[-1]))
    assert all(line.seq for line in read_log(program.session).lines)

    ballast.unlink()
    with program.serve(says("Going on."), says("Well again.")) as server:
        again = program.run("-p", "And now?", *YOLO, "--continue")
        messages_of(server)
    assert again.status == 0
    assert again.out == b"Well again.\n"


def test_a_log_on_a_full_disk_goes_on_when_there_is_room(program: Program, small: Path) -> None:
    with program.serve(says("One.")):
        program.run("-p", "First.")
    ballast = fill(small)
    shutil.copy(program.session, program.folder / "before")
    log, contents = SessionLog.open(program.session, clock)
    long = [(contents.records[2], contents.lines[2].by)] * 300
    with pytest.raises(LogError, match=r"No space left|bytes went in"):
        log.append(long)
    assert program.session.read_bytes() == (program.folder / "before").read_bytes()
    ballast.unlink()
    log.append(long)
    log.close()
    assert len(read_log(program.session).lines) == len(contents.lines) + len(long)


def test_on_a_read_only_disk_the_program_says_so_and_changes_nothing(
    program: Program, small: Path
) -> None:
    with program.serve(says("One."), calls("bash", command="touch ran"), says("Two.")) as server:
        program.run("-p", "First.")
        mount("-o", "remount,ro", str(small))
        assert_read_only(small)
        resumed = program.run("-p", "Second.", *YOLO, "--continue")
        begun = program.run("-p", "Second.", *YOLO)
        assert len(server.asked) == 1
        mount("-o", "remount,rw", str(small))
        served = program.run("-p", "Second.", *YOLO, "--continue")
    for refused in (resumed, begun):
        assert refused.status == 1
        assert "Read-only file system" in one_complaint(refused)
    assert (served.status, served.out) == (0, b"Two.\n")
    assert (program.repository / "ran").exists()


def test_of_a_session_file_that_is_taken_away_at_work_is_told_and_nothing_more_is_run(
    program: Program,
) -> None:
    held = program.repository / "held"
    os.mkfifo(held)
    waits = calls("bash", command="cat held")
    with program.serve(waits, calls("bash", command="touch ran"), says("Done.")) as server:
        running = program.start("-p", "Wait.", *YOLO)
        with held.open("w"):  # which is open once the command is
            program.session.unlink()
        done = running.ended()
        assert "Not run" in str(results_in(messages_of(server)[-1]))
    assert (done.status, done.out) == (1, b"Done.\n")
    assert "the file is gone" in done.err
    assert not (program.repository / "ran").exists()
