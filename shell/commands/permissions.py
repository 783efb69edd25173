"""`/permissions`."""

from messages.permissions import ListPolicy
from shell.commands.command import Command, Shell


def permissions(words: list[str], shell: Shell) -> str:
    """Show the mode, the rules by their sources, and what you granted."""
    if words:
        return "usage: /permissions"
    shell.post(ListPolicy())
    return ""


PERMISSIONS = Command("permissions", permissions)
