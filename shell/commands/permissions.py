"""`/permissions`."""

from functools import partial

from messages.permissions import ExplainLastDecision, GetPolicy, RevokeGrant
from shell.commands.command import Command, ReplHost
from shell.config.reload_rules import ReloadedRules
from shell.text.list_number import parse_list_number
from shell.text.sanitize import sanitize_line_strict
from shell.view.policy_text import list_grants

RULES_UNCHANGED = "The rules have not changed."
USAGE = "usage: /permissions [why | revoke N | reload]"


def permissions(words: list[str], host: ReplHost) -> str:
    """Show mode, rules and grants; also `why`, `revoke N` and `reload`."""
    match words:
        case []:
            host.post(GetPolicy())
        case ["why"]:
            host.post(ExplainLastDecision())
        case ["revoke", number] if number.isdecimal():
            return _revoke(parse_list_number(number), host)
        case ["reload"]:
            host.run_in_thread(host.session_context.reload_rules, partial(_apply_rules, host))
        case _:
            return USAGE
    return ""


def _revoke(number: int, host: ReplHost) -> str:
    """Revoke the grant that had this number in the last list."""
    listed = host.state.listed_policy
    if listed is None:
        return "Type /permissions first to see the numbers of your grants."
    grants = list_grants(listed)
    if not 0 < number <= len(grants):
        return f"There is no grant {number}. Type /permissions to list them."
    scope, rule = grants[number - 1]
    host.post(RevokeGrant(rule=rule, scope=scope))
    return ""


def _apply_rules(host: ReplHost, reloaded: ReloadedRules | None) -> None:
    if reloaded is None:
        host.print_notice(f"Internal error: the files could not be read. {RULES_UNCHANGED}")
        return
    notices = map(sanitize_line_strict, reloaded.notices)
    if reloaded.replace_rules is None:
        host.print_notice("\n".join((*notices, RULES_UNCHANGED)))
        return
    host.print_notice("\n".join(notices))
    host.post(reloaded.replace_rules)


PERMISSIONS = Command("permissions", permissions)
