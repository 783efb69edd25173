"""The tool `help`."""

import pytest

from shell.commands.table import COMMANDS
from shell.manual import manual
from tests.actors.tools.caller import Caller

pytestmark = pytest.mark.quick


def test_the_manual_is_handed_over(caller: Caller) -> None:
    assert caller.call("help") == "the manual"


def test_the_manual_tells_of_options_commands_and_keys() -> None:
    told = manual()

    assert "--continue" in told
    assert all(f"/{name} " in told for name in COMMANDS)
    assert "Ctrl-Y" in told
