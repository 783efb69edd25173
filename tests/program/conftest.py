"""What the tests of the whole program share."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program.program_harness import CommandWatch, Program


@pytest.fixture(autouse=True, scope="session")
def restore_sigint() -> Iterator[None]:
    """A job in the background begins with SIGINT ignored, and so would what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program.in_folder(tmp_path)
    yield program
    program.clean_up()


@pytest.fixture
def command_watch(tmp_path: Path) -> Iterator[CommandWatch]:
    witness = CommandWatch(tmp_path / "witness")
    yield witness
    witness.close()
