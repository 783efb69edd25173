"""What the tests of sessions share."""

import os
from collections.abc import Generator

import pytest


@pytest.fixture(autouse=True)
def _private_umask() -> Generator[None]:
    """Where people work in one group, the files that tests write would be everybody's."""
    before = os.umask(0o022)
    yield
    os.umask(before)
