"""Allow, ask or deny: rules decide, a ceiling only tightens, grants and modes lift only an ask."""

from collections.abc import Iterable
from dataclasses import replace

from actors.permissions.hearing import Rulebook, heard
from actors.permissions.judgement import Judgement, strictest
from actors.permissions.matters import Matter
from actors.permissions.rules import ASKING, CHANGING, ready, shown
from messages.rules import PermissionMode, Policy, Profile, Rule

MODES: tuple[PermissionMode, ...] = ("plan", "default", "auto-edit", "yolo")


def judged(decided: Iterable[tuple[Matter, Judgement]]) -> Judgement:
    """Put together what was decided: the strictest of a call's matters decides; without any, ask.

    A grant is offered only where grants lift all that asks.
    """
    each = [judgement for _, judgement in decided]
    if not each:
        return Judgement("ask", "it does not say what it touches")
    hardest = strictest(each)
    asking = [one for one in each if one.action == "ask"]
    if hardest.action != "ask" or not all(one.grants for one in asking):
        return replace(hardest, grants=())
    return replace(hardest, grants=tuple(dict.fromkeys(r for one in asking for r in one.grants)))


def decide(matter: Matter, book: Rulebook) -> Judgement:
    """Judge one matter: the rules of each in the chain, ceiling, floor, protection, then lifts."""
    policy, chain = book.policy, book.chain
    if not chain:
        return Judgement("deny", "nobody is known to ask")
    mode = mode_of(policy, chain)
    said = [heard(matter, book, at) for at in range(len(chain))]
    decided = strictest([*said, *_ceiling(matter, mode, chain)])
    if matter.refusal:
        return Judgement("deny", matter.refusal)
    if decided.action == "deny":
        return decided
    lasting = _lasting(matter, decided, mode, policy)
    if lasting:
        return Judgement("ask", lasting, lasting=True)
    if matter.floor and (decided.action == "allow" or decided.by_default):
        decided = Judgement("ask", matter.floor, source="floor")
    if decided.action == "allow":
        return decided
    by_default = all(each.action == "allow" or each.by_default for each in said)
    lifted = _lift(matter, policy, mode, by_default=by_default)
    return lifted or replace(decided, grants=_grantable(matter))


def mode_of(policy: Policy, chain: tuple[Profile, ...]) -> PermissionMode:
    """Find the mode that an agent works in: no looser than any definition above it allows."""
    modes = (policy.mode, *(each.mode for each in chain))
    return next(mode for mode in MODES if mode in modes)


# The ceiling.


def _ceiling(matter: Matter, mode: PermissionMode, chain: tuple[Profile, ...]) -> list[Judgement]:
    """Deny what plan mode and `read_only` rule out, for whoever works under them."""
    if matter.reading or matter.weight != "full":
        return []
    told: list[Judgement] = []
    only = next((each for each in chain if each.read_only), None)
    if only is not None:
        source = f"definition {only.agent}"
        told.append(Judgement("deny", f"{only.agent} only reads", source=source))
    command = matter.request.permission == "bash"
    if mode == "plan" and not command and not matter.plan_file:
        told.append(Judgement("deny", "plan mode only reads, and writes plans", source="mode plan"))
    return told


def _lasting(matter: Matter, decided: Judgement, mode: PermissionMode, policy: Policy) -> str:
    """Say why only an answer to this very call will do; empty: no reason."""
    if matter.request.permission in ASKING:
        return f"{matter.request.permission} is a question itself"
    if policy.protected is not None and matter.protected:
        return matter.protected
    in_plan = mode == "plan" and matter.request.permission == "bash"
    if in_plan and matter.weight == "full" and (decided.action == "ask" or matter.floor):
        return f"plan mode only reads: {matter.floor or decided.reason}"
    return ""


# Lifts.


def _lift(
    matter: Matter, policy: Policy, mode: PermissionMode, *, by_default: bool
) -> Judgement | None:
    if mode == "yolo":
        return Judgement("allow", "mode yolo", source="mode yolo")
    changes = matter.request.permission in CHANGING and matter.weight == "full"
    if mode == "auto-edit" and changes and by_default and matter.inside and not matter.floor:
        return Judgement("allow", "mode auto-edit", source="mode auto-edit")
    for rule in policy.grants:
        if _grants(rule, matter):
            source = "granted in this session"
            return Judgement("allow", f"{shown(rule)} ({source})", rule=rule, source=source)
    return None


def _grants(rule: Rule, matter: Matter) -> bool:
    """Whether a grant lifts an ask: a floor only if it is that exact text.

    Of wider ones only the beginning of a command counts: no other is ever offered.
    """
    if rule.action != "allow" or rule.permission != matter.request.permission or matter.unknown:
        return False
    if "*" not in rule.pattern:
        return rule.pattern == matter.request.target
    begins = rule.pattern.endswith(" *") and rule.pattern.count("*") == 1
    return rule.permission == "bash" and begins and not matter.floor and _covers(rule, matter)


def _covers(rule: Rule, matter: Matter) -> bool:
    return ready(rule).whole(matter.request.target)


def _grantable(matter: Matter) -> tuple[Rule, ...]:
    """Make the rule for exactly this target; none where its text would match more than itself."""
    target = matter.request.target
    if matter.unknown or not target or "*" in target:
        return ()
    return (Rule(permission=matter.request.permission, pattern=target, action="allow"),)


def granting(policy: Policy, rules: tuple[Rule, ...]) -> Policy:
    """Add what a person granted; it can only ever allow."""
    allowing = (rule for rule in dict.fromkeys(rules) if rule.action == "allow")
    new = tuple(rule for rule in allowing if rule not in policy.grants)
    return replace(policy, grants=policy.grants + new, generation=policy.generation + 1)
