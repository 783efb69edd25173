"""An exported file is complete or does not exist."""

import resource
import stat
from errno import EFBIG
from pathlib import Path

import pytest

from shell.sessions.export_file import write_new_file

pytestmark = pytest.mark.quick


def test_an_incomplete_file_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError) as raised:  # noqa: PT011  (its number is checked)
            write_new_file(path, b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.errno == EFBIG
    write_new_file(path, b"x" * 1000)
    assert path.read_bytes() == b"x" * 1000


def test_the_file_is_private_and_never_replaces_another(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    write_new_file(path, b"mine")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_new_file(path, b"yours")
    broken_link = tmp_path / "link"
    broken_link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        write_new_file(broken_link, b"mine")
    assert path.read_bytes() == b"mine"
    assert not (tmp_path / "elsewhere").exists()
