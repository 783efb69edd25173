"""The simulated and the local file system behave the same."""

import errno
import os
import stat
from pathlib import Path

import pytest

from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.sessions.trusted_open import describe_trust_problem
from tests.simulation.simulated_file_system import SimulatedFileSystem
from tests.simulation.simulated_loop import make_random

pytestmark = pytest.mark.quick

CREATE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
OPEN_FLAGS = os.O_RDWR | os.O_APPEND


@pytest.fixture(params=["real", "simulated"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> FileSystem:
    if request.param == "real":
        return LocalFileSystem()
    return SimulatedFileSystem(make_random(1, "disk"), folder=tmp_path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def test_written_data_is_read_back_and_appended_to(files: FileSystem, path: Path) -> None:
    descriptor = files.open(path, CREATE_FLAGS)
    assert files.write(descriptor, b"one\n") == 4
    files.sync(descriptor)
    files.close(descriptor)

    again = files.open(path, OPEN_FLAGS)
    assert files.write(again, b"two\n") == 4
    assert files.read(again) == b"one\ntwo\n"
    files.close(again)


def test_a_write_after_truncation_continues_at_the_new_end(files: FileSystem, path: Path) -> None:
    descriptor = files.open(path, CREATE_FLAGS)
    files.write(descriptor, b"one\ntw")
    files.truncate(descriptor, 4)
    files.write(descriptor, b"three\n")
    assert files.read(descriptor) == b"one\nthree\n"
    files.close(descriptor)


def test_creation_needs_a_free_name_and_opening_a_file(files: FileSystem, path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.open(path, OPEN_FLAGS)
    files.close(files.open(path, CREATE_FLAGS))
    with pytest.raises(FileExistsError):
        files.open(path, CREATE_FLAGS)


def test_a_new_file_is_private_and_regular(files: FileSystem, path: Path) -> None:
    descriptor = files.open(path, CREATE_FLAGS)
    files.write(descriptor, b"12345")
    status = files.stat(descriptor)
    assert describe_trust_problem(status) == ""
    assert (stat.S_ISREG(status.st_mode), status.st_size) == (True, 5)
    files.close(descriptor)


def test_a_lock_is_kept_until_its_descriptor_closes(files: FileSystem, path: Path) -> None:
    first, second = files.open(path, CREATE_FLAGS), files.open(path, OPEN_FLAGS)
    assert files.lock(first)
    assert files.lock(first)
    assert not files.lock(second)
    files.close(first)
    assert files.lock(second)
    files.close(second)


def test_a_rename_replaces_the_target_and_keeps_descriptors(files: FileSystem, path: Path) -> None:
    old, new = path, path.with_name("new")
    files.close(files.open(old, CREATE_FLAGS))
    descriptor = files.open(new, CREATE_FLAGS)
    files.write(descriptor, b"new")
    files.rename(new, old)
    files.sync_folder(path.parent)

    with pytest.raises(FileNotFoundError):
        files.open(new, OPEN_FLAGS)
    assert files.read(descriptor) == b"new"
    files.write(descriptor, b"er")
    again = files.open(old, OPEN_FLAGS)
    assert files.read(again) == b"newer"
    files.close(descriptor)
    files.close(again)


def test_a_file_can_be_removed_only_once(files: FileSystem, path: Path) -> None:
    files.close(files.open(path, CREATE_FLAGS))
    files.remove(path)
    with pytest.raises(FileNotFoundError) as caught:
        files.remove(path)
    assert caught.value.errno == errno.ENOENT


def test_a_folder_can_be_made_twice_and_synced(files: FileSystem, tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    assert not files.is_folder(folder)
    files.make_folder(folder)
    files.make_folder(folder)
    assert files.is_folder(folder)
    files.sync_folder(folder)
    with pytest.raises(FileNotFoundError):
        files.sync_folder(tmp_path / "missing")


def test_a_power_cut_keeps_synced_data_and_drops_later_writes() -> None:
    contents: set[bytes] = set()
    for seed in range(20):
        simulated = SimulatedFileSystem(make_random(seed, "disk"))
        descriptor = simulated.open(Path("/log"), CREATE_FLAGS)
        simulated.sync_folder(Path("/"))
        simulated.write(descriptor, b"kept,")
        simulated.sync(descriptor)
        simulated.write(descriptor, b"perhaps")
        simulated.cut_power()
        simulated.write(descriptor, b", never")
        simulated.sync(descriptor)
        simulated.end_program()
        contents.add(simulated.read_contents(Path("/log")))
    assert {b"kept,", b"kept,perhaps"} < contents
    assert all(content.startswith(b"kept,") and b"never" not in content for content in contents)
