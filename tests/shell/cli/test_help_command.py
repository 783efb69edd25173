"""`greenroom help`: topics on standard output."""

import pytest

from shell.cli.arguments import parse_command_line
from shell.cli.help_command import run_help_command
from shell.help.topics import TOPICS, read_topic
from shell.startup.errors import StartError
from shell.startup.options import HelpOptions

pytestmark = pytest.mark.quick


def test_help_without_a_topic_lists_every_topic(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_help_command(None) == 0
    output = capfdbinary.readouterr().out.decode()
    assert all(f"{topic} " in output for topic in TOPICS)
    assert "greenroom help TOPIC" in output


@pytest.mark.parametrize("topic", TOPICS)
def test_help_prints_the_whole_topic(topic: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_help_command(topic) == 0
    assert capfdbinary.readouterr().out.decode() == read_topic(topic)


def test_an_unknown_topic_is_a_usage_error_that_names_the_topics() -> None:
    with pytest.raises(StartError) as error:
        run_help_command("nonsense")
    assert error.value.exit_status == 2
    (line,) = error.value.args
    assert "nonsense" in line
    assert all(topic in line for topic in TOPICS)


def test_help_takes_at_most_one_topic() -> None:
    assert parse_command_line(["help"]) == HelpOptions()
    assert parse_command_line(["help", "keys"]) == HelpOptions(topic="keys")
    with pytest.raises(StartError):
        parse_command_line(["help", "keys", "agents"])
