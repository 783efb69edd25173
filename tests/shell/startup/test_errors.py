"""A disk that keeps nothing is the disk's fault; what cannot be used as named is the user's."""

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
def test_the_exit_status_says_whether_the_disk_failed_or_the_path_is_wrong(
    number: int, status: int
) -> None:
    told = to_start_error("It cannot be written.", OSError(number, os.strerror(number)))
    assert (told.args, told.exit_status) == (("It cannot be written.",), status)


def test_a_session_file_of_which_only_a_part_went_in_is_the_disks_fault() -> None:
    with (
        pytest.raises(LogError, match="/s: only 1 of 3 bytes were written") as caught,
        map_os_errors(Path("/s")),
    ):
        require_complete_write(1, b"abc")
    assert to_start_error(caught.value.detail, caught.value.__cause__).exit_status == 1


def test_what_the_system_did_not_refuse_is_no_fault_of_the_disk() -> None:
    assert to_start_error("It is open elsewhere.", None).exit_status == 2
