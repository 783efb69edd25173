"""`/resume`."""

from functools import partial
from pathlib import Path

from shell.commands.command import Command, ReplHost
from shell.sessions.next_session import NextSession
from shell.sessions.session_list import SessionRow, build_preview, list_sessions
from shell.view.number_format import format_count
from shell.view.picker import PickerItem, create_picker

TITLE = "Sessions in this workspace"
DAMAGED = (
    "Session {id} cannot be continued: {problem}. Continue in a copy without the damaged turn: "
    "greenroom --fork {id}"
)
MAX_PREVIEWS = 20
"""Sessions with a preview; building one reads the whole session file."""


def resume(words: list[str], host: ReplHost) -> str:
    """Resume another session in this workspace; this one is kept."""
    session = host.session_context.session_file
    if words:
        return "usage: /resume"
    if session is None:
        return "This session is not saved, so there are no other sessions to resume."
    job = partial(_list_others, session, host.session_context.wall_clock())
    host.run_in_thread(job, partial(_show_picker, host))
    return ""


def _list_others(session: Path, now_s: float) -> tuple[tuple[SessionRow, str], ...]:
    """List the sessions that can be resumed or at least read, the newest ones with a preview."""
    rows = [row for row in list_sessions(session.parent, now_s) if row.path != session]
    rows = [row for row in rows if row.state in ("available", "damaged")]
    return tuple(
        (row, build_preview(row.path) if index < MAX_PREVIEWS else "")
        for index, row in enumerate(rows)
    )


def _show_picker(host: ReplHost, sessions: tuple[tuple[SessionRow, str], ...] | None) -> None:
    if not sessions:
        host.print_notice("There is no other session in this workspace to resume.")
        return

    def on_picked(index: int) -> None:
        row, _ = sessions[index]
        if row.state == "damaged":
            host.print_notice(DAMAGED.format(id=row.session_id, problem=row.title))
        else:
            host.switch_session(NextSession(row.path))

    items = tuple(
        PickerItem(row.title, f"{row.age} ago · {format_count(row.turns, 'turn')}", preview)
        for row, preview in sessions
    )
    host.show_picker(create_picker(TITLE, items, on_picked))


RESUME = Command("resume", resume)
