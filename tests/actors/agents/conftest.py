"""The fixture that starts sessions with whole trees of agents."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.actors.agents.scripted_agents import SessionFixture


@pytest.fixture
def sessions(tmp_path: Path) -> Generator[SessionFixture]:
    fixture = SessionFixture(tmp_path)
    yield fixture
    fixture.close()
