"""`/permissions`."""

from functools import partial

from messages.permissions import ListPolicy
from shell.commands.command import Command, Shell
from shell.rereading import Reread
from shell.visible import exact_line

STAY = "The old rules stay."


def permissions(words: list[str], shell: Shell) -> str:
    """Show mode, rules and what you granted; `/permissions reload` reads the rules anew."""
    match words:
        case []:
            shell.post(ListPolicy())
        case ["reload"]:
            shell.later(shell.place.reread, partial(_take_up, shell))
        case _:
            return "usage: /permissions [reload]"
    return ""


def _take_up(shell: Shell, found: Reread | None) -> None:
    if found is None:
        shell.remark(f"The files could not be read (a fault of Greenroom). {STAY}")
        return
    told = map(exact_line, found.told)
    if found.rules is None:
        shell.remark("\n".join((*told, STAY)))
        return
    shell.remark("\n".join(told))
    shell.post(found.rules)


PERMISSIONS = Command("permissions", permissions)
