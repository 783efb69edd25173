"""Jobs that look at the whole workspace."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, assert_never

from actors.agents.effect_handlers.collaborators import AgentPorts
from actors.agents.effect_handlers.review_jobs import prepare_review, to_review_failed
from actors.agents.effect_handlers.snapshot_jobs import take_snapshot, to_not_taken
from actors.agents.turn.effects import PrepareReview, TakeSnapshot
from actors.agents.turn.self_messages import ReviewPrepared, SnapshotAttempted
from actors.runtime.actor import JobFailure

Outcome = ReviewPrepared | SnapshotAttempted
WorkspaceJob = tuple[Callable[[], Coroutine[Any, Any, Outcome]], Callable[[JobFailure], Outcome]]
"""The job, and its outcome if it fails."""


def make_workspace_job(effect: PrepareReview | TakeSnapshot, ports: AgentPorts) -> WorkspaceJob:
    """Return the job that carries out an effect."""
    match effect:
        case PrepareReview():
            root = ports.tool_context.workspace.root
            job = partial(prepare_review, effect.id, effect.target, root, effect.read_policy)
            return job, partial(to_review_failed, effect.id)
        case TakeSnapshot():
            return partial(take_snapshot, effect, ports.snapshots), partial(to_not_taken, effect)
        case _:
            assert_never(effect)
