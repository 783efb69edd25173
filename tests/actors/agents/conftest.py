"""A theatre for the tests of whole trees of agents."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.actors.agents.scripted_agents import SessionFixture


@pytest.fixture
def sessions(tmp_path: Path) -> Generator[SessionFixture]:
    theatre = SessionFixture(tmp_path)
    yield theatre
    theatre.close()
