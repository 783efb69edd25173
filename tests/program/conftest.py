"""Fixtures of the tests that run the whole program."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.program.program_harness import CommandWatch, Program
from tests.program.small_disk import small_disk

__all__ = ["small_disk"]


@pytest.fixture(autouse=True, scope="session")
def restore_sigint() -> Iterator[None]:
    """Restore SIGINT, which a background job ignores, and so would its children."""
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old_handler)


@pytest.fixture
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Program]:
    """The program; a test file chooses how it is started with `PROGRAM_TYPE`."""
    module = cast("object", request.module)  # pyright: ignore[reportUnknownMemberType]
    program_type: type[Program] = getattr(module, "PROGRAM_TYPE", Program)
    program = program_type.in_folder(tmp_path)
    yield program
    program.clean_up()


@pytest.fixture
def command_watch(tmp_path: Path) -> Iterator[CommandWatch]:
    watch = CommandWatch(tmp_path / "watch")
    yield watch
    watch.close()
