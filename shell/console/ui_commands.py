"""Commands of the user, sent by the screen to the console; they never cross a link."""

from typing import Literal

from messages.address import Address
from messages.base import Message


class SendPrompt(Message):
    """Start a turn with this text, or steer the running one; sent again, it changes nothing."""

    type: Literal["send_prompt"] = "send_prompt"
    turn: int
    """As in `StartTurn`."""
    text: str


class StopSubagent(Message):
    """Stop a subagent and its subtree."""

    type: Literal["stop_subagent"] = "stop_subagent"
    agent: Address
    wakes_parent: bool = True
    """As in `CancelSubagent`."""


class ViewSubagent(Message):
    """Show the stream of one subagent instead of any other; None: of none."""

    type: Literal["view_subagent"] = "view_subagent"
    agent: Address | None


class PromptSubagent(Message):
    """Send a prompt to an idle interactive subagent."""

    type: Literal["prompt_subagent"] = "prompt_subagent"
    agent: Address
    text: str


class InterruptTurn(Message):
    """Interrupt the running turn."""

    type: Literal["interrupt_turn"] = "interrupt_turn"


class RunUserCommand(Message):
    """Run a user command; its output is sent with the next prompt."""

    type: Literal["run_user_command"] = "run_user_command"
    command: str


class StopUserCommand(Message):
    """Stop the user command, if one is running."""

    type: Literal["stop_user_command"] = "stop_user_command"


UserCommandStatus = Literal["ok", "error", "cancelled"]


class UserCommandEnded(Message):
    """A user command ended; this is its output."""

    type: Literal["user_command_ended"] = "user_command_ended"
    command: str
    status: UserCommandStatus
    text: str
