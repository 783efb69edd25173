"""The question what to do with background agents when the user leaves the session. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from messages.address import Address
from shell.view.number_format import format_count
from shell.view.picker import Picker, PickerItem, create_picker
from shell.view.screen_state import ScreenState
from shell.view.subagent_states import Subagent

_INACTIVE_PHASES = ("idle", "paused", "ended")
_MAX_NAMES = 5
PAUSE_ITEM = PickerItem("Pause them", "they can continue when you resume the session")
STOP_ITEM = PickerItem("Stop them", "their work ends")


def list_running_background(state: ScreenState) -> tuple[Subagent, ...]:
    """Return the background agents that are at work."""
    return tuple(
        subagent
        for subagent in state.subagents.running
        if subagent.is_background and subagent.phase not in _INACTIVE_PHASES
    )


def are_stopped(state: ScreenState, agents: Iterable[Address]) -> bool:
    """Return whether none of these agents is at work."""
    running = {subagent.address for subagent in list_running_background(state)}
    return running.isdisjoint(agents)


def build_leave_picker(
    agents: tuple[Subagent, ...], on_pause: Callable[[], None], on_stop: Callable[[], None]
) -> Picker:
    """Ask what to do with the agents; to close the list is to stay in the session."""
    names = [subagent.address.name for subagent in agents[:_MAX_NAMES]]
    more = ["…"] if len(agents) > _MAX_NAMES else []
    verb = "is" if len(agents) == 1 else "are"
    count = format_count(len(agents), "background agent")
    title = f"{count} {verb} running ({', '.join(names + more)})"
    actions = (on_pause, on_stop)
    picker = create_picker(title, (PAUSE_ITEM, STOP_ITEM), lambda index: actions[index]())
    return replace(picker, key_hint="Esc: stay", is_leave_question=True)
