"""The footer: what needs attention, then the agent, the mode, the context and the model."""

from messages.turns import UsageChanged
from shell.text.sanitize import sanitize_line
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count
from shell.view.screen_state import ScreenState
from shell.view.status_notices import format_persistence_warning
from shell.view.styled_text import Row, truncate

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
    # In plan mode, agent and mode have the same name.
    parts = list(dict.fromkeys((sanitize_line(session.agent), get_effective_mode(session))))
    context, context_tone = _format_context(state.usage)
    if context:
        parts.append(context)
    if state.subagents.running:
        parts.append(format_count(len(state.subagents.running), "agent"))
    parts.append(model)
    warnings = _format_warnings(state)
    status = " · ".join(parts)
    if not warnings:
        return _color_part(truncate(status, width), context, context_tone)
    room = max(width - len(warnings) - 3, 0)
    shown = " · " + truncate(status, room) if room else ""
    return (("warn", truncate(warnings, width)), *_color_part(shown, context, context_tone))


def _format_context(usage: UsageChanged | None) -> tuple[str, str]:
    """Return how full the context window is, and its tone; empty: not known yet."""
    if usage is None or not usage.context_window_tokens:
        return "", "dim"
    used = 100 * usage.context_tokens / usage.context_window_tokens
    tone = "bad" if used >= ALMOST_FULL_PERCENT else "warn" if used >= FILLING_PERCENT else "dim"
    return f"context {used:.0f} %", tone


def _color_part(text: str, part: str, tone: str) -> Row:
    """Return dim text with one part in another tone, unless it was cut off."""
    if tone == "dim" or part not in text:
        return (("dim", text),)
    before, _, after = text.partition(part)
    return (("dim", before), (tone, part), ("dim", after))


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
