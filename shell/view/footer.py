"""The footer: what needs attention, then the agent, the mode, the context and the model."""

from shell.text.sanitize import sanitize_line
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count
from shell.view.screen_state import ScreenState
from shell.view.status_notices import format_persistence_warning
from shell.view.styled_text import Row, truncate


def render_footer(state: ScreenState, hint: str, width: int) -> Row:
    """Render the footer; a `hint`, such as the effect of a second Ctrl-C, replaces it."""
    if hint:
        return (("warn", truncate(hint, width)),)
    if not state.session:
        return (("dim", truncate("greenroom · starting…", width)),)
    session = state.session
    model = sanitize_line(session.model) + (" (scripted)" if session.is_scripted else "")
    parts = list(dict.fromkeys((sanitize_line(session.agent), get_effective_mode(session))))
    if state.usage and state.usage.context_window_tokens:
        used = 100 * state.usage.context_tokens / state.usage.context_window_tokens
        parts.append(f"context {used:.0f} %")
    if state.subagents.running:
        parts.append(format_count(len(state.subagents.running), "agent"))
    parts.append(model)
    warnings = _format_warnings(state)
    status = " · ".join(parts)
    if not warnings:
        return (("dim", truncate(status, width)),)
    room = max(width - len(warnings) - 3, 0)
    return (
        ("warn", truncate(warnings, width)),
        ("dim", " · " + truncate(status, room) if room else ""),
    )


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
