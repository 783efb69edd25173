"""How an agent below another gets its prompts, and when it ends. Pure."""

from actors.agents import stopping
from actors.agents.effects import Finish, Refuse
from actors.agents.state import Place, Stage, next_prompt
from actors.agents.step import Step
from messages.subagents import CancelErrand, Errand
from messages.turns import Prompt


def take(step: Step, message: Errand | CancelErrand) -> None:
    """Begin an errand under the next free number, or end the one at hand."""
    if isinstance(message, CancelErrand):
        stopping.dismissed(step)
        idle = step.turn.stage is Stage.IDLE and step.turn.place is not Place.NEEDLESS
        if idle:  # it only stays for more, and is not to
            step.do(Finish())
    elif message.start and message.start <= step.turn.errand:
        finish_if_done(step)  # it was taken before a crash, or came twice
    elif not message.start and step.turn.one_shot:
        step.do(Refuse())
    else:
        number = next_prompt(step.turn)
        queue = (*step.turn.queue, Prompt(turn=number, text=message.prompt))
        step.set(queue=queue, errand=message.start or step.turn.errand)


def finish_if_done(step: Step) -> None:
    """End an agent that has nothing more to do, if it is one that ends."""
    turn = step.turn
    if turn.one_shot and turn.errand and turn.stage is Stage.IDLE and not turn.queue:
        step.do(Finish())
