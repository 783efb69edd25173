"""Allow, ask or deny: rules decide, a ceiling only tightens, grants and modes lift only an ask."""

from collections.abc import Iterable

from actors.permissions.granting import lifts, offered, offered_wider
from actors.permissions.hearing import heard
from actors.permissions.judgement import AccessDecision, strictest
from actors.permissions.matters import Access
from actors.permissions.rulebook import RuleIndex
from actors.permissions.rules import ASKING, CHANGING, shown


def judged(decided: Iterable[tuple[Access, AccessDecision]]) -> AccessDecision:
    """Put together what was decided: the strictest of a call's matters decides; without any, ask.

    A grant is offered only where grants lift all that asks.
    """
    each = tuple(decided)
    if not each:
        return AccessDecision("ask", "it does not say what it touches")
    hardest = strictest([judgement for _, judgement in each])
    if hardest.action != "ask" or hardest.lasting:
        return hardest
    asking = [matter for matter, judgement in each if judgement.action == "ask"]
    literal = offered(asking)
    wider = offered_wider(asking) if literal else ()
    return hardest._replace(grants=literal, broader_grants=() if wider == literal else wider)


def decide(matter: Access, book: RuleIndex) -> AccessDecision:
    """Judge one matter: the rules of each in the chain, ceiling, floor, protection, then lifts."""
    if not book.chain:
        return AccessDecision("deny", "nobody is known to ask")
    said = [heard(matter, book, at) for at in range(len(book.chain))]
    decided = strictest(said + _ceiling(matter, book))
    if matter.refusal:
        decided = AccessDecision("deny", matter.refusal)
    if decided.action == "deny":
        return decided
    lasting = _lasting(matter, decided, book)
    if lasting:
        return AccessDecision("ask", lasting, lasting=True)
    if matter.floor and (decided.action == "allow" or decided.by_default):
        decided = AccessDecision("ask", matter.floor, source="floor")
    if decided.action == "allow":
        return decided
    return _lift(matter, book, said) or decided


# The ceiling.


def _ceiling(matter: Access, book: RuleIndex) -> list[AccessDecision]:
    """Deny what plan mode and `read_only` rule out, for whoever works under them."""
    only = book.read_only
    if matter.reading or matter.weight != "full" or (only is None and book.mode != "plan"):
        return []
    told: list[AccessDecision] = []
    if only is not None:
        source = f"definition {only.agent}"
        told.append(AccessDecision("deny", f"{only.agent} only reads", source=source))
    command = matter.permission == "bash"
    if book.mode == "plan" and not command and not matter.plan_file:
        told.append(
            AccessDecision("deny", "plan mode only reads, and writes plans", source="mode plan")
        )
    return told


def _lasting(matter: Access, decided: AccessDecision, book: RuleIndex) -> str:
    """Say why only an answer to this very call will do; empty: no reason."""
    if matter.permission in ASKING:
        return f"{matter.permission} is a question itself"
    if matter.protected and book.policy.protected is not None:
        return matter.protected
    in_plan = book.mode == "plan" and matter.permission == "bash"
    if in_plan and matter.weight == "full" and (decided.action == "ask" or matter.floor):
        return f"plan mode only reads: {matter.floor or decided.reason}"
    return ""


# Lifts.


def _lift(matter: Access, book: RuleIndex, said: list[AccessDecision]) -> AccessDecision | None:
    mode = book.mode
    if mode == "yolo":
        return AccessDecision("allow", "mode yolo", source="mode yolo")
    if mode == "auto-edit" and _is_plain_change(matter) and all(map(_is_by_default, said)):
        return AccessDecision("allow", "mode auto-edit", source="mode auto-edit")
    for source, grants in (
        ("granted in this session", book.policy.grants),
        ("granted for this project", book.policy.project_grants),
    ):
        for rule in grants:
            if lifts(rule, matter):
                return AccessDecision(
                    "allow", f"{shown(rule)} ({source})", rule=rule, source=source
                )
    return None


def _is_plain_change(matter: Access) -> bool:
    changes = matter.permission in CHANGING and matter.weight == "full"
    return changes and matter.inside and not matter.floor


def _is_by_default(judgement: AccessDecision) -> bool:
    return judgement.action == "allow" or judgement.by_default
