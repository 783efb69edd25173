"""The decision on one access, and the rule or other cause that decided."""

from typing import NamedTuple

from actors.permissions.default_rules import DEFAULT_SOURCE
from actors.permissions.rule_matching import STRICTNESS, format_rule
from messages.policy import Action, Rule


class AccessDecision(NamedTuple):
    """A decision, its cause, and the grants that could lift an ask."""

    action: Action
    reason: str
    """A clause that can follow "because": no capital letter at the start, no period at the end."""
    rule: Rule | None = None
    source: str = ""
    by_default: bool = False
    """No rule of a rule source decided, so `auto-edit` may lift the ask."""
    always_ask: bool = False
    """Only a decision on this specific call allows it."""
    grants: tuple[Rule, ...] = ()
    broader_grants: tuple[Rule, ...] = ()
    """Like `grants`, but for command prefixes. Empty: nothing broader can be offered."""

    @property
    def is_built_in(self) -> bool:
        """Whether no rule contributed to it, not even one for a file that a command reads."""
        return self.by_default and self.source in ("", DEFAULT_SOURCE)


NO_OBJECTION = AccessDecision("allow", "", by_default=True)
"""No ask or deny rule matches an access that only such rules apply to."""


def find_strictest(decisions: list[AccessDecision]) -> AccessDecision:
    """Return the strictest decision; among equals, prefer one that always asks, then the first."""
    strictest, max_strictness = decisions[0], -1
    for decision in decisions:
        strictness = 2 * STRICTNESS[decision.action] + decision.always_ask
        if strictness > max_strictness:
            strictest, max_strictness = decision, strictness
    return strictest


def decide_by_rule(rule: Rule, source: str, *, by_default: bool = False) -> AccessDecision:
    """Return the decision of a rule that matches."""
    return AccessDecision(
        rule.action, describe_rule(rule, source), rule=rule, source=source, by_default=by_default
    )


def describe_rule(rule: Rule, source: str) -> str:
    """Return the reason for a decision that a rule made."""
    return f'the rule "{format_rule(rule)}" applies ({source})'
