"""`/help`."""

from collections.abc import Mapping

from shell.commands.command import Command, ReplHost
from shell.help.topics import TOPICS, read_topic
from shell.view.pager import create_plain_page

KEY_REFERENCE = (
    ("Enter", "send; while a turn runs: queue"),
    ("Ctrl-J, Alt-Enter", "new line"),
    ("/ and @", "complete a command, a file"),
    ("!command", "run a command of your own; the model hears of it with your next message"),
    ("Up, Down", "what was queued or said before"),
    ("Down", "on an empty line: the agents at work, as /tasks"),
    ("Ctrl-R", "look for what was said before"),
    ("Ctrl-O", "details: all of the outputs and the reasoning"),
    ("Esc", "close what is open, else interrupt the turn"),
    ("Ctrl-C", "close, clear, interrupt; twice: leave"),
    ("Shift-Tab", "the next mode: default, auto-edit, plan"),
    ("Ctrl-Y", "to the waiting approval"),
    ("Ctrl-Z", "suspend until `fg`"),
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
    """Write out the commands and keys, a line each."""
    told = [("/" + command.name, command.help) for command in commands.values()]
    width = max(len(name) for name, _ in (*told, *KEY_REFERENCE))
    blocks = (
        "\n".join(f"{name:<{width}}  {what}" for name, what in rows)
        for rows in (told, KEY_REFERENCE)
    )
    return "\n\n".join(blocks)


HELP = Command("help", help_)
