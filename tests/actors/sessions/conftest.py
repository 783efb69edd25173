"""Fixtures for the tests of sessions."""

import os
from collections.abc import Generator

import pytest


@pytest.fixture(autouse=True)
def _private_umask() -> Generator[None]:
    """Write files that only the owner can change, even where the umask lets a group do so."""
    before = os.umask(0o022)
    yield
    os.umask(before)
