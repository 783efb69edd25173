"""`/effort`."""

from messages.effort import EFFORT_LEVELS, Effort
from messages.turns import SetEffort
from shell.commands.command import Command, ReplHost
from shell.view.picker import PickerItem, create_picker
from shell.view.status_notices import SCRIPTED_MODEL_NOTICE, format_effort

_LEVELS: dict[str, Effort | None] = {**{level: level for level in EFFORT_LEVELS}, "default": None}


def effort(words: list[str], host: ReplHost) -> str:
    """Show the model's effort, or set it: `low` to `max`, or `default`."""
    session = host.state.session
    if len(words) > 1 or (words and words[0] not in _LEVELS):
        return f"usage: /effort [{'|'.join(_LEVELS)}]"
    if session is None:
        return "The agent has not started yet."
    if session.is_scripted:
        return SCRIPTED_MODEL_NOTICE
    if words:
        return _set_effort(words[0], host)
    names = tuple(_LEVELS)
    items = tuple(PickerItem(name, _DESCRIPTIONS[name]) for name in names)

    def on_picked(index: int) -> None:
        host.print_notice(_set_effort(names[index], host))

    title = f"The effort is {format_effort(session.effort)}; more effort uses more tokens"
    host.show_picker(create_picker(title, items, on_picked))
    return ""


_DESCRIPTIONS = {
    "low": "the fewest tokens; short, simple tasks",
    "medium": "balanced",
    "high": "difficult tasks",
    "xhigh": "long tasks; not with every model",
    "max": "no restraint; not with every model",
    "default": "the model decides",
}


def _set_effort(name: str, host: ReplHost) -> str:
    level = _LEVELS[name]
    if host.state.session and level == host.state.session.effort:
        return f"The effort is already {name}."
    host.post(SetEffort(effort=level))
    return ""


EFFORT = Command("effort", effort)
