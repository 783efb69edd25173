"""`/quit`."""

from shell.commands.command import Command, Shell


def quit_(words: list[str], shell: Shell) -> str:
    """Leave the program."""
    if words:
        return "usage: /quit"
    shell.leave()
    return ""


QUIT = Command("quit", quit_)
