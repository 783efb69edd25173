"""The last line: who is talked to, how it may act, what waits."""

from shell.view.disk import mark
from shell.view.figures import counted
from shell.view.ink import Row, cut
from shell.view.modes import mode_of
from shell.view.state import State
from shell.visible import visible_line


def footer_row(state: State, hint: str, width: int) -> Row:
    """Draw it; a `hint`, such as what a second Ctrl-C does, takes its place."""
    if hint:
        return (("warn", cut(hint, width)),)
    if not state.session:
        return (("dim", cut("greenroom · starting …", width)),)
    session = state.session
    model = visible_line(session.model) + (" (a script)" if session.is_scripted else "")
    parts = list(dict.fromkeys((visible_line(session.agent), mode_of(session))))
    if state.usage and state.usage.window_tokens:
        used = 100 * state.usage.context_tokens / state.usage.window_tokens
        parts.append(f"context {used:.0f} %")
    if state.below.running:
        parts.append(counted(len(state.below.running), "agent"))
    parts.append(model)
    waiting = _warnings(state)
    told = " · ".join(parts)
    if not waiting:
        return (("dim", cut(told, width)),)
    left = max(width - len(waiting) - 3, 0)
    return (("warn", cut(waiting, width)), ("dim", " · " + cut(told, left) if left else ""))


def _warnings(state: State) -> str:
    disk = mark(state.disk, visible_line(state.session.file if state.session else ""))
    waiting = _waiting(len(state.requests.parked), away=bool(state.requests.later))
    return " · ".join(each for each in (disk, waiting) if each)


def _waiting(count: int, *, away: bool) -> str:
    if not count:
        return ""
    need = "needs" if count == 1 else "need"
    return f"⚠ {count} {need} approval" + (" (Ctrl-Y)" if away else "")
