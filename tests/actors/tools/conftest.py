"""Fixtures for the tests of tools."""

from pathlib import Path

import pytest

from tests.actors.tools.tool_caller import ToolCaller


@pytest.fixture
def caller(tmp_path: Path) -> ToolCaller:
    return ToolCaller(tmp_path.resolve())
