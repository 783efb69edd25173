import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_log
from actors.sessions.session_log import SessionLog
from actors.sessions.trusted_open import describe_trust_problem
from tests.actors.sessions.sample_records import create_log, fixed_clock
from tests.faults.faulty_file_system import FaultyFileSystem

pytestmark = pytest.mark.quick


def create_session(folder: Path) -> Path:
    path = folder / "20260131-235959-ab12.jsonl"
    create_log(path).close()
    return path


def replace_with_symlink(path: Path) -> None:
    path.symlink_to(path.rename(path.with_suffix(".real")))


def replace_with_dangling_symlink(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def replace_with_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_group_writable(path: Path) -> None:
    path.chmod(0o620)


def make_world_writable(path: Path) -> None:
    path.chmod(0o606)


def change_owner(path: Path) -> None:
    os.chown(path, 65_534, -1)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
UNSAFE_CHANGES = [
    (replace_with_symlink, "a symbolic link, which is not followed here; move it away"),
    (replace_with_dangling_symlink, "a symbolic link, which is not followed here; move it away"),
    (replace_with_pipe, "not a regular file; move it away"),
    (make_group_writable, r"other users can write to it \(mode 620\); .* chmod 600"),
    (make_world_writable, r"other users can write to it \(mode 606\); .* chmod 600"),
    pytest.param(change_owner, r"belongs to another user \(id 65534\)", marks=as_root),
]


@pytest.mark.parametrize(("change", "reason"), UNSAFE_CHANGES)
def test_a_session_that_others_could_have_written_is_rejected(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path = create_session(tmp_path)
    change(path)
    for attempt in (lambda: read_log(path), lambda: SessionLog.open(path, fixed_clock)):
        with pytest.raises(LogError, match=f"{path}: {reason}") as error:
            attempt()
        assert "\n" not in error.value.detail


def test_a_session_that_others_can_read_is_accepted(tmp_path: Path) -> None:
    path = create_session(tmp_path)
    path.chmod(0o644)
    SessionLog.open(path, fixed_clock)[0].close()
    assert describe_trust_problem(path.stat()) == ""


def test_a_rejected_session_leaves_no_descriptor_open(tmp_path: Path) -> None:
    path = create_session(tmp_path)
    path.chmod(0o666)
    files = FaultyFileSystem()
    before = list(Path("/dev/fd").iterdir())
    with pytest.raises(LogError):
        SessionLog.open(path, fixed_clock, files)
    assert list(Path("/dev/fd").iterdir()) == before


def test_a_session_is_never_created_through_a_link(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "s.jsonl", tmp_path / "elsewhere"
    path.symlink_to(elsewhere)
    with pytest.raises(LogError):
        create_log(path)
    assert not elsewhere.exists()


def test_torn_bytes_are_not_saved_through_a_link(tmp_path: Path) -> None:
    path, elsewhere = create_session(tmp_path), tmp_path / "elsewhere"
    valid_bytes = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"torn")
    elsewhere.write_bytes(b"mine")
    path.with_name(f"{path.name}.torn-{valid_bytes}").symlink_to(elsewhere)
    with pytest.raises(LogError, match="a symbolic link"):
        SessionLog.open(path, fixed_clock)
    assert elsewhere.read_bytes() == b"mine"
    assert path.read_bytes().endswith(b"torn")
