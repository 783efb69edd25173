"""Prompts that the user sends while a turn runs.

A prompt is named by the turn number that its sender assigned (`StartTurn.turn`). If it is delivered
to the running turn, no turn gets that number.
"""

from typing import Literal

from pydantic import Field

from messages.base import Message, Value


class PromptDelivered(Message):
    """Recorded: the next request of the running turn includes a prompt that waited for it."""

    type: Literal["prompt_delivered"] = "prompt_delivered"
    turn: int
    """The running turn."""
    number: int
    """Number of the prompt."""
    prompt: str


class WithdrawPrompts(Message):
    """Take back prompts that no turn has received; these are answered by `PromptsReturned`.

    Sent before a `CancelTurn`, it is handled before the cancelled turn ends.
    """

    type: Literal["withdraw_prompts"] = "withdraw_prompts"
    numbers: tuple[int, ...] = Field(min_length=1)


class ReturnedPrompt(Value):
    """A prompt that no turn has received, and none will."""

    number: int
    text: str = ""
    """Empty: it never arrived."""


class PromptsReturned(Message):
    """Prompts go back to the user: they were withdrawn, or the turn that they waited for failed."""

    type: Literal["prompts_returned"] = "prompts_returned"
    prompts: tuple[ReturnedPrompt, ...]
    """In the order in which they were sent."""
