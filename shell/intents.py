"""What the person wants, told by the screen to the console; these never cross a link."""

from typing import Literal

from messages.base import Message


class SendPrompt(Message):
    """Begin a turn with this text."""

    type: Literal["send_prompt"] = "send_prompt"
    text: str


class Interrupt(Message):
    """Stop the turn that runs."""

    type: Literal["interrupt"] = "interrupt"
