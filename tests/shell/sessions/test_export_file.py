"""A file that was asked for is whole, or not there."""

import resource
import stat
from errno import EFBIG
from pathlib import Path

import pytest

from shell.sessions.export_file import write_new_file

pytestmark = pytest.mark.quick


def test_what_cannot_be_written_whole_leaves_its_name_free(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError) as refused:  # noqa: PT011  (its number counts)
            write_new_file(path, b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert refused.value.errno == EFBIG
    write_new_file(path, b"x" * 1000)
    assert path.read_bytes() == b"x" * 1000


def test_it_is_for_its_owner_alone_and_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    write_new_file(path, b"mine")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_new_file(path, b"yours")
    dangling = tmp_path / "link"
    dangling.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        write_new_file(dangling, b"mine")
    assert path.read_bytes() == b"mine"
    assert not (tmp_path / "elsewhere").exists()
