"""The fixtures that start whole sessions."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.actors.agents.changing_session import ChangingSession
from tests.actors.agents.scripted_agents import SessionFixture


@pytest.fixture
def sessions(tmp_path: Path) -> Generator[SessionFixture]:
    fixture = SessionFixture(tmp_path)
    yield fixture
    fixture.close()


@pytest.fixture
def session(tmp_path: Path) -> Generator[ChangingSession]:
    session = ChangingSession(tmp_path)
    with session.server:
        yield session
        session.stop()
