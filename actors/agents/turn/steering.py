"""How prompts reach a turn that is already running, and how the user takes them back."""

from actors.agents.turn import limit_pause
from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from messages.steering import PromptDelivered, PromptsReturned, ReturnedPrompt, WithdrawPrompts


def deliver_prompts(step: Transition) -> None:
    """Add the user's queued prompts to the next request of the turn, after the tool results.

    If no request follows because a limit is reached, they stay queued.
    """
    if step.state.turn.stage is not TurnStage.RECORDING_RESULTS or not step.state.prompts.queued:
        return
    if limit_pause.find_reached(step.state) or step.state.pause.stopped:
        return
    prompts, delivered = step.state.prompts.take_deliverable()
    step.update(prompts=prompts)
    for prompt in delivered:
        record = PromptDelivered(
            turn=step.state.turn.number, number=prompt.turn, prompt=prompt.text
        )
        step.write(record)
        step.publish(record)


def withdraw_prompts(step: Transition, message: WithdrawPrompts) -> None:
    """Return the prompts that no turn has received, also those that a crash lost."""
    prompts = step.state.prompts
    queued = {prompt.turn: prompt for prompt in prompts.queued if prompt.may_steer}
    returned = [
        queued.get(number, QueuedPrompt(number, ""))
        for number in message.numbers
        if number in queued or number > prompts.last_number
    ]
    step.update(prompts=prompts.without_user_prompts(message.numbers))
    _publish_returned(step, returned)


def return_prompts(step: Transition) -> None:
    """Return all queued prompts of the user: a turn that fails starts nothing."""
    prompts, returned = step.state.prompts.take_user_prompts()
    step.update(prompts=prompts)
    _publish_returned(step, returned)


def _publish_returned(step: Transition, prompts: list[QueuedPrompt]) -> None:
    if prompts:
        returned = (ReturnedPrompt(number=prompt.turn, text=prompt.text) for prompt in prompts)
        step.publish(PromptsReturned(prompts=tuple(returned)))
