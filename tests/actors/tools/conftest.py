"""What the tests of tools share."""

from pathlib import Path

import pytest

from tests.actors.tools.caller import Caller


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    return Caller(tmp_path.resolve())
