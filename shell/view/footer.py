"""The footer: what needs attention, then the agent, the mode, the context and the model."""

from messages.turns import UsageChanged
from shell.text.sanitize import sanitize_line
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count
from shell.view.screen_state import ScreenState
from shell.view.status_notices import format_persistence_warning
from shell.view.styled_text import Fragment, Row, truncate

_MODE_TONES = {"plan": "plan", "auto-edit": "user", "yolo": "danger"}
FILLING_PERCENT, ALMOST_FULL_PERCENT = 75, 95
"""From these shares of the context window on, its figure is yellow and red."""


def render_footer(state: ScreenState, hint: str, width: int) -> Row:
    """Render the footer; a `hint`, such as the effect of a second Ctrl-C, replaces it."""
    if hint:
        return (("warn", truncate(hint, width)),)
    if not state.session:
        return (("dim", truncate("greenroom · starting…", width)),)
    session = state.session
    model = sanitize_line(session.model) + (" (scripted)" if session.is_scripted else "")
    mode = get_effective_mode(session)
    parts: list[Fragment] = [(_MODE_TONES.get(mode, "dim"), mode)]
    if session.agent != mode:  # in plan mode, both have the same name
        parts.insert(0, ("dim", sanitize_line(session.agent)))
    if context := _format_context(state.usage):
        parts.append(context)
    if state.subagents.running:
        parts.append(("dim", format_count(len(state.subagents.running), "agent")))
    parts.append(("dim", model))
    if warnings := _format_warnings(state):
        parts.insert(0, ("warn", warnings))
    return _join_parts(parts, width)


def _join_parts(parts: list[Fragment], width: int) -> Row:
    """Join parts, each in its tone, and truncate them like one text."""
    separated = parts[:1]
    for part in parts[1:]:
        separated += [("dim", " · "), part]
    text = truncate("".join(text for _, text in separated), width)
    row: list[Fragment] = []
    for tone, part_text in separated:
        shown, text = text[: len(part_text)], text[len(part_text) :]
        row.append((tone, shown))
    return tuple(fragment for fragment in row if fragment[1])


def _format_context(usage: UsageChanged | None) -> Fragment | None:
    """Return how full the context window is, in its tone; None: not known yet."""
    if usage is None or not usage.context_window_tokens:
        return None
    used = 100 * usage.context_tokens / usage.context_window_tokens
    tone = "bad" if used >= ALMOST_FULL_PERCENT else "warn" if used >= FILLING_PERCENT else "dim"
    return tone, f"context {used:.0f} %"


def _format_warnings(state: ScreenState) -> str:
    persistence = format_persistence_warning(
        state.persistence, sanitize_line(state.session.session_file if state.session else "")
    )
    approvals = _format_parked_count(
        len(state.approvals.parked), has_hidden=state.approvals.has_hidden
    )
    return " · ".join(warning for warning in (persistence, approvals) if warning)


def _format_parked_count(count: int, *, has_hidden: bool) -> str:
    if not count:
        return ""
    verb = "needs" if count == 1 else "need"
    return f"⚠ {count} {verb} approval" + (" (Ctrl-Y)" if has_hidden else "")
