"""What a person may grant, and what a grant lifts: a literal target, or a command's beginning."""

import re
from collections.abc import Iterable
from dataclasses import replace

from actors.permissions.access import Access
from actors.permissions.rules import ASK_PERMISSIONS, compile_rule, find_rule_problem
from messages.policy import GrantScope, Policy, Rule

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_CHANGING = "rm rmdir unlink mv cp ln chmod chown chgrp truncate shred mkfs mount umount reboot"
_RUNNING = (
    "crystal dart dotnet elvish erb fzf gtimeout java jupyter kotlin matlab mongo mono nim nox nu "
    "ocaml pdksh php-cgi powershell pry runghc runhaskell sbcl sshpass swift tcc tox wine xonsh "
    "yash zx"
)
_NEVER = frozenset([*_CHANGING.split(), *_RUNNING.split()])
"""Of these no beginning is granted: what follows says all that matters. The last run what it names,
beside those with a guard."""
_WITH_SUBCOMMANDS = frozenset(
    "git npm pnpm yarn cargo go make gmake ninja just uv poetry pdm pipenv hatch bundle gh".split()  # noqa: SIM905  (a list would be a page)
)
"""Of all that can run others by their arguments, these alone are granted by two words."""


MAX_OFFERED_CHARS = 400
"""Of all the rules of one offer, which stand on the screen for as long as the question does."""


def list_grantable_rules(asking: Iterable[Access]) -> tuple[Rule, ...]:
    """Make the rules for exactly these; none where a text of theirs would match more than it.

    Nor where they would take too much room to be read before they are stored.
    """
    exact: dict[tuple[str, str], None] = {}
    for matter in asking:
        text = get_exact_pattern(matter)
        if matter.is_target_unknown or not text or "*" in text:
            return ()
        exact[matter.permission, text] = None
    return _readable(exact)


def list_broader_grants(asking: Iterable[Access]) -> tuple[Rule, ...]:
    """Make the rules for their beginnings; a literal one for what is a floor, or no command."""
    wider: dict[tuple[str, str], None] = {}
    for matter in asking:
        target = matter.target
        whole = matter.permission != "bash" or bool(matter.ask_reason)
        begins = "" if whole else find_command_prefix(target)
        pattern = f"{begins} *" if begins else get_exact_pattern(matter)
        wider[matter.permission, pattern] = None
    return _readable(wider)


def _readable(patterns: Iterable[tuple[str, str]]) -> tuple[Rule, ...]:
    """Make rules of permissions and patterns; none where they are too long to be read."""
    text = "".join([pattern for _, pattern in patterns])
    if len(text) > MAX_OFFERED_CHARS or "\n" in text:
        return ()
    return tuple(
        Rule(permission=permission, pattern=pattern, action="allow")
        for permission, pattern in patterns
    )


def get_exact_pattern(access: Access) -> str:
    """Write out what a grant of exactly this says."""
    return access.grant_text or access.target


def find_command_prefix(command: str) -> str:
    """Find the words that may stand for a command, a program's subcommand included.

    Empty: none may. An interpreter, shell, wrapper or `git` never stands alone.
    """
    # The table of commands takes its time to import: not on the way to the screen.
    from actors.bash.parse import has_effect_rule  # noqa: PLC0415

    first, *rest = command.split(" ")
    if not _NAME.fullmatch(first) or first in _NEVER or not rest:
        return ""
    runs_others = has_effect_rule(first)
    if _SUBCOMMAND.fullmatch(rest[0]) and (not runs_others or first in _WITH_SUBCOMMANDS):
        return f"{first} {rest[0]}"
    return "" if runs_others else first


def covers(rule: Rule, access: Access) -> bool:
    """Whether a grant lifts an ask: a floor only if it is that exact text.

    Of wider ones only the beginning of a command counts, alone or with more behind it: no other is
    ever offered.
    """
    if rule.action != "allow" or rule.permission != access.permission or access.is_target_unknown:
        return False
    if "*" not in rule.pattern:
        return rule.pattern == get_exact_pattern(access)
    begins = rule.pattern.endswith(" *") and rule.pattern.count("*") == 1
    whole = rule.permission == "bash" and begins and not access.ask_reason
    return whole and compile_rule(rule).has_ask_or_deny_match((access.target,), None)


def find_grant_problem(rule: Rule) -> str:
    """Say why a rule is no grant that could have been offered; empty: it may be stored."""
    wrong = find_rule_problem(rule)
    if wrong:
        return wrong
    if rule.action != "allow" or rule.agent is not None or rule.permission in ASK_PERMISSIONS:
        return f"{rule.permission} {rule.pattern} is nothing that can be granted"
    if "*" not in rule.pattern:
        return ""
    begins = rule.pattern.removesuffix(" *")
    if (
        rule.permission != "bash"
        or begins == rule.pattern
        or find_command_prefix(f"{begins} -") != begins
    ):
        return f"{rule.permission} {rule.pattern} is wider than anything that is offered"
    return ""


def with_grants(policy: Policy, rules: tuple[Rule, ...], scope: GrantScope = "session") -> Policy:
    """Add what a person granted; it can only ever allow."""
    allowing = (rule for rule in rules if rule.action == "allow")
    return _keeping(policy, (*get_grants(policy, scope), *allowing), scope)


def without_grant(policy: Policy, rule: Rule, scope: GrantScope) -> Policy:
    """Take a grant back."""
    return _keeping(policy, (each for each in get_grants(policy, scope) if each != rule), scope)


def _keeping(policy: Policy, rules: Iterable[Rule], scope: GrantScope) -> Policy:
    kept, generation = tuple(dict.fromkeys(rules)), policy.policy_version + 1
    if scope == "project":
        return replace(policy, project_grants=kept, policy_version=generation)
    return replace(policy, grants=kept, policy_version=generation)


def get_grants(policy: Policy, scope: GrantScope) -> tuple[Rule, ...]:
    """List what was granted for so long."""
    return policy.project_grants if scope == "project" else policy.grants
