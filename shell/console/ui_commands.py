"""What the person wants, told by the screen to the console; these never cross a link."""

from typing import Literal

from messages.address import Address
from messages.base import Message


class SendPrompt(Message):
    """Begin a turn with this text."""

    type: Literal["send_prompt"] = "send_prompt"
    text: str


class StopSubagent(Message):
    """The person stops one agent, with all below it."""

    type: Literal["stop_subagent"] = "stop_subagent"
    agent: Address


class ViewSubagent(Message):
    """The person looks at what one agent does, and at no other any more; None: at none."""

    type: Literal["watch_subagent"] = "watch_subagent"
    agent: Address | None


class PromptSubagent(Message):
    """The person says something to an agent that stays for more."""

    type: Literal["tell_subagent"] = "tell_subagent"
    agent: Address
    text: str


class InterruptTurn(Message):
    """Stop the turn that runs."""

    type: Literal["interrupt"] = "interrupt"


class RunUserCommand(Message):
    """Run a command of the person's own; what it says goes along with the next prompt."""

    type: Literal["run_own_command"] = "run_own_command"
    command: str


class StopUserCommand(Message):
    """End the person's own command, if one runs."""

    type: Literal["stop_own_command"] = "stop_own_command"


UserCommandStatus = Literal["ok", "error", "cancelled"]


class UserCommandEnded(Message):
    """The person's own command has ended; this is all that it said."""

    type: Literal["own_command_ended"] = "own_command_ended"
    command: str
    status: UserCommandStatus
    text: str
