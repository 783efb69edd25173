"""The job that evaluates one tool call; whatever happens, it ends in a decision."""

import logging
from collections.abc import Callable
from typing import Literal

from actors.permissions.decide_call import CallDecision
from actors.permissions.evaluation_pool import EvaluationPool
from actors.permissions.rule_matching import is_internal
from actors.runtime.actor import JobFailure
from messages.base import Message
from messages.permissions import EvaluatedRequest, EvaluatePermission, PermissionDecision
from messages.policy import Policy

log = logging.getLogger("greenroom.permissions")


class EvaluationFinished(Message):
    """The outcome of an evaluation job; the engine forwards it to the requester."""

    type: Literal["evaluation_finished"] = "evaluation_finished"
    evaluation_id: int
    decision: PermissionDecision
    evaluated_requests: tuple[EvaluatedRequest, ...] = ()


async def run_evaluation(
    evaluation_id: int,
    request: EvaluatePermission,
    policy: Policy,
    evaluate: Callable[[], CallDecision],
    pool: EvaluationPool,
) -> EvaluationFinished:
    """Evaluate a call on a thread, because resolving a path may block. An error becomes an ask."""
    try:
        cannot_block = is_internal(request.requests, policy.tools)
        result = evaluate() if cannot_block else await pool.run(evaluate)
    except TimeoutError:
        reason = f"evaluating it took longer than {pool.timeout_s:g} s"
        return _finish_with_ask(evaluation_id, request, policy, reason)
    except Exception as error:
        log.exception("evaluating %s failed", request.id)
        reason = f"it could not be evaluated: {type(error).__name__}: {error}"
        return _finish_with_ask(evaluation_id, request, policy, reason)
    decision = result.decision
    log.debug(
        "%s: %s because %s; checked %d session grants and %d project grants",
        request.id,
        decision.action,
        decision.reason,
        len(policy.grants),
        len(policy.project_grants),
    )
    evaluated_requests = tuple(
        EvaluatedRequest(
            request=access.request, action=access_decision.action, reason=access_decision.reason
        )
        for access, access_decision in result.notable_decisions
    )
    return EvaluationFinished(
        evaluation_id=evaluation_id,
        decision=PermissionDecision(
            id=request.id,
            action=decision.action,
            reason=decision.reason,
            policy_version=policy.policy_version,
            rule=decision.rule,
            source=decision.source,
            grants=decision.grants,
            broader_grants=decision.broader_grants,
            resolved_requests=result.resolved_requests,
            changes_nothing=result.changes_nothing,
            sandbox=result.sandbox,
            read_policy=result.read_policy,
        ),
        evaluated_requests=evaluated_requests,
    )


def on_evaluation_failure(
    evaluation_id: int, request: EvaluatePermission, policy: Policy, failure: JobFailure
) -> EvaluationFinished:
    """Return an ask decision for an evaluation that raised an exception or was cancelled."""
    reason = f"it could not be evaluated: {failure.detail}"
    return _finish_with_ask(evaluation_id, request, policy, reason)


def _finish_with_ask(
    evaluation_id: int, request: EvaluatePermission, policy: Policy, reason: str
) -> EvaluationFinished:
    decision = decide_without_rules(request, policy, "ask", reason)
    return EvaluationFinished(evaluation_id=evaluation_id, decision=decision)


def decide_without_rules(
    request: EvaluatePermission, policy: Policy, action: Literal["ask", "deny"], reason: str
) -> PermissionDecision:
    """Build a decision that no rule was evaluated for."""
    version = policy.policy_version
    return PermissionDecision(id=request.id, action=action, reason=reason, policy_version=version)
