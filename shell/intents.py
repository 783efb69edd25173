"""What the person wants, told by the screen to the console; these never cross a link."""

from typing import Literal

from messages.approvals import Answer as Choice
from messages.base import Message


class SendPrompt(Message):
    """Begin a turn with this text."""

    type: Literal["send_prompt"] = "send_prompt"
    text: str


class Interrupt(Message):
    """Stop the turn that runs."""

    type: Literal["interrupt"] = "interrupt"


class Answer(Message):
    """Decide a request that is on the screen."""

    type: Literal["answer"] = "answer"
    id: str
    answer: Choice
    feedback: str = ""
    """With `no`: what the model should read."""
