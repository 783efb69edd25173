import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.sessions.faults import LogError
from actors.sessions.log import SessionLog
from actors.sessions.opening import distrust
from actors.sessions.reading import read_log
from tests.actors.sessions.writing import clock, create
from tests.faults.faulty_files import FaultyFiles

pytestmark = pytest.mark.quick


def begun(folder: Path) -> Path:
    path = folder / "20260131-235959-ab12.jsonl"
    create(path).close()
    return path


def linked(path: Path) -> None:
    path.symlink_to(path.rename(path.with_suffix(".real")))


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def open_to_the_group(path: Path) -> None:
    path.chmod(0o620)


def open_to_all(path: Path) -> None:
    path.chmod(0o606)


def given_away(path: Path) -> None:
    os.chown(path, 65_534, -1)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
HARM = [
    (linked, "a link, and no file of ours is opened by one; move it away"),
    (dangling, "a link, and no file of ours is opened by one; move it away"),
    (piped, "not a regular file; move it away"),
    (open_to_the_group, r"others may write to it \(mode 620\); chmod it to 600"),
    (open_to_all, r"others may write to it \(mode 606\); chmod it to 600"),
    pytest.param(given_away, r"belongs to another user \(id 65534\)", marks=as_root),
]


@pytest.mark.parametrize(("harm", "why"), HARM)
def test_a_session_that_another_can_have_written_is_refused(
    tmp_path: Path, harm: Callable[[Path], None], why: str
) -> None:
    path = begun(tmp_path)
    harm(path)
    for attempt in (lambda: read_log(path), lambda: SessionLog.open(path, clock)):
        with pytest.raises(LogError, match=f"{path}: {why}") as refused:
            attempt()
        assert "\n" not in refused.value.detail


def test_a_session_that_others_may_only_read_is_ours(tmp_path: Path) -> None:
    path = begun(tmp_path)
    path.chmod(0o644)
    SessionLog.open(path, clock)[0].close()
    assert distrust(path.stat()) == ""


def test_a_refused_session_is_not_held_open(tmp_path: Path) -> None:
    path = begun(tmp_path)
    path.chmod(0o666)
    files = FaultyFiles()
    before = list(Path("/dev/fd").iterdir())
    with pytest.raises(LogError):
        SessionLog.open(path, clock, files)
    assert list(Path("/dev/fd").iterdir()) == before


def test_a_session_is_never_begun_behind_a_link(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "s.jsonl", tmp_path / "elsewhere"
    path.symlink_to(elsewhere)
    with pytest.raises(LogError):
        create(path)
    assert not elsewhere.exists()


def test_a_torn_end_is_not_kept_behind_a_link(tmp_path: Path) -> None:
    path, elsewhere = begun(tmp_path), tmp_path / "elsewhere"
    good_bytes = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"torn")
    elsewhere.write_bytes(b"mine")
    path.with_name(f"{path.name}.torn-{good_bytes}").symlink_to(elsewhere)
    with pytest.raises(LogError, match="a link"):
        SessionLog.open(path, clock)
    assert elsewhere.read_bytes() == b"mine"
    assert path.read_bytes().endswith(b"torn")
