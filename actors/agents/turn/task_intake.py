"""How an agent below another gets its prompts, and when it ends. Pure."""

from actors.agents.turn import cancellation
from actors.agents.turn.agent_state import SlotState, TurnStage, get_next_turn_number
from actors.agents.turn.effects import Finish, RejectPrompt
from actors.agents.turn.transition import Transition
from messages.subagents import AssignTask, CancelTask
from messages.turns import StartTurn


def handle(step: Transition, message: AssignTask | CancelTask) -> None:
    """Begin an errand under the next free number, or end the one at hand."""
    if isinstance(message, CancelTask):
        cancellation.cancel_all(step)
        idle = step.state.stage is TurnStage.IDLE and step.state.slot is not SlotState.NOT_NEEDED
        if idle:  # it only stays for more, and is not to
            step.emit(Finish())
    elif message.task_number and message.task_number <= step.state.last_task_number:
        finish_if_done(step)  # it was taken before a crash, or came twice
    elif not message.task_number and step.state.one_shot:
        step.emit(RejectPrompt())
    else:
        number = get_next_turn_number(step.state)
        queue = (*step.state.queued_prompts, StartTurn(turn=number, text=message.prompt))
        step.update(
            queued_prompts=queue,
            last_task_number=message.task_number or step.state.last_task_number,
        )


def finish_if_done(step: Transition) -> None:
    """End an agent that has nothing more to do, if it is one that ends."""
    turn = step.state
    if (
        turn.one_shot
        and turn.last_task_number
        and turn.stage is TurnStage.IDLE
        and not turn.queued_prompts
    ):
        step.emit(Finish())
