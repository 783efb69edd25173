"""A theatre for the tests of whole trees of agents."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.actors.agents.troupe import Theatre


@pytest.fixture
def theatre(tmp_path: Path) -> Generator[Theatre]:
    theatre = Theatre(tmp_path)
    yield theatre
    theatre.close()
