"""Settings for all tests; fixtures are next to the tests that use them."""

import gc
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("greenroom", deadline=None, derandomize=True, database=None)
settings.load_profile("greenroom")
settings.register_profile("quick", max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    """Run fewer Hypothesis examples in a run of the quick tests."""
    if _runs_only_quick_tests(config):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules without a quick test in a run of the quick tests."""
    if _runs_only_quick_tests(config) and collection_path.name.startswith("test_"):
        return "mark.quick" not in collection_path.read_text() or None
    return None


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, which would scan them repeatedly."""
    gc.freeze()


def _runs_only_quick_tests(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == "quick")
