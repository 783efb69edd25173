"""What holds for every test; fixtures live beside the tests that share them."""

import pytest
from hypothesis import settings

settings.register_profile("greenroom", deadline=None, derandomize=True, database=None)
settings.load_profile("greenroom")
settings.register_profile("quick", max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples where the quick tests alone are run, before each commit."""
    if config.getoption("markexpr") == "quick":
        settings.load_profile("quick")
