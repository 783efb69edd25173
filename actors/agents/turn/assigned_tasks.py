"""How a subagent takes tasks and when it ends."""

from actors.agents.turn import cancellation, compaction
from actors.agents.turn.agent_state import SlotState
from actors.agents.turn.effects import Finish, RejectPrompt
from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from messages.subagents import AssignTask, CancelTask

TaskInput = AssignTask | CancelTask
"""What the parent asks of a subagent."""


def handle(step: Transition, message: TaskInput) -> None:
    """Queue a task under the next free turn number, or cancel it."""
    prompts = step.state.prompts
    if isinstance(message, CancelTask):
        _cancel(step, message)
    elif message.task_number and message.task_number <= prompts.last_task_number:
        finish_if_done(step)  # taken before a crash, or delivered twice
    elif not message.task_number and prompts.one_shot:
        step.emit(RejectPrompt())
    else:
        if message.task_number:
            totals = step.state.totals.with_tokens_left(message.tokens_left)
            step.update(totals=totals)
        prompt = QueuedPrompt(prompts.next_number, message.prompt, message.task_number)
        step.update(prompts=prompts.with_prompt(prompt))


def _cancel(step: Transition, message: CancelTask) -> None:
    """Cancel one task and leave the user's prompts, or cancel everything."""
    number = message.task_number
    if number and not message.with_everything:
        cancellation.cancel_task(step, number)
        return
    has_background = bool(step.state.subagents.list_background())
    cancellation.cancel_all(step)
    if number:
        cancellation.cancel_task(step, number)  # it may not have arrived yet
        return
    is_idle = step.state.turn.stage is TurnStage.IDLE and not has_background
    if is_idle and step.state.slot is not SlotState.NOT_NEEDED:
        finish(step)  # a subagent that only waits for more prompts


def finish_if_done(step: Transition) -> None:
    """End a one-shot agent that has nothing left to do."""
    prompts = step.state.prompts
    has_task = prompts.one_shot and prompts.last_task_number
    if has_task and step.state.turn.stage is TurnStage.IDLE and not prompts.queued:
        finish(step)


def finish(step: Transition) -> None:
    """End the agent."""
    compaction.end_with_agent(step)
    step.emit(Finish())
