"""`/quit`."""

from shell.commands.command import Command, ReplHost


def quit_(words: list[str], host: ReplHost) -> str:
    """Exit the program."""
    if words:
        return "usage: /quit"
    host.quit()
    return ""


QUIT = Command("quit", quit_)
