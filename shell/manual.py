"""What the model's `help` tool hands out: the same text that people are shown."""

from shell.arguments import help_text
from shell.commands.help import listed
from shell.commands.table import COMMANDS


def manual() -> str:
    """Put the command line's help and the commands and keys of the screen together."""
    return f"{help_text()}\nOn the screen:\n{listed(COMMANDS)}"
