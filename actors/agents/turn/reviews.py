"""How an agent runs reviews beside its turns.

A review is one subagent that is not part of any turn. Each `ReviewStarted` gets exactly one
`ReviewEnded`, and the result becomes part of the conversation.
"""

from typing import assert_never

from actors.agents.kinds.review import REVIEW
from actors.agents.kinds.review_output import build_plain_output, parse_review_output
from actors.agents.kinds.review_target import describe_target
from actors.agents.turn import limit_pause
from actors.agents.turn.effects import AskForSpawn, EvaluateReview, PrepareReview, StartChild
from actors.agents.turn.limits import find_reached_limit
from actors.agents.turn.review_table import Review, ReviewStage
from actors.agents.turn.self_messages import ReviewPrepared
from actors.agents.turn.subagent_table import AssignedTask
from actors.agents.turn.task_result_text import get_text
from actors.agents.turn.transition import Transition
from actors.agents.turn.with_changes import with_changes
from messages.address import Address
from messages.permissions import PermissionDecision
from messages.reviews import ReviewEnded, ReviewOutput, ReviewStarted, ReviewStatus, StartReview
from messages.subagents import SpawnAdmitted, SpawnRejected, SubagentStarted, SubagentStatus
from messages.tool_calls import SubagentTask

NOT_STRUCTURED = "the reply was not in the expected format"
NO_REPLY = "it ended without a reply"

ReviewInput = StartReview | ReviewPrepared
"""The user's request, and the changes that were found."""


def handle(step: Transition, message: ReviewInput) -> None:
    """Handle one message about reviews."""
    match message:
        case StartReview():
            _start(step, message)
        case ReviewPrepared():
            _on_prepared(step, message)
        case _:
            assert_never(message)


def _start(step: Transition, request: StartReview) -> None:
    """Record the review, and find out which files it may read."""
    if request.id in step.state.reviews.known_ids:
        return
    review = Review(request.id, request.target)
    started = ReviewStarted(id=request.id, target=request.target)
    step.update(reviews=step.state.reviews.with_review(review))
    step.write(started)
    step.publish(started)
    # It belongs to no prompt, so the requests of the current one do not count.
    limit = find_reached_limit(step.state.totals.with_next_prompt())
    if limit is None:
        step.emit(EvaluateReview(review.decision_id))
    else:
        end_review(step, review, "limit_reached", limit.detail)


def on_permission_decision(step: Transition, decision: PermissionDecision) -> None:
    """Find the changes, without the files that may not be read."""
    reviews = step.state.reviews.open.values()
    for review in reviews:
        if review.decision_id == decision.id and review.stage is ReviewStage.EVALUATING:
            _update(step, review, stage=ReviewStage.PREPARING)
            step.emit(PrepareReview(review.id, review.target, decision.read_policy))
            return


def _on_prepared(step: Transition, prepared: ReviewPrepared) -> None:
    review = step.state.reviews.find(prepared.id, ReviewStage.PREPARING)
    if review is None:
        return
    if prepared.failure is not None:
        end_review(step, review, prepared.failure, prepared.detail)
        return
    _update(step, review, stage=ReviewStage.AWAITING_SPAWN, prompt=prepared.prompt)
    task = SubagentTask(agent_type=REVIEW.name, description="", prompt="")
    step.emit(AskForSpawn(review.id, task))


def on_spawn_admitted(step: Transition, admitted: SpawnAdmitted) -> None:
    """Record the subagent's start; it starts when the record is on disk."""
    review = step.state.reviews.find(admitted.call_id, ReviewStage.AWAITING_SPAWN)
    if review is None:
        return
    state, parent = step.state, Address(step.state.identity.address)
    started = SubagentStarted(
        child=parent.child(admitted.name),
        parent=parent,
        agent_type=REVIEW.name,
        depth=len(parent.segments),
        task_number=1,
        turn=state.turn.number,
        call_id=review.id,
        description=f"Review {describe_target(review.target)}",
        model=state.model.name,
        effort=state.model.effort,
        max_mode=state.selection.get_max_mode(),
    )
    step.update(subagents=state.subagents.with_started(started, is_alive=False))
    step.write(started)
    last_append_id = step.state.persistence.last_append_id
    _update(
        step,
        review,
        stage=ReviewStage.STARTING,
        start_append_id=last_append_id,
        subagent_started=started,
    )


def on_spawn_rejected(step: Transition, rejected: SpawnRejected) -> None:
    """End a review that may not start a subagent."""
    review = step.state.reviews.find(rejected.call_id, ReviewStage.AWAITING_SPAWN)
    if review is not None:
        end_review(step, review, "limit_reached", rejected.detail)


def start_synced_reviews(step: Transition) -> None:
    """Start the subagents whose start is now on disk."""
    synced = step.state.persistence.synced_append_id
    for review in tuple(step.state.reviews.open.values()):
        started = review.subagent_started
        if review.stage is ReviewStage.STARTING and review.start_append_id <= synced and started:
            _update(step, review, stage=ReviewStage.RUNNING)
            table = step.state.subagents.with_started(started, is_alive=True)
            step.update(subagents=table)
            step.publish(started)
            tokens_left = step.state.totals.tokens_left
            step.emit(StartChild(started, review.prompt, tokens_left=tokens_left))
            limit_pause.sync_new_child(step)


def end_with_task(
    step: Transition, review: Review, task: AssignedTask, status: SubagentStatus, detail: str
) -> None:
    """End a review whose subagent has ended; only a complete reply has a result."""
    if status != "completed":
        end_review(step, review, status, detail)
        return
    text = get_text(task)
    output = parse_review_output(text)
    if output is not None:
        end_review(step, review, "completed", "", output)
    elif text.strip():
        end_review(step, review, "completed", NOT_STRUCTURED, build_plain_output(text))
    else:
        end_review(step, review, "failed", NO_REPLY)


def end_review(
    step: Transition,
    review: Review,
    status: ReviewStatus,
    detail: str,
    output: ReviewOutput | None = None,
) -> None:
    """Record the end of a review; its result becomes part of the conversation."""
    ended = ReviewEnded(
        id=review.id, target=review.target, status=status, detail=detail, output=output
    )
    step.update(reviews=step.state.reviews.without(review.id))
    step.write(ended)
    step.publish(ended)


def _update(step: Transition, review: Review, **changes: object) -> None:
    step.update(reviews=step.state.reviews.with_review(with_changes(review, **changes)))
