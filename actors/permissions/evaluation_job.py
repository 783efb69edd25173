"""One call judged as a job of its own: whatever happens meanwhile, there is a verdict."""

import logging
from collections.abc import Callable
from typing import Literal

from actors.permissions.decide_call import CallDecision
from actors.permissions.evaluation_pool import EvaluationPool
from actors.permissions.rules import is_internal
from actors.runtime.actor import JobFailure
from messages.permissions import (
    EvaluatedRequest,
    EvaluatePermission,
    EvaluationFinished,
    PermissionDecision,
)
from messages.policy import Policy

log = logging.getLogger("greenroom.permissions")


async def run_evaluation(
    ticket: int,
    query: EvaluatePermission,
    policy: Policy,
    evaluate: Callable[[], CallDecision],
    pool: EvaluationPool,
) -> EvaluationFinished:
    """Judge on a thread: following a path may block. A fault of ours is an ask, never an allow."""
    try:
        decision = evaluate() if is_internal(query.requests) else await pool.run(evaluate)
    except TimeoutError:
        return _asking(ticket, query, policy, f"judging it took longer than {pool.timeout_s:g} s")
    except Exception as error:
        log.exception("judging %s failed", query.id)
        why = f"it could not be judged: {type(error).__name__}: {error}"
        return _asking(ticket, query, policy, why)
    judgement = decision.decision
    log.debug(
        "%s: %s, %s; consulted: %d grants of the session, %d of the project",
        query.id,
        judgement.action,
        judgement.reason,
        len(policy.grants),
        len(policy.project_grants),
    )
    verdict = PermissionDecision(
        id=query.id,
        action=judgement.action,
        reason=judgement.reason,
        policy_version=policy.policy_version,
        rule=judgement.rule,
        source=judgement.source,
        grants=judgement.grants,
        broader_grants=judgement.broader_grants,
        resolved_requests=decision.parts,
        read_policy=decision.read_policy,
    )
    parts = (
        EvaluatedRequest(request=matter.request, action=each.action, reason=each.reason)
        for matter, each in decision.access_decisions
        if matter.rule_scope == "full" or each.action != "allow"
    )
    return EvaluationFinished(
        evaluation_id=ticket, decision=verdict, evaluated_requests=tuple(parts)
    )


def unjudged(
    ticket: int, query: EvaluatePermission, policy: Policy, failure: JobFailure
) -> EvaluationFinished:
    """Ask where judging had no outcome of its own."""
    return _asking(ticket, query, policy, f"it could not be judged: {failure.detail}")


def _asking(ticket: int, query: EvaluatePermission, policy: Policy, why: str) -> EvaluationFinished:
    return EvaluationFinished(
        evaluation_id=ticket, decision=decide_without_rules(query, policy, "ask", why)
    )


def decide_without_rules(
    query: EvaluatePermission, policy: Policy, action: Literal["ask", "deny"], reason: str
) -> PermissionDecision:
    """Decide without hearing any rule."""
    generation = policy.policy_version
    return PermissionDecision(id=query.id, action=action, reason=reason, policy_version=generation)
