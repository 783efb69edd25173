"""The program on a disk that is full, read-only or gone: a clear line, nothing unrecorded done."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from errno import ENOSPC, EROFS
from pathlib import Path

import pytest

from actors.sessions.log_reader import read_log
from actors.sessions.session_log import LogError, SessionLog
from tests.actors.sessions.sample_records import fixed_clock
from tests.program.program_harness import (
    YOLO,
    Program,
    request_messages,
    single_error,
    tool_results,
)
from tests.scripted_server import respond_text, respond_tool_call

DISK_BYTES = 64 * 1024


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True, timeout=10)


@pytest.fixture
def small_disk(program: Program) -> Iterator[Path]:
    """The state folder on a disk of its own, of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    program.state_folder.mkdir(mode=0o700)
    try:
        mount(
            "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(program.state_folder)
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine lets nobody mount a disk: {error}")
    yield program.state_folder
    subprocess.run(["umount", "-l", str(program.state_folder)], check=True, timeout=10)


def fill_disk(folder: Path) -> Path:
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
    program: Program, small_disk: Path
) -> None:
    ballast = fill_disk(small_disk)
    with program.serve(respond_text("One.")) as server:
        refused = program.run("-p", "Speak.")
        assert server.requests == []
        ballast.unlink()
        served = program.run("-p", "Speak.")
    assert refused.exit_status == 1
    assert "No space left" in single_error(refused)
    assert (served.exit_status, served.stdout) == (0, b"One.\n")


def test_a_call_whose_intent_does_not_fit_on_the_disk_is_not_run(
    program: Program, small_disk: Path
) -> None:
    """The model's long reply fills the last room but a little; the call's start does not fit."""
    with program.serve(respond_text("One."), respond_text("Two.")):
        program.run("-p", "First.")
    ballast = fill_disk(small_disk)
    os.truncate(ballast, ballast.stat().st_size - 4096)
    effect = respond_tool_call("bash", command="touch ran; : " + "x" * 9000)
    with program.serve(effect, respond_text("Done.")) as server:
        full = program.run("-p", "Change it.", *YOLO, "--continue")
        assert (full.exit_status, full.stdout) == (1, b"Done.\n")
        told, refused, unsaved = full.stderr.splitlines()
        assert "cannot be written" in told
        assert "Not run" in refused
        assert "is not in the session" in unsaved
        assert not (program.repository / "ran").exists()
        assert "Not run" in str(tool_results(request_messages(server)[-1]))
    assert all(line.seq for line in read_log(program.session_file).lines)

    ballast.unlink()
    with program.serve(respond_text("Going on."), respond_text("Well again.")) as server:
        again = program.run("-p", "And now?", *YOLO, "--continue")
        request_messages(server)
    assert again.exit_status == 0
    assert again.stdout == b"Well again.\n"


def test_a_log_on_a_full_disk_goes_on_when_there_is_room(
    program: Program, small_disk: Path
) -> None:
    with program.serve(respond_text("One.")):
        program.run("-p", "First.")
    ballast = fill_disk(small_disk)
    shutil.copy(program.session_file, program.folder / "before")
    log, contents = SessionLog.open(program.session_file, fixed_clock)
    long = [(contents.records[2], contents.lines[2].recorded_by)] * 300
    with pytest.raises(LogError, match=r"No space left|bytes were written"):
        log.append(long)
    assert program.session_file.read_bytes() == (program.folder / "before").read_bytes()
    ballast.unlink()
    log.append(long)
    log.close()
    assert len(read_log(program.session_file).lines) == len(contents.lines) + len(long)


def test_on_a_read_only_disk_the_program_says_so_and_changes_nothing(
    program: Program, small_disk: Path
) -> None:
    with program.serve(
        respond_text("One."), respond_tool_call("bash", command="touch ran"), respond_text("Two.")
    ) as server:
        program.run("-p", "First.")
        mount("-o", "remount,ro", str(small_disk))
        assert_read_only(small_disk)
        resumed = program.run("-p", "Second.", *YOLO, "--continue")
        begun = program.run("-p", "Second.", *YOLO)
        assert len(server.requests) == 1
        mount("-o", "remount,rw", str(small_disk))
        served = program.run("-p", "Second.", *YOLO, "--continue")
    for refused in (resumed, begun):
        assert refused.exit_status == 1
        assert "Read-only file system" in single_error(refused)
    assert (served.exit_status, served.stdout) == (0, b"Two.\n")
    assert (program.repository / "ran").exists()


def test_of_a_session_file_that_is_taken_away_at_work_is_told_and_nothing_more_is_run(
    program: Program,
) -> None:
    held = program.repository / "held"
    os.mkfifo(held)
    waits = respond_tool_call("bash", command="cat held")
    with program.serve(
        waits, respond_tool_call("bash", command="touch ran"), respond_text("Done.")
    ) as server:
        running = program.start("-p", "Wait.", *YOLO)
        with held.open("w"):  # which is open once the command is
            program.session_file.unlink()
        done = running.wait()
        assert "Not run" in str(tool_results(request_messages(server)[-1]))
    assert (done.exit_status, done.stdout) == (1, b"Done.\n")
    assert "the file was deleted" in done.stderr
    assert not (program.repository / "ran").exists()
