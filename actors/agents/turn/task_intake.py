"""How a subagent takes tasks and when it ends."""

from actors.agents.turn import cancellation
from actors.agents.turn.agent_state import SlotState, TurnStage, get_next_turn_number
from actors.agents.turn.effects import Finish, RejectPrompt
from actors.agents.turn.transition import Transition
from messages.subagents import AssignTask, CancelTask
from messages.turns import StartTurn

TaskInput = AssignTask | CancelTask
"""What the parent asks of a subagent."""


def handle(step: Transition, message: TaskInput) -> None:
    """Queue a task under the next free turn number, or cancel the current one."""
    if isinstance(message, CancelTask):
        cancellation.cancel_all(step)
        is_idle = step.state.stage is TurnStage.IDLE
        if is_idle and step.state.slot is not SlotState.NOT_NEEDED:
            step.emit(Finish())  # a subagent that only waits for more prompts
    elif message.task_number and message.task_number <= step.state.last_task_number:
        finish_if_done(step)  # taken before a crash, or delivered twice
    elif not message.task_number and step.state.one_shot:
        step.emit(RejectPrompt())
    else:
        prompt = StartTurn(turn=get_next_turn_number(step.state), text=message.prompt)
        step.update(
            queued_prompts=(*step.state.queued_prompts, prompt),
            last_task_number=message.task_number or step.state.last_task_number,
        )


def finish_if_done(step: Transition) -> None:
    """End a one-shot agent that has nothing left to do."""
    turn = step.state
    if (
        turn.one_shot
        and turn.last_task_number
        and turn.stage is TurnStage.IDLE
        and not turn.queued_prompts
    ):
        step.emit(Finish())
