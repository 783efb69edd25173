"""`/permissions`."""

from functools import partial

from messages.permissions import ExplainLastDecision, GetPolicy, RevokeGrant
from shell.commands.command import Command, ReplHost
from shell.config.reload_rules import ReloadedRules
from shell.text.list_number import parse_list_number
from shell.text.sanitize import sanitize_line_strict
from shell.view.policy_text import list_grants

RULES_UNCHANGED = "The old rules stay."
USAGE = "usage: /permissions [why | revoke N | reload]"


def permissions(words: list[str], host: ReplHost) -> str:
    """Show mode, rules, grants; `why`: the last call, `revoke N`: a grant, `reload`: the rules."""
    match words:
        case []:
            host.post(GetPolicy())
        case ["why"]:
            host.post(ExplainLastDecision())
        case ["revoke", number] if number.isdecimal():
            return _revoke(parse_list_number(number), host)
        case ["reload"]:
            host.run_in_thread(host.session_context.reload_rules, partial(_take_up, host))
        case _:
            return USAGE
    return ""


def _revoke(number: int, host: ReplHost) -> str:
    """Take back what stands under a number, as it was shown."""
    listed = host.state.listed_policy
    if listed is None:
        return "Type /permissions first: it numbers what you granted."
    granted = list_grants(listed)
    if not 0 < number <= len(granted):
        return f"Nothing that was granted had the number {number} when you looked last."
    scope, rule = granted[number - 1]
    host.post(RevokeGrant(rule=rule, scope=scope))
    return ""


def _take_up(host: ReplHost, found: ReloadedRules | None) -> None:
    if found is None:
        host.print_notice(f"The files could not be read (a fault of Greenroom). {RULES_UNCHANGED}")
        return
    told = map(sanitize_line_strict, found.notices)
    if found.replace_rules is None:
        host.print_notice("\n".join((*told, RULES_UNCHANGED)))
        return
    host.print_notice("\n".join(told))
    host.post(found.replace_rules)


PERMISSIONS = Command("permissions", permissions)
