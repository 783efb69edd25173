"""A small file system for the state folder, which tests can fill."""

import os
import subprocess
from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path

import pytest

from tests.program.program_harness import Program

DISK_BYTES = 64 * 1024


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, timeout=10)


@pytest.fixture
def small_disk(program: Program) -> Iterator[Path]:
    """The state folder on its own file system of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    program.state_folder.mkdir(mode=0o700)
    try:
        mount(
            "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(program.state_folder)
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine does not allow mounts: {error}")
    yield program.state_folder
    subprocess.run(["umount", "-l", str(program.state_folder)], check=True, timeout=10)


def fill_disk(folder: Path) -> Path:
    """Fill the disk until a write fails; return the file that fills it."""
    ballast = folder / "ballast"
    descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError) as full:  # noqa: PT011, PT012  (its number is checked, and when it is raised)
        while True:
            os.write(descriptor, b"x" * 4096)
    os.close(descriptor)
    assert full.value.errno == ENOSPC
    return ballast
