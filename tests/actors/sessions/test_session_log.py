import errno
import os
import stat
from pathlib import Path

import pytest

from actors.sessions.errors import LogError, LogLockedError
from actors.sessions.file_system import make_private_folder
from actors.sessions.log_reader import LogContents, read_log
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY, ROOT, Address
from messages.journal import SessionOpened
from messages.serialization import JournalLine
from messages.turns import TurnStarted
from tests.actors.sessions.sample_records import (
    FIRST_RECORDS,
    NOW_S,
    SESSION_HEADER,
    SESSION_OPENED,
    create_log,
    encode_record,
    fixed_clock,
    make_log_lines,
    make_turn_started,
)
from tests.faults.faulty_file_system import FaultyFileSystem

pytestmark = pytest.mark.quick

PARENT_PID = os.getppid()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "mine-0123abcd" / "20260131-235959-ab12.jsonl"


def get_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def list_open_descriptors() -> set[str]:
    return {entry.name for entry in Path("/dev/fd").iterdir()}


def test_appended_records_are_read_back_in_order(path: Path) -> None:
    log = create_log(path)
    log.append(
        [(make_turn_started(1), PRIMARY), (make_turn_started(2), Address("/primary/general-1"))]
    )
    log.close()
    assert read_log(path).lines == (
        JournalLine(1, NOW_S, ROOT, SESSION_HEADER),
        JournalLine(2, NOW_S, ROOT, SESSION_OPENED),
        JournalLine(3, NOW_S, PRIMARY, make_turn_started(1)),
        JournalLine(4, NOW_S, Address("/primary/general-1"), make_turn_started(2)),
    )


def test_an_opened_log_continues_the_record_numbers(path: Path) -> None:
    create_log(path).close()
    log, contents = SessionLog.open(path, fixed_clock)
    log.append([(make_turn_started(1), PRIMARY)])
    log.close()
    assert [line.message for line in contents.lines] == [SESSION_HEADER, SESSION_OPENED]
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(1)),)


def test_only_the_owner_can_read_a_session(path: Path) -> None:
    create_log(path).close()
    assert get_mode(path) == 0o600
    assert {get_mode(folder) for folder in (path.parent, path.parent.parent)} == {0o700}


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path, FaultyFileSystem())
    assert get_mode(tmp_path) == 0o755


def test_a_session_file_cannot_be_created_twice(path: Path) -> None:
    create_log(path).close()
    before = path.read_bytes()
    with pytest.raises(LogError, match="File exists"):
        create_log(path)
    assert path.read_bytes() == before


def test_a_locked_session_error_names_the_process(path: Path) -> None:
    log = create_log(path)
    log.append(
        [
            (SessionOpened(run=2, pid=PARENT_PID, version="0.2.0"), ROOT),
            (make_turn_started(1), PRIMARY),
        ]
    )
    with pytest.raises(LogLockedError, match=f"open in process {PARENT_PID}"):
        SessionLog.open(path, fixed_clock)
    log.append([(make_turn_started(2), PRIMARY)])
    log.close()
    SessionLog.open(path, fixed_clock)[0].close()


def test_a_lock_holder_without_records_is_another_program(path: Path) -> None:
    create_log(path).close()
    log, _ = SessionLog.open(path, fixed_clock)
    path.write_bytes(b"")
    with pytest.raises(LogLockedError, match="another program"):
        SessionLog.open(path, fixed_clock)
    log.close()


def test_a_locked_session_can_be_read(path: Path) -> None:
    log = create_log(path)
    assert len(read_log(path).lines) == 2
    log.close()


def test_a_closed_log_accepts_no_more_records(path: Path) -> None:
    log = create_log(path)
    log.close()
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append([(make_turn_started(1), PRIMARY)])


def test_a_truncated_log_keeps_every_complete_record(tmp_path: Path) -> None:
    lines = make_log_lines(5)
    data = b"".join(lines)
    path = tmp_path / "cut.jsonl"
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    for length in range(starts[1], len(data) + 1, 3):
        path.write_bytes(data[:length])
        complete = sum(start <= length for start in starts) - 1
        cut_at = starts[complete]

        log, contents = SessionLog.open(path, fixed_clock)
        log.append([(make_turn_started(99), PRIMARY)])
        log.close()

        reread = read_log(path)
        assert len(contents.lines) == complete
        assert reread.lines == (
            *contents.lines,
            JournalLine(complete + 1, NOW_S, PRIMARY, make_turn_started(99)),
        )
        assert reread.torn == b""
        check_torn_file(path, contents, data[cut_at:length], cut_at)


def check_torn_file(path: Path, contents: LogContents, torn: bytes, cut_at: int) -> None:
    torn_file = path.with_name(f"cut.jsonl.torn-{cut_at}")
    assert contents.torn == torn
    assert contents.torn_file == (torn_file if torn else None)
    if torn:
        assert torn_file.read_bytes() == torn
        torn_file.unlink()


def test_a_log_without_a_complete_header_is_rejected(tmp_path: Path) -> None:
    first = make_log_lines(2)[0]
    path = tmp_path / "cut.jsonl"
    for length in range(len(first)):
        path.write_bytes(first[:length])
        with pytest.raises(LogError, match="not a session file"):
            SessionLog.open(path, fixed_clock)
        assert path.read_bytes() == first[:length]


def test_torn_bytes_are_added_to_earlier_ones(path: Path) -> None:
    create_log(path).close()
    valid = path.read_bytes()
    for torn in (b'{"type":"turn_', b"\0\0\0\0"):
        path.write_bytes(valid + torn)
        SessionLog.open(path, fixed_clock)[0].close()
    torn_file = path.with_name(f"{path.name}.torn-{len(valid)}")
    assert torn_file.read_bytes() == b'{"type":"turn_\0\0\0\0'


def test_reading_a_torn_log_does_not_change_it(path: Path) -> None:
    create_log(path).close()
    with path.open("ab") as file:
        file.write(b"torn")
    before = path.read_bytes()
    assert read_log(path).torn == b"torn"
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("missing_bytes", [1, 50, 10**6])
def test_a_short_write_is_removed_and_the_log_works(path: Path, missing_bytes: int) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    before = path.read_bytes()
    files.short_write_bytes = missing_bytes
    with pytest.raises(LogError, match="bytes were written"):
        log.append([(make_turn_started(1), PRIMARY), (make_turn_started(2), PRIMARY)])
    assert path.read_bytes() == before

    files.short_write_bytes = 0
    log.append([(make_turn_started(3), PRIMARY)])
    log.close()
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(3)),)


def test_the_log_works_again_after_a_failed_write(path: Path) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    files.fail_calls("write")
    with pytest.raises(LogError, match="Input/output error"):
        log.append([(make_turn_started(1), PRIMARY)])
    files.fail_calls()
    log.append([(make_turn_started(2), PRIMARY)])
    log.close()
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(2)),)


def test_a_failed_sync_removes_the_group_and_replaces_the_descriptor(
    path: Path,
) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    before = path.read_bytes()
    opened_before = files.calls.count("open")
    files.fail_calls("sync")
    with pytest.raises(LogError, match="Input/output error"):
        log.append([(make_turn_started(1), PRIMARY)])
    assert path.read_bytes() == before
    with pytest.raises(LogError, match="Input/output error"):
        log.append([(make_turn_started(2), PRIMARY)])
    files.fail_calls()
    log.append([(make_turn_started(3), PRIMARY)])
    assert files.calls.count("open") > opened_before
    with pytest.raises(LogLockedError):
        SessionLog.open(path, fixed_clock)
    log.close()
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(3)),)
    SessionLog.open(path, fixed_clock)[0].close()


def test_a_descriptor_with_a_failed_sync_is_not_reused(path: Path) -> None:
    class SyncRecorder(FaultyFileSystem):
        def sync(self, descriptor: int) -> None:
            synced.append(descriptor)
            super().sync(descriptor)

    synced: list[int] = []
    files = SyncRecorder()
    log = create_log(path, files)
    files.fail_calls("sync")
    with pytest.raises(LogError):
        log.append([(make_turn_started(1), PRIMARY)])
    failed = synced[1]
    files.fail_calls()
    log.append([(make_turn_started(2), PRIMARY)])
    log.close()
    assert failed not in synced[2:]


def test_nothing_is_appended_to_an_unremoved_short_write(path: Path) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    files.short_write_bytes = 5
    files.fail_calls("truncate")
    with pytest.raises(LogError):
        log.append([(make_turn_started(1), PRIMARY)])
    assert path.read_bytes().endswith(encode_unterminated_line(3))
    files.short_write_bytes = 0
    with pytest.raises(LogError, match="Input/output error"):
        log.append([(make_turn_started(2), PRIMARY)])
    files.fail_calls()
    log.append([(make_turn_started(3), PRIMARY)])
    log.close()
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(3)),)


def test_a_deleted_or_replaced_session_file_is_reported(path: Path) -> None:
    log = create_log(path)
    elsewhere = path.with_name("elsewhere")
    os.link(path, elsewhere)
    path.unlink()
    log.append([(make_turn_started(1), PRIMARY)])
    moved = elsewhere.with_name("moved")
    copy = elsewhere.read_bytes()
    elsewhere.unlink()
    for _ in range(2):
        with pytest.raises(LogError, match=r"the file was deleted|No such file"):
            log.append([(make_turn_started(2), PRIMARY)])
    moved.write_bytes(copy)
    moved.rename(path)
    with pytest.raises(LogError, match="the file was replaced"):
        log.append([(make_turn_started(3), PRIMARY)])
    assert path.read_bytes() == copy
    log.close()


def test_missing_records_after_a_failed_sync_are_reported(path: Path) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    first_bytes = path.stat().st_size
    log.append([(make_turn_started(1), PRIMARY)])
    files.fail_calls("sync")
    with pytest.raises(LogError):
        log.append([(make_turn_started(2), PRIMARY)])
    files.fail_calls()
    os.truncate(path, first_bytes)
    for _ in range(2):
        with pytest.raises(LogError, match="only 2 of 3 records are left"):
            log.append([(make_turn_started(3), PRIMARY)])
    log.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EINTR])
def test_a_failed_write_reports_the_system_error(path: Path, number: int) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    files.fail_calls("write", error_number=number)
    for _ in range(3):
        with pytest.raises(LogError, match=os.strerror(number)):
            log.append([(make_turn_started(1), PRIMARY)])
    assert os.strerror(number) in log.last_failure
    files.fail_calls()
    log.append([(make_turn_started(2), PRIMARY)])
    assert log.last_failure == ""
    log.close()
    assert read_log(path).lines[2:] == (JournalLine(3, NOW_S, PRIMARY, make_turn_started(2)),)


def encode_unterminated_line(seq: int) -> bytes:
    return encode_record(seq, make_turn_started(1))[:-5]


@pytest.mark.parametrize(
    "call", ["lock", "write", "sync", "make_folder", "sync_folder", "rename", "open"]
)
def test_a_failed_creation_leaves_no_descriptor_open(path: Path, call: str) -> None:
    files = FaultyFileSystem()
    files.fail_calls(call)
    before = list_open_descriptors()
    with pytest.raises(LogError, match="Input/output error"):
        create_log(path, files)
    assert list_open_descriptors() == before


@pytest.mark.parametrize("call", ["lock", "read", "write", "sync", "truncate", "sync_folder"])
def test_a_failed_recovery_keeps_every_record(path: Path, call: str) -> None:
    create_log(path).close()
    with path.open("ab") as file:
        file.write(b"torn")
    files = FaultyFileSystem()
    files.fail_calls(call)
    before = list_open_descriptors()
    with pytest.raises(LogError, match="Input/output error"):
        SessionLog.open(path, fixed_clock, files)
    assert list_open_descriptors() == before
    assert len(read_log(path).lines) == 2


def test_torn_bytes_that_cannot_be_saved_are_not_removed(path: Path) -> None:
    create_log(path).close()
    with path.open("ab") as file:
        file.write(b"torn")
    files = FaultyFileSystem()
    files.short_write_bytes = 1
    with pytest.raises(LogError, match="only 3 of 4 bytes were written"):
        SessionLog.open(path, fixed_clock, files)
    assert read_log(path).torn == b"torn"


def test_text_that_is_not_utf_8_is_written_with_replacements(path: Path) -> None:
    """An unpaired surrogate is valid in a string; an error would block every later append."""
    log = create_log(path)
    log.append([(TurnStarted(turn=2, prompt="a \udc80 b ü"), PRIMARY)])
    log.close()
    assert read_log(path).records[-1] == TurnStarted(turn=2, prompt="a ? b ü")


def test_a_failed_append_does_not_return_after_reopening(path: Path) -> None:
    """The records were written but not synced, and could not be removed."""
    files = FaultyFileSystem()
    log = create_log(path, files)
    files.fail_calls("sync", "truncate")
    with pytest.raises(LogError):
        log.append([(make_turn_started(1), PRIMARY)])
    files.fail_calls()
    log.reopen()
    assert log.read().records == (SESSION_HEADER, SESSION_OPENED)
    log.append([(make_turn_started(2), PRIMARY)])
    log.close()
    assert read_log(path).records == (SESSION_HEADER, SESSION_OPENED, make_turn_started(2))


def test_appending_no_records_writes_nothing(path: Path) -> None:
    files = FaultyFileSystem()
    log = create_log(path, files)
    files.fail_calls("write", "sync")
    log.append([])
    log.close()


def test_a_log_starts_with_its_session_header(path: Path) -> None:
    assert FIRST_RECORDS[0][0] == SESSION_HEADER
    create_log(path).close()
    assert path.read_bytes().startswith(b'{"type":"session_header","format":1,')
