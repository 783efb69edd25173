"""On a full, read-only or missing disk, the program reports it and changes nothing."""

import os
import shutil
from errno import EROFS
from pathlib import Path

import pytest

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_log
from actors.sessions.session_log import SessionLog
from tests.actors.sessions.sample_records import fixed_clock
from tests.program.program_harness import (
    YOLO,
    Program,
    request_messages,
    single_error,
    tool_results,
)
from tests.program.small_disk import fill_disk, mount
from tests.scripted_server import respond_text, respond_tool_call


def assert_read_only(folder: Path) -> None:
    """Check that a write fails, since file modes do not restrict root."""
    with pytest.raises(OSError) as raised:  # noqa: PT011  (its number is checked)
        (folder / "probe").write_text("")
    assert raised.value.errno == EROFS


def test_on_a_full_disk_no_session_starts(program: Program, small_disk: Path) -> None:
    ballast = fill_disk(small_disk)
    with program.serve(respond_text("One.")) as server:
        failed = program.run("-p", "Speak.")
        assert server.requests == []
        ballast.unlink()
        completed = program.run("-p", "Speak.")
    assert failed.exit_status == 1
    assert "No space left" in single_error(failed)
    assert (completed.exit_status, completed.stdout) == (0, b"One.\n")


def test_a_call_that_cannot_be_recorded_does_not_run(program: Program, small_disk: Path) -> None:
    """The long reply fills almost all of the disk; the start of the call does not fit."""
    with program.serve(respond_text("One."), respond_text("Two.")):
        program.run("-p", "First.")
    ballast = fill_disk(small_disk)
    os.truncate(ballast, ballast.stat().st_size - 4096)
    effect = respond_tool_call("bash", command="touch ran; : " + "x" * 9000)
    with program.serve(effect, respond_text("Done.")) as server:
        full = program.run("-p", "Change it.", *YOLO, "--continue")
        assert (full.exit_status, full.stdout) == (1, b"Done.\n")
        notice, denial, error = full.stderr.splitlines()
        assert "The session cannot be " in notice
        assert "Not run" in denial
        assert error.startswith("greenroom: this run could not be saved")
        assert not (program.repository / "ran").exists()
        assert "Not run" in str(tool_results(request_messages(server)[-1]))
    assert all(line.seq for line in read_log(program.session_file).lines)

    ballast.unlink()
    with program.serve(respond_text("Going on."), respond_text("Well again.")) as server:
        again = program.run("-p", "And now?", *YOLO, "--continue")
        request_messages(server)
    assert again.exit_status == 0
    assert again.stdout == b"Well again.\n"


def test_a_session_file_on_a_full_disk_continues_with_space(
    program: Program, small_disk: Path
) -> None:
    with program.serve(respond_text("One.")):
        program.run("-p", "First.")
    ballast = fill_disk(small_disk)
    shutil.copy(program.session_file, program.folder / "before")
    log, contents = SessionLog.open(program.session_file, fixed_clock)
    records = [(contents.records[2], contents.lines[2].recorded_by)] * 60
    with pytest.raises(LogError, match=r"No space left|bytes were written"):
        log.append(records)
    assert program.session_file.read_bytes() == (program.folder / "before").read_bytes()
    ballast.unlink()
    log.append(records)
    log.close()
    assert len(read_log(program.session_file).lines) == len(contents.lines) + len(records)


def test_a_read_only_disk_is_reported_and_nothing_changes(
    program: Program, small_disk: Path
) -> None:
    with program.serve(
        respond_text("One."), respond_tool_call("bash", command="touch ran"), respond_text("Two.")
    ) as server:
        program.run("-p", "First.")
        mount("-o", "remount,ro", str(small_disk))
        assert_read_only(small_disk)
        resumed = program.run("-p", "Second.", *YOLO, "--continue")
        new = program.run("-p", "Second.", *YOLO)
        assert len(server.requests) == 1
        mount("-o", "remount,rw", str(small_disk))
        completed = program.run("-p", "Second.", *YOLO, "--continue")
    for failed in (resumed, new):
        assert failed.exit_status == 1
        assert "Read-only file system" in single_error(failed)
    assert (completed.exit_status, completed.stdout) == (0, b"Two.\n")
    assert (program.repository / "ran").exists()


def test_after_the_session_file_is_deleted_no_call_runs(
    program: Program,
) -> None:
    fifo = program.repository / "fifo"
    os.mkfifo(fifo)
    waits = respond_tool_call("bash", command="cat fifo")
    with program.serve(
        waits, respond_tool_call("bash", command="touch ran"), respond_text("Done.")
    ) as server:
        running = program.start("-p", "Wait.", *YOLO)
        with fifo.open("w"):  # opens when the command has opened it
            program.session_file.unlink()
        done = running.wait()
        assert "Not run" in str(tool_results(request_messages(server)[-1]))
    assert (done.exit_status, done.stdout) == (1, b"Done.\n")
    assert "the file was deleted" in done.stderr
    assert not (program.repository / "ran").exists()
