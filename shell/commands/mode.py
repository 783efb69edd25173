"""`/mode`, `/plan` and `/build`."""

from typing import cast, get_args

from messages.policy import PermissionMode
from messages.turns import SwitchAgent
from shell.commands.command import Command, ReplHost
from shell.view import mode_changes
from shell.view.screen_state import ScreenUpdate, SendCommand

_NOT_YET = "The agent has not started yet."


def mode(words: list[str], host: ReplHost) -> str:
    """Show the mode, or work in another: `plan`, `default`, `auto-edit` or `yolo`."""
    session = host.state.session
    if session is None:
        return _NOT_YET
    if not words:
        at_work = mode_changes.get_effective_mode(session)
        after = f" After it comes {session.mode}." if at_work == "plan" else ""
        return f"{mode_changes.describe_mode(at_work)}{after}"
    known = get_args(PermissionMode)
    if len(words) > 1 or words[0] not in known:
        return f"usage: /mode [{'|'.join(known)}]"
    return _take(
        host, mode_changes.choose_mode_by_name(host.state, cast("PermissionMode", words[0]))
    )


def plan(words: list[str], host: ReplHost) -> str:
    """Plan first: another agent takes over that only reads and writes a plan."""
    if words:
        return "usage: /plan"
    return _take(host, mode_changes.choose_mode(host.state, "plan"))


def build(words: list[str], host: ReplHost) -> str:
    """Go back from planning to the agent and mode before it."""
    if words:
        return "usage: /build"
    return _take(host, (host.state, (SendCommand(SwitchAgent()),)))


def _take(host: ReplHost, done: ScreenUpdate) -> str:
    if host.state.session is None:
        return _NOT_YET
    host.apply(done)
    return ""


MODE = Command("mode", mode)
PLAN = Command("plan", plan)
BUILD = Command("build", build)
