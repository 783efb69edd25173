"""`/help`."""

from collections.abc import Mapping

from shell.commands.command import Command, ReplHost
from shell.help.topics import TOPICS, read_topic
from shell.view.pager import create_plain_page

KEY_REFERENCE = (
    ("Enter", "send; while a turn runs: queue"),
    ("Ctrl-J, Alt-Enter", "new line"),
    ("/ and @", "complete a command or a file name"),
    ("!command", "run a command yourself; its output is sent with your next message"),
    ("Up, Down", "recall queued and earlier messages"),
    ("Down", "on an empty line: open the task view, same as /tasks"),
    ("Ctrl-R", "search earlier messages"),
    ("Ctrl-O", "show full outputs, diffs and reasoning"),
    ("Esc", "close what is open, or interrupt the turn"),
    ("Ctrl-C", "close, clear or interrupt; press twice to exit"),
    ("Shift-Tab", "next mode: default, auto-edit, plan"),
    ("Ctrl-Y", "go to the waiting approval request"),
    ("Ctrl-Z", "suspend; type fg in the shell to resume"),
)


def help_(words: list[str], host: ReplHost) -> str:
    """List the commands and keys, or open a help topic: `/help [TOPIC]`."""
    match words:
        case []:
            topics = f"/help TOPIC opens a topic: {', '.join(TOPICS)}."
            return f"{format_commands_and_keys(host.commands)}\n\n{topics}"
        case [topic] if topic in TOPICS:
            host.show_page(create_plain_page(f"Help: {topic}", read_topic(topic)))
            return ""
        case _:
            return f"usage: /help [{'|'.join(TOPICS)}]"


def format_commands_and_keys(commands: Mapping[str, Command]) -> str:
    """Return the commands and keys, one per line."""
    command_rows = [("/" + command.name, command.plain_help) for command in commands.values()]
    width = max(len(name) for name, _ in (*command_rows, *KEY_REFERENCE))
    blocks = (
        "\n".join(f"{name:<{width}}  {summary}" for name, summary in rows)
        for rows in (command_rows, KEY_REFERENCE)
    )
    return "\n\n".join(blocks)


HELP = Command("help", help_)
