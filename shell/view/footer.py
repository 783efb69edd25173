"""The last line: who is talked to, how it may act, what waits."""

from shell.text.sanitize import sanitize_line
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count
from shell.view.screen_state import ScreenState
from shell.view.status_notices import format_persistence_warning
from shell.view.styled_text import Row, truncate


def render_footer(state: ScreenState, hint: str, width: int) -> Row:
    """Draw it; a `hint`, such as what a second Ctrl-C does, takes its place."""
    if hint:
        return (("warn", truncate(hint, width)),)
    if not state.session:
        return (("dim", truncate("greenroom · starting …", width)),)
    session = state.session
    model = sanitize_line(session.model) + (" (a script)" if session.is_scripted else "")
    parts = list(dict.fromkeys((sanitize_line(session.agent), get_effective_mode(session))))
    if state.usage and state.usage.context_window_tokens:
        used = 100 * state.usage.context_tokens / state.usage.context_window_tokens
        parts.append(f"context {used:.0f} %")
    if state.subagents.running:
        parts.append(format_count(len(state.subagents.running), "agent"))
    parts.append(model)
    waiting = _warnings(state)
    told = " · ".join(parts)
    if not waiting:
        return (("dim", truncate(told, width)),)
    left = max(width - len(waiting) - 3, 0)
    return (
        ("warn", truncate(waiting, width)),
        ("dim", " · " + truncate(told, left) if left else ""),
    )


def _warnings(state: ScreenState) -> str:
    disk = format_persistence_warning(
        state.persistence, sanitize_line(state.session.session_file if state.session else "")
    )
    waiting = _waiting(len(state.approvals.parked), away=bool(state.approvals.deferred_ids))
    return " · ".join(each for each in (disk, waiting) if each)


def _waiting(count: int, *, away: bool) -> str:
    if not count:
        return ""
    need = "needs" if count == 1 else "need"
    return f"⚠ {count} {need} approval" + (" (Ctrl-Y)" if away else "")
