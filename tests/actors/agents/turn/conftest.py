"""Fixtures for the tests of a turn."""

import pytest

from tests.actors.agents.turn.turn_driver import TurnDriver


@pytest.fixture
def driver() -> TurnDriver:
    """An idle agent without records."""
    return TurnDriver()
