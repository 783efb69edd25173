"""The list of the agents at work, to read what one does or to stop it."""

from collections.abc import Callable
from dataclasses import replace

from messages.address import Address
from shell.console.ui_commands import StopSubagent
from shell.text.sanitize import sanitize_line
from shell.view.picker import Picker, PickerItem, create_picker
from shell.view.screen_state import PrintNotice, ScreenState, ScreenUpdate, SendCommand
from shell.view.subagent_list import Subagent, format_elapsed
from shell.view.subagent_rows import find_waiting_agents, format_phase

TASK_PICKER_TITLE = "Agents at work"
TASK_PICKER_KEY_HINT = "Enter: read · x: stop · ←: back"
NO_AGENTS_RUNNING = "No other agent is at work."


def build_task_picker(
    state: ScreenState, now_s: float, view_subagent: Callable[[Address], None]
) -> Picker:
    """List the agents at work, each with the last that it said and did; a chosen one is read."""
    asking, rows = find_waiting_agents(state), state.subagents.running_in_tree_order
    choices = tuple(
        PickerItem(
            f"{row.address.name} · {sanitize_line(row.description)}",
            f"{format_phase(row, is_waiting=row.address in asking)} · {format_elapsed(row, now_s)}",
            "\n".join(row.activity.latest_lines),
            row.address,
        )
        for row in rows
    )
    return replace(
        create_picker(TASK_PICKER_TITLE, choices, lambda at: view_subagent(rows[at].address)),
        key_hint=TASK_PICKER_KEY_HINT,
        is_full_screen=True,
    )


def format_stop_question(row: Subagent) -> str:
    """Ask whether to stop an agent, in one line."""
    if row.phase == "ended":
        return f"{row.address.name} has ended."
    return f"x or y: stop {row.address.name} and all below it · Esc: no"


def stop_subagent(state: ScreenState, row: Subagent, now_s: float) -> ScreenUpdate:
    """Stop an agent, with all below it."""
    name = row.address.name
    if row.phase == "ended":
        return state, (PrintNotice(f"{name} has ended.", "plain"),)
    if row.phase == "idle":  # it ends without a word: its task has ended before
        ended = replace(row, phase="ended", ended_s=now_s)
        state = replace(state, subagents=state.subagents.with_subagent(ended))
    told = PrintNotice(f"{name} is being stopped, with all below it.", "plain")
    return state, (SendCommand(StopSubagent(agent=row.address)), told)
