"""The tool `help`."""

import pytest

from shell.cli.help_text import build_help_text
from shell.commands.command_table import COMMANDS
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_the_manual_is_handed_over(caller: ToolCaller) -> None:
    assert caller.call("help") == "the manual"


def test_the_manual_tells_of_options_commands_and_keys() -> None:
    told = build_help_text()

    assert "--continue" in told
    assert all(f"/{name} " in told for name in COMMANDS)
    assert "Ctrl-Y" in told
