"""`/mode`, `/plan` and `/build`."""

from typing import cast, get_args

from messages.policy import PermissionMode
from messages.turns import SwitchAgent
from shell.commands.command import Command, ReplHost
from shell.view import mode_changes
from shell.view.screen_state import ScreenUpdate, SendCommand

NOT_STARTED = "The agent has not started yet."


def mode(words: list[str], host: ReplHost) -> str:
    """Show or set the mode: `plan`, `default`, `auto-edit` or `yolo`."""
    session = host.state.session
    if session is None:
        return NOT_STARTED
    if not words:
        current = mode_changes.get_effective_mode(session)
        after = f" The mode after planning is {session.mode}." if current == "plan" else ""
        return f"{mode_changes.describe_mode(current)}{after}"
    modes = get_args(PermissionMode)
    if len(words) > 1 or words[0] not in modes:
        return f"usage: /mode [{'|'.join(modes)}]"
    return _apply(
        host, mode_changes.choose_mode_by_name(host.state, cast("PermissionMode", words[0]))
    )


def plan(words: list[str], host: ReplHost) -> str:
    """Switch to the plan agent, which changes only its plan file."""
    if words:
        return "usage: /plan"
    return _apply(host, mode_changes.choose_mode(host.state, "plan"))


def build(words: list[str], host: ReplHost) -> str:
    """Leave plan mode and return to the previous agent and mode."""
    if words:
        return "usage: /build"
    return _apply(host, (host.state, (SendCommand(SwitchAgent()),)))


def _apply(host: ReplHost, update: ScreenUpdate) -> str:
    if host.state.session is None:
        return NOT_STARTED
    host.apply(update)
    return ""


MODE = Command("mode", mode)
PLAN = Command("plan", plan)
BUILD = Command("build", build)
