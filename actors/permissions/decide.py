"""Third pass of a decision: allow, ask or deny each access.

Rules decide, modes and profiles set limits, and grants and modes lift an ask.
"""

from collections.abc import Iterable

from actors.permissions import protected_paths
from actors.permissions.access import Access
from actors.permissions.decision import AccessDecision, describe_rule, find_strictest
from actors.permissions.grants import (
    covers,
    list_broader_grants,
    list_grantable_rules,
    names_program,
)
from actors.permissions.rule_evaluation import evaluate_rules
from actors.permissions.rule_index import RuleIndex

MINIMUM_ASK_SOURCE = "minimum ask"
SESSION_GRANT_SOURCE = "granted for this session"
PROJECT_GRANT_SOURCE = "granted for this project"


def combine_decisions(access_decisions: Iterable[tuple[Access, AccessDecision]]) -> AccessDecision:
    """Return the strictest decision of a call's accesses; a call without any access asks.

    Grants are offered only if they can lift every ask of the call.
    """
    pairs = tuple(access_decisions)
    if not pairs:
        return AccessDecision("ask", "it does not say what it would access")
    strictest = find_strictest([decision for _, decision in pairs])
    if strictest.action != "ask" or strictest.always_ask:  # no grant could lift it
        return strictest
    asking = [access for access, decision in pairs if decision.action == "ask"]
    exact = list_grantable_rules(asking)
    broader = list_broader_grants(asking) if exact else ()
    return strictest._replace(grants=exact, broader_grants=() if broader == exact else broader)


def decide_access(  # noqa: PLR0911  (one return per step)
    access: Access, rule_index: RuleIndex
) -> AccessDecision:
    """Decide one access.

    In order: the rules for each agent of the chain, their limits, minimum ask, always ask, then
    what lifts an ask.
    """
    if not rule_index.chain:
        return AccessDecision("deny", "the agent is unknown")
    by_agent = [evaluate_rules(access, rule_index, at) for at in range(len(rule_index.chain))]
    restricting = _drop_ancestor_defaults(by_agent, rule_index)
    decision = find_strictest(restricting + _apply_limits(access, rule_index))
    if access.deny_reason:
        decision = AccessDecision("deny", access.deny_reason)
    if decision.action == "deny" and access.is_implied:
        reason = f"it may read {access.target}, and {decision.reason}"
        return decision._replace(action="ask", reason=reason, always_ask=True)
    if decision.action == "deny":
        return decision
    always_ask_reason = _find_always_ask_reason(access, rule_index)
    if always_ask_reason:
        return AccessDecision("ask", always_ask_reason, always_ask=True)
    if (
        access.ask_reason
        and not _is_allowed_by_name(access, decision)
        and (decision.action == "allow" or decision.by_default)
    ):
        decision = AccessDecision("ask", access.ask_reason, source=MINIMUM_ASK_SOURCE)
    if decision.action == "allow":
        return decision
    if _is_command_in_plan_mode(access, rule_index):
        reason = f"{access.ask_reason or decision.reason}, and plan mode is read-only"
        return decision._replace(reason=reason, always_ask=True)
    return _lift_ask(access, rule_index, by_agent) or decision


def _drop_ancestor_defaults(
    by_agent: list[AccessDecision], rule_index: RuleIndex
) -> list[AccessDecision]:
    """Return the decisions that restrict the agent, which is the first.

    A built-in default of an ancestor does not restrict what a rule allows the agent itself, except
    in plan mode: there, a command asks unless a rule allows it for every agent of the chain.
    """
    own, *ancestors = by_agent
    is_allowed_by_rule = own.action == "allow" and not own.by_default
    if not is_allowed_by_rule or rule_index.effective_mode == "plan":
        return by_agent
    return [own, *(decision for decision in ancestors if not decision.is_built_in)]


# Limits.


def _apply_limits(access: Access, rule_index: RuleIndex) -> list[AccessDecision]:
    """Return the denials of plan mode and of a `read_only` agent in the chain."""
    read_only = rule_index.read_only_profile
    is_plan_mode = rule_index.effective_mode == "plan"
    if (
        access.changes_nothing
        or access.rule_scope != "all"
        or (read_only is None and not is_plan_mode)
    ):
        return []
    denials: list[AccessDecision] = []
    if read_only is not None:
        source = f"definition {read_only.agent}"
        denials.append(
            AccessDecision("deny", f"the agent {read_only.agent} is read-only", source=source)
        )
    is_plan_file = access.category == "change" and protected_paths.is_plan_file(access.target)
    # A command is not denied: it asks, because analysis may not see that it only reads.
    if is_plan_mode and access.permission != "bash" and not is_plan_file:
        reason = "plan mode allows only reading and writing plan files"
        denials.append(AccessDecision("deny", reason, source="mode plan"))
    return denials


def _find_always_ask_reason(access: Access, rule_index: RuleIndex) -> str:
    """Return why only a decision on this specific call can allow it, or an empty string."""
    if access.category == "ask":
        return f"{access.permission} always needs approval"
    if access.protection_reason and rule_index.policy.protected_paths is not None:
        return access.protection_reason
    return ""


def _is_allowed_by_name(access: Access, decision: AccessDecision) -> bool:
    """Whether a rule allows a command by naming the program that the command runs."""
    rule = decision.rule
    return decision.action == "allow" and rule is not None and names_program(rule, access)


def _is_command_in_plan_mode(access: Access, rule_index: RuleIndex) -> bool:
    is_command = access.permission == "bash" and access.rule_scope == "all"
    return is_command and rule_index.effective_mode == "plan"


# Lifting an ask.


def _lift_ask(
    access: Access, rule_index: RuleIndex, by_agent: list[AccessDecision]
) -> AccessDecision | None:
    mode = rule_index.effective_mode
    is_auto_edit = mode == "auto-edit" and _is_plain_file_change(access)
    if mode == "yolo" or (is_auto_edit and all(map(_is_allow_or_default, by_agent))):
        return AccessDecision("allow", f"{mode} mode allows it", source=f"mode {mode}")
    for source, grants in (
        (SESSION_GRANT_SOURCE, rule_index.policy.grants),
        (PROJECT_GRANT_SOURCE, rule_index.policy.project_grants),
    ):
        for rule in grants:
            if covers(rule, access):
                return AccessDecision(
                    "allow", describe_rule(rule, source), rule=rule, source=source
                )
    return None


def _is_plain_file_change(access: Access) -> bool:
    is_change = access.category == "change" and access.rule_scope == "all"
    return is_change and access.is_in_workspace and not access.ask_reason


def _is_allow_or_default(decision: AccessDecision) -> bool:
    return decision.action == "allow" or decision.by_default
