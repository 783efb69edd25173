"""Messages that the user sent while a turn runs, until a turn receives them. Pure."""

from dataclasses import replace

from messages.steering import PromptDelivered, PromptsReturned, WithdrawPrompts
from messages.turns import SessionConfigured, TurnNumberTaken
from shell.console.ui_commands import SendPrompt
from shell.view.screen_state import (
    PrintPrompt,
    QueuedMessage,
    RestoreDraft,
    ScreenEffect,
    ScreenState,
    ScreenUpdate,
    SendCommand,
    submit_prompt,
    withdraw_messages,
)


def send_early_messages(state: ScreenState, now_s: float) -> ScreenUpdate:
    """Send the messages that were typed before the session started."""
    messages, effects = state.queued, list[ScreenEffect]()
    state = replace(state, queued=())
    for message in messages:
        state, sent = submit_prompt(state, message.text, now_s)
        effects += sent
    return state, tuple(effects)


def synchronize_queue(state: ScreenState, session: SessionConfigured) -> ScreenUpdate:
    """Compare the queue with that of an agent after it, or the console, was restarted.

    The agent ignores a message that it gets twice. A message that it has taken is not queued
    anymore; if its outcome was lost in the crash, the user gets the message back.
    """
    lost = [
        message
        for message in state.queued
        if message.turn < session.next_turn and message.turn not in session.queued_prompts
    ]
    state = replace(state, queued=tuple(m for m in state.queued if m not in lost))
    sent = [SendPrompt(turn=message.turn, text=message.text) for message in state.queued]
    withdrawn = tuple(message.turn for message in state.queued if message.is_withdrawn)
    return state, (
        *(SendCommand(command) for command in sent),
        *([SendCommand(WithdrawPrompts(numbers=withdrawn))] if withdrawn else []),
        *_restore_draft(lost),
    )


def take_queued(state: ScreenState, turn: int) -> tuple[ScreenState, QueuedMessage | None]:
    """Remove a message that a turn has received; None: it is not queued."""
    taken = next((message for message in state.queued if message.turn == turn), None)
    queued = tuple(message for message in state.queued if message is not taken)
    return replace(state, queued=queued), taken


def show_delivered(state: ScreenState, event: PromptDelivered) -> ScreenUpdate:
    """Print a message at the point where the running turn received it."""
    state, message = take_queued(state, event.number)
    text = message.text if message else event.prompt
    return state, (PrintPrompt(text, is_steering=True),)


def restore_returned(state: ScreenState, event: PromptsReturned) -> ScreenUpdate:
    """Put messages that no turn has received back into the input."""
    returned = list[QueuedMessage]()
    for prompt in event.prompts:
        state, message = take_queued(state, prompt.number)
        returned += [message] if message else []
    return state, _restore_draft(returned)


def send_under_next_number(state: ScreenState, event: TurnNumberTaken) -> ScreenUpdate:
    """Queue a message again whose number the agent has used for a turn of its own."""
    state, message = take_queued(state, event.prompt.turn)
    if message and message.is_withdrawn:
        return state, _restore_draft([message])
    turn = max(state.next_turn, event.next_turn)
    text = message.text if message else event.prompt.text
    queued = (*state.queued, QueuedMessage(text, turn))
    sent = SendCommand(SendPrompt(turn=turn, text=text))
    return replace(state, next_turn=turn + 1, queued=queued), (sent,)


def restore_unstarted(state: ScreenState, turn: int, *, has_prompt: bool) -> ScreenUpdate:
    """Put the message of a turn that ended before it started back into the input."""
    if not has_prompt:
        return state, ()
    state, message = take_queued(state, turn)
    return state, _restore_draft([message] if message else [])


def _restore_draft(messages: list[QueuedMessage]) -> tuple[ScreenEffect, ...]:
    return (RestoreDraft("\n".join(m.text for m in messages)),) if messages else ()


def withdraw_last_queued(state: ScreenState) -> ScreenUpdate:
    """Take back the last queued message; it is returned unless a turn receives it before."""
    last = next((message for message in reversed(state.queued) if not message.is_withdrawn), None)
    if last is None:
        return state, ()
    if not last.turn:
        return replace(state, queued=state.queued[:-1]), _restore_draft([last])
    return withdraw_messages(state, (last.turn,))
