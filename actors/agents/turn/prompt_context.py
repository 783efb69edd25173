"""How a prompt gets its environment and its attachments before its turn is recorded.

The files are planned, evaluated by the permission engine and read, like calls of `read` and `ls`. A
file that needs approval is not attached: the user may have pasted its name, and the model can ask
for it with a call.
"""

from dataclasses import replace
from typing import assert_never

from actors.agents.turn.effects import EvaluateAttachment, PrepareContext, ReadAttachments
from actors.agents.turn.notifications import deliver_notifications
from actors.agents.turn.pending_context import PendingAttachment, PendingContext
from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.self_messages import AttachmentsRead, ContextPrepared
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from actors.agents.turn.with_changes import with_changes
from actors.prompt_context.attachments import PlannedAttachment, build_unattached
from actors.prompt_context.environment_text import format_environment
from messages.permissions import PermissionDecision
from messages.turns import Attachment, TurnStarted

ContextInput = ContextPrepared | AttachmentsRead
"""What the jobs that prepare a prompt report."""


def handle(step: Transition, message: ContextInput) -> None:
    """Handle one message about the prompt that is being prepared."""
    context = _get_pending(step)
    if context is None or message.turn != step.state.turn.number:
        return  # the turn was interrupted meanwhile
    match message:
        case ContextPrepared():
            _on_prepared(step, context, message)
        case AttachmentsRead():
            _on_read(step, context, message)
        case _:
            assert_never(message)


def prepare(step: Transition, prompt: QueuedPrompt) -> None:
    """Start the turn of a prompt: at once, or after its environment and attachments are read."""
    state, pending = step.state.context, PendingContext(prompt)
    scope = state.next_scope
    step.update_turn(stage=TurnStage.PREPARING_PROMPT)
    step.update(context=with_changes(state, pending=pending))
    if state.is_read and (scope != "none" or prompt.mentions):
        model = step.state.model.name
        step.emit(PrepareContext(prompt.turn, scope, state.known, model, prompt.mentions))
    else:
        start_turn(step, pending)


def handle_decision(step: Transition, decision: PermissionDecision) -> bool:
    """Apply a decision about an attachment; return whether it was about one."""
    context = _get_pending(step)
    if context is None or decision.id not in context.awaited_ids:
        return False
    items = tuple(
        _with_decision(item, decision) if item.decision_id == decision.id else item
        for item in context.all_pending
    )
    _continue(step, context.with_all_pending(items))
    return True


def interrupt_preparation(step: Transition) -> None:
    """Record the prompt as it is, so that the interrupted turn has a start."""
    context = _get_pending(step)
    if context is not None:
        start_turn(step, PendingContext(context.prompt))


def start_turn(step: Transition, context: PendingContext) -> None:
    """Record and report the start of the turn, with what was prepared."""
    prompt, environment, listing = context.prompt, context.environment, context.listing
    listing_text = listing.result.text if listing and listing.result else ""
    started = TurnStarted(
        turn=prompt.turn,
        prompt=prompt.text,
        task_number=prompt.task_number,
        environment=format_environment(environment.text, listing_text) if environment else "",
        attachments=tuple(item.result for item in context.attachments if item.result),
    )
    known = environment.known if environment else step.state.context.known
    step.update(context=with_changes(step.state.context, known=known, pending=None))
    record_start(step, started)


def record_start(step: Transition, started: TurnStarted) -> None:
    """Record and report the start of a turn, with the notifications that wait for one."""
    deliver_notifications(step)
    step.update_turn(stage=TurnStage.RECORDING_PROMPT)
    step.write(started)
    step.publish(started)


def _on_prepared(step: Transition, context: PendingContext, message: ContextPrepared) -> None:
    """Have every planned attachment evaluated."""
    listing = _evaluate(step, message.listing) if message.listing else None
    attachments = tuple(_evaluate(step, item) for item in message.attachments)
    environment = message.environment
    _continue(
        step,
        with_changes(context, environment=environment, listing=listing, attachments=attachments),
    )


def _on_read(step: Transition, context: PendingContext, message: AttachmentsRead) -> None:
    results = iter(message.attachments)
    items = tuple(
        item if item.result else replace(item, result=next(results, None))
        for item in context.all_pending
    )
    start_turn(step, context.with_all_pending(items))


def _evaluate(step: Transition, item: PlannedAttachment | Attachment) -> PendingAttachment:
    if isinstance(item, Attachment):
        return PendingAttachment(result=item)
    number = step.state.turn.evaluation_count + 1
    decision_id = f"@{item.mention}/{number}"
    step.update_turn(evaluation_count=number)
    step.emit(EvaluateAttachment(decision_id, item.plan))
    return PendingAttachment(item, decision_id)


def _with_decision(item: PendingAttachment, decision: PermissionDecision) -> PendingAttachment:
    if decision.action == "allow" or item.planned is None:
        return replace(item, decision=decision)
    mention, tool = item.planned.mention, item.planned.tool
    if decision.action == "deny":
        problem, hint = f"it may not be read, because {decision.reason}", ""
    else:
        problem = f"reading it needs approval, because {decision.reason}"
        hint = f" Use {tool} to ask for it."
    return replace(item, decision=decision, result=build_unattached(mention, problem, hint))


def _continue(step: Transition, context: PendingContext) -> None:
    """Read what is allowed once everything is decided; with nothing to read, start the turn."""
    step.update(context=with_changes(step.state.context, pending=context))
    if context.awaited_ids:
        return
    to_read = tuple(
        item.planned for item in context.all_pending if item.planned and not item.result
    )
    if to_read:
        step.emit(ReadAttachments(step.state.turn.number, to_read))
    else:
        start_turn(step, context)


def _get_pending(step: Transition) -> PendingContext | None:
    is_preparing = step.state.turn.stage is TurnStage.PREPARING_PROMPT
    return step.state.context.pending if is_preparing else None
