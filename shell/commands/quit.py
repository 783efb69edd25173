"""`/quit`."""

from shell.commands.command import Command, ReplHost


def quit_(words: list[str], shell: ReplHost) -> str:
    """Leave the program."""
    if words:
        return "usage: /quit"
    shell.leave()
    return ""


QUIT = Command("quit", quit_)
