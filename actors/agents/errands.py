"""How an agent below another gets its prompts, and when it ends. Pure."""

from actors.agents import stopping
from actors.agents.effects import Finish, RejectPrompt
from actors.agents.state import SlotState, TurnStage, next_prompt
from actors.agents.step import Transition
from messages.subagents import AssignTask, CancelTask
from messages.turns import StartTurn


def take(step: Transition, message: AssignTask | CancelTask) -> None:
    """Begin an errand under the next free number, or end the one at hand."""
    if isinstance(message, CancelTask):
        stopping.dismissed(step)
        idle = step.turn.stage is TurnStage.IDLE and step.turn.place is not SlotState.NEEDLESS
        if idle:  # it only stays for more, and is not to
            step.do(Finish())
    elif message.task_number and message.task_number <= step.turn.errand:
        finish_if_done(step)  # it was taken before a crash, or came twice
    elif not message.task_number and step.turn.one_shot:
        step.do(RejectPrompt())
    else:
        number = next_prompt(step.turn)
        queue = (*step.turn.queue, StartTurn(turn=number, text=message.prompt))
        step.set(queue=queue, errand=message.task_number or step.turn.errand)


def finish_if_done(step: Transition) -> None:
    """End an agent that has nothing more to do, if it is one that ends."""
    turn = step.turn
    if turn.one_shot and turn.errand and turn.stage is TurnStage.IDLE and not turn.queue:
        step.do(Finish())
