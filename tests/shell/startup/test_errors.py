"""The exit status is 1 for a disk failure and 2 for a wrong path."""

import os
from errno import EACCES, EDQUOT, EIO, ENOENT, ENOSPC, EROFS
from pathlib import Path

import pytest

from actors.sessions.errors import LogError, map_os_errors
from actors.sessions.file_system import require_complete_write
from shell.startup.errors import to_start_error

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("number", "status"),
    [(ENOSPC, 1), (EDQUOT, 1), (EROFS, 1), (EIO, 1), (EACCES, 2), (ENOENT, 2)],
)
def test_disk_failures_and_wrong_paths_have_different_statuses(number: int, status: int) -> None:
    error = to_start_error("It cannot be written.", OSError(number, os.strerror(number)))
    assert (error.args, error.exit_status) == (("It cannot be written.",), status)


def test_a_partly_written_session_file_is_a_disk_failure() -> None:
    with (
        pytest.raises(LogError, match="/s: only 1 of 3 bytes were written") as caught,
        map_os_errors(Path("/s")),
    ):
        require_complete_write(1, b"abc")
    assert to_start_error(caught.value.detail, caught.value.__cause__).exit_status == 1


def test_an_error_without_a_cause_is_not_a_disk_failure() -> None:
    assert to_start_error("It is open elsewhere.", None).exit_status == 2
