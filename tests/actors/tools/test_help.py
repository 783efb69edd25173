"""The tool `help`."""

from typing import get_args

import pytest
from pydantic import ValidationError

from actors.tools.help import HelpTopic
from shell.cli.help_tool_text import build_help_text
from shell.commands.command_table import COMMANDS
from shell.help.topics import TOPICS
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def test_the_text_of_the_topic_is_returned(caller: ToolCaller) -> None:
    assert caller.call("help", topic="keys") == "text of keys"


def test_without_a_topic_the_overview_is_returned(caller: ToolCaller) -> None:
    assert caller.call("help") == "text of None"


def test_an_unknown_topic_is_an_argument_error(caller: ToolCaller) -> None:
    with pytest.raises(ValidationError, match="permissions"):
        caller.call("help", topic="nonsense")


def test_the_tool_offers_exactly_the_existing_topics() -> None:
    assert get_args(HelpTopic) == tuple(TOPICS)


def test_the_overview_has_options_commands_keys_and_topics() -> None:
    overview = build_help_text()

    assert "--continue" in overview
    assert all(f"/{name} " in overview for name in COMMANDS)
    assert "Ctrl-Y" in overview
    assert all(summary in overview for summary in TOPICS.values())
