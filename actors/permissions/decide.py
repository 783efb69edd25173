"""Allow, ask or deny: rules decide, a ceiling only tightens, grants and modes lift only an ask."""

from collections.abc import Iterable

from actors.permissions.access import Access
from actors.permissions.decision import AccessDecision, find_strictest
from actors.permissions.grants import covers, list_broader_grants, list_grantable_rules
from actors.permissions.rule_evaluation import evaluate_rules
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rules import ASK_PERMISSIONS, FILE_CHANGE_PERMISSIONS, format_rule


def combine_decisions(access_decisions: Iterable[tuple[Access, AccessDecision]]) -> AccessDecision:
    """Put together what was decided: the strictest of a call's matters decides; without any, ask.

    A grant is offered only where grants lift all that asks.
    """
    each = tuple(access_decisions)
    if not each:
        return AccessDecision("ask", "it does not say what it touches")
    hardest = find_strictest([judgement for _, judgement in each])
    if hardest.action != "ask" or hardest.always_ask:
        return hardest
    asking = [matter for matter, judgement in each if judgement.action == "ask"]
    literal = list_grantable_rules(asking)
    wider = list_broader_grants(asking) if literal else ()
    return hardest._replace(grants=literal, broader_grants=() if wider == literal else wider)


def decide_access(access: Access, rule_index: RuleIndex) -> AccessDecision:
    """Judge one matter: the rules of each in the chain, ceiling, floor, protection, then lifts."""
    if not rule_index.chain:
        return AccessDecision("deny", "nobody is known to ask")
    said = [evaluate_rules(access, rule_index, at) for at in range(len(rule_index.chain))]
    decided = find_strictest(said + _ceiling(access, rule_index))
    if access.deny_reason:
        decided = AccessDecision("deny", access.deny_reason)
    if decided.action == "deny":
        return decided
    lasting = _lasting(access, decided, rule_index)
    if lasting:
        return AccessDecision("ask", lasting, always_ask=True)
    if access.ask_reason and (decided.action == "allow" or decided.by_default):
        decided = AccessDecision("ask", access.ask_reason, source="floor")
    if decided.action == "allow":
        return decided
    return _lift(access, rule_index, said) or decided


# The ceiling.


def _ceiling(matter: Access, book: RuleIndex) -> list[AccessDecision]:
    """Deny what plan mode and `read_only` rule out, for whoever works under them."""
    only = book.read_only_profile
    if (
        matter.changes_nothing
        or matter.rule_scope != "full"
        or (only is None and book.effective_mode != "plan")
    ):
        return []
    told: list[AccessDecision] = []
    if only is not None:
        source = f"definition {only.agent}"
        told.append(AccessDecision("deny", f"{only.agent} only reads", source=source))
    command = matter.permission == "bash"
    if book.effective_mode == "plan" and not command and not matter.is_plan_file:
        told.append(
            AccessDecision("deny", "plan mode only reads, and writes plans", source="mode plan")
        )
    return told


def _lasting(matter: Access, decided: AccessDecision, book: RuleIndex) -> str:
    """Say why only an answer to this very call will do; empty: no reason."""
    if matter.permission in ASK_PERMISSIONS:
        return f"{matter.permission} is a question itself"
    if matter.protection_reason and book.policy.protected_paths is not None:
        return matter.protection_reason
    in_plan = book.effective_mode == "plan" and matter.permission == "bash"
    if in_plan and matter.rule_scope == "full" and (decided.action == "ask" or matter.ask_reason):
        return f"plan mode only reads: {matter.ask_reason or decided.reason}"
    return ""


# Lifts.


def _lift(matter: Access, book: RuleIndex, said: list[AccessDecision]) -> AccessDecision | None:
    mode = book.effective_mode
    if mode == "yolo":
        return AccessDecision("allow", "mode yolo", source="mode yolo")
    if mode == "auto-edit" and _is_plain_change(matter) and all(map(_is_by_default, said)):
        return AccessDecision("allow", "mode auto-edit", source="mode auto-edit")
    for source, grants in (
        ("granted in this session", book.policy.grants),
        ("granted for this project", book.policy.project_grants),
    ):
        for rule in grants:
            if covers(rule, matter):
                return AccessDecision(
                    "allow", f"{format_rule(rule)} ({source})", rule=rule, source=source
                )
    return None


def _is_plain_change(matter: Access) -> bool:
    changes = matter.permission in FILE_CHANGE_PERMISSIONS and matter.rule_scope == "full"
    return changes and matter.is_in_workspace and not matter.ask_reason


def _is_by_default(judgement: AccessDecision) -> bool:
    return judgement.action == "allow" or judgement.by_default
