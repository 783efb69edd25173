"""What holds for every test; fixtures live beside the tests that share them."""

import gc
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("greenroom", deadline=None, derandomize=True, database=None)
settings.load_profile("greenroom")
settings.register_profile("quick", max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples where the quick tests alone are run, before each commit."""
    if _only_quick(config):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave modules without a quick test unread where those alone are run."""
    if _only_quick(config) and collection_path.name.startswith("test_"):
        return "mark.quick" not in collection_path.read_text() or None
    return None


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going over every collected test again and again."""
    gc.freeze()


def _only_quick(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == "quick")
