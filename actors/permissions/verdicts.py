"""One call judged as a job of its own: whatever happens meanwhile, there is a verdict."""

import logging
from collections.abc import Callable
from typing import Literal

from actors.permissions.court import Court
from actors.permissions.deciding import Decision
from actors.permissions.rules import touches_nothing
from actors.runtime.actor import Failure
from messages.permissions import CallJudged, JudgedPart, PermissionQuery, PermissionVerdict
from messages.rules import Policy

log = logging.getLogger("greenroom.permissions")


async def judged_in_time(
    ticket: int,
    query: PermissionQuery,
    policy: Policy,
    case: Callable[[], Decision],
    court: Court,
) -> CallJudged:
    """Judge on a thread: following a path may block. A fault of ours is an ask, never an allow."""
    try:
        decision = case() if touches_nothing(query.requests) else await court.judged(case)
    except TimeoutError:
        return _asking(ticket, query, policy, f"judging it took longer than {court.judging_s:g} s")
    except Exception as error:
        log.exception("judging %s failed", query.id)
        why = f"it could not be judged: {type(error).__name__}: {error}"
        return _asking(ticket, query, policy, why)
    judgement = decision.judgement
    log.debug(
        "%s: %s, %s; consulted: %d grants of the session, %d of the project",
        query.id,
        judgement.action,
        judgement.reason,
        len(policy.grants),
        len(policy.project_grants),
    )
    verdict = PermissionVerdict(
        id=query.id,
        action=judgement.action,
        reason=judgement.reason,
        generation=policy.generation,
        rule=judgement.rule,
        source=judgement.source,
        grants=judgement.grants,
        wider=judgement.wider,
        parts=decision.parts,
        reads=decision.reads,
    )
    parts = (
        JudgedPart(request=matter.request, action=each.action, reason=each.reason)
        for matter, each in decision.matters
        if matter.weight == "full" or each.action != "allow"
    )
    return CallJudged(ticket=ticket, verdict=verdict, parts=tuple(parts))


def unjudged(ticket: int, query: PermissionQuery, policy: Policy, failure: Failure) -> CallJudged:
    """Ask where judging had no outcome of its own."""
    return _asking(ticket, query, policy, f"it could not be judged: {failure.detail}")


def _asking(ticket: int, query: PermissionQuery, policy: Policy, why: str) -> CallJudged:
    return CallJudged(ticket=ticket, verdict=verdict_without_rules(query, policy, "ask", why))


def verdict_without_rules(
    query: PermissionQuery, policy: Policy, action: Literal["ask", "deny"], reason: str
) -> PermissionVerdict:
    """Decide without hearing any rule."""
    generation = policy.generation
    return PermissionVerdict(id=query.id, action=action, reason=reason, generation=generation)
