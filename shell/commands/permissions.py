"""`/permissions`."""

from functools import partial

from messages.permissions import ExplainLastDecision, GetPolicy, RevokeGrant
from shell.commands.command import Command, ReplHost
from shell.numbered import numbered
from shell.rereading import Reread
from shell.view.policy import granted_of
from shell.visible import exact_line

STAY = "The old rules stay."
USAGE = "usage: /permissions [why | revoke N | reload]"


def permissions(words: list[str], shell: ReplHost) -> str:
    """Show mode, rules, grants; `why`: the last call, `revoke N`: a grant, `reload`: the rules."""
    match words:
        case []:
            shell.post(GetPolicy())
        case ["why"]:
            shell.post(ExplainLastDecision())
        case ["revoke", number] if number.isdecimal():
            return _revoke(numbered(number), shell)
        case ["reload"]:
            shell.later(shell.place.reread, partial(_take_up, shell))
        case _:
            return USAGE
    return ""


def _revoke(number: int, shell: ReplHost) -> str:
    """Take back what stands under a number, as it was shown."""
    listed = shell.state.listed
    if listed is None:
        return "Type /permissions first: it numbers what you granted."
    granted = granted_of(listed)
    if not 0 < number <= len(granted):
        return f"Nothing that was granted had the number {number} when you looked last."
    scope, rule = granted[number - 1]
    shell.post(RevokeGrant(rule=rule, scope=scope))
    return ""


def _take_up(shell: ReplHost, found: Reread | None) -> None:
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
