"""The list of running agents, from which one can be read or stopped."""

from collections.abc import Callable
from dataclasses import replace

from messages.address import Address
from messages.subagents import ContinueSubagent
from shell.console.ui_commands import StopSubagent
from shell.text.sanitize import sanitize_line
from shell.view.picker import Picker, PickerItem, create_picker
from shell.view.screen_state import PrintNotice, ScreenState, ScreenUpdate, SendCommand
from shell.view.subagent_rows import (
    describe_work,
    find_waiting_agents,
    format_progress_age,
)
from shell.view.subagent_states import Subagent, format_elapsed

TASK_PICKER_TITLE = "Agents"
TASK_PICKER_KEY_HINT = "↑↓ choose · Enter open · x stop · ← back"
NO_AGENTS = "No agents have been started."


def build_task_picker(
    state: ScreenState, now_s: float, view_subagent: Callable[[Address], None]
) -> Picker:
    """List the agents, each with its latest activity as a preview; those that ask come first."""
    waiting = find_waiting_agents(state)
    subagents = sorted(state.subagents.listed, key=lambda subagent: subagent.address not in waiting)
    items = tuple(
        PickerItem(
            f"{subagent.address.name} · {sanitize_line(subagent.description)}",
            f"{describe_work(state, subagent, now_s)} · {format_elapsed(subagent, now_s)}"
            f"{format_progress_age(subagent, now_s)}",
            "\n".join(subagent.activity.latest_lines),
            subagent.address,
        )
        for subagent in subagents
    )
    return replace(
        create_picker(
            TASK_PICKER_TITLE, items, lambda index: view_subagent(subagents[index].address)
        ),
        key_hint=TASK_PICKER_KEY_HINT,
        is_full_screen=True,
    )


def format_stop_question(subagent: Subagent) -> str:
    """Return the one-line question whether to stop an agent."""
    if subagent.phase == "ended":
        return f"{subagent.address.name} has already ended."
    return f"Stop {subagent.address.name} and its subagents? x or y: stop · Esc: cancel"


def continue_subagent(state: ScreenState, subagent: Subagent) -> ScreenUpdate:
    """Continue an agent that is paused."""
    name = subagent.address.name
    if subagent.phase != "paused":
        return state, (PrintNotice(f"{name} is not paused.", "plain"),)
    notice = PrintNotice(f"{name} continues in the background.", "plain")
    return state, (SendCommand(ContinueSubagent(child=subagent.address)), notice)


def stop_subagent(state: ScreenState, subagent: Subagent, now_s: float) -> ScreenUpdate:
    """Stop an agent and its subagents."""
    name = subagent.address.name
    if subagent.phase == "ended":
        return state, (PrintNotice(f"{name} has already ended.", "plain"),)
    if subagent.phase == "idle":  # no event follows, since its task ended before
        ended = replace(subagent, phase="ended", ended_s=now_s)
        state = replace(state, subagents=state.subagents.with_subagent(ended))
    notice = PrintNotice(f"Stopping {name} and its subagents.", "plain")
    return state, (SendCommand(StopSubagent(agent=subagent.address)), notice)
