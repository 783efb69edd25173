"""What was decided of something, and by what."""

from typing import NamedTuple

from actors.permissions.rules import STRICTNESS, format_rule
from messages.policy import Action, Rule


class AccessDecision(NamedTuple):
    """What was decided, by what, and what a person could grant to lift it."""

    action: Action
    reason: str
    rule: Rule | None = None
    source: str = ""
    by_default: bool = False
    """No rule of anybody's made it, so that `auto-edit` may lift it."""
    always_ask: bool = False
    """Only an answer to this very call lifts it."""
    grants: tuple[Rule, ...] = ()
    broader_grants: tuple[Rule, ...] = ()
    """As `grants`, by the beginnings of commands; empty: there is nothing wider."""


NO_OBJECTION = AccessDecision("allow", "", by_default=True)
"""No rule has anything against it."""


def find_strictest(decisions: list[AccessDecision]) -> AccessDecision:
    """Take the strictest; of equals one that no grant lifts, then the first."""
    hardest, most = decisions[0], -1
    for each in decisions:
        strictness = 2 * STRICTNESS[each.action] + each.always_ask
        if strictness > most:
            hardest, most = each, strictness
    return hardest


def decide_by_rule(rule: Rule, source: str, *, by_default: bool = False) -> AccessDecision:
    """Let a rule decide."""
    reason = f"{format_rule(rule)} ({source})"
    return AccessDecision(rule.action, reason, rule=rule, source=source, by_default=by_default)
