"""`/resume`."""

from functools import partial
from pathlib import Path

from shell.commands.command import Command, ReplHost
from shell.sessions.next_session import NextSession
from shell.sessions.session_list import SessionRow, build_preview, list_sessions
from shell.view.number_format import format_count
from shell.view.picker import PickerItem, create_picker

TITLE = "Sessions of this workspace"
MAX_PREVIEWS = 20
"""Each is read whole for it."""


def resume(words: list[str], host: ReplHost) -> str:
    """Go on with another session of this workspace; this one is kept."""
    session = host.session_context.session_file
    if words:
        return "usage: /resume"
    if session is None:
        return "Sessions are not kept here."
    look = partial(_others, session, host.session_context.wall_clock())
    host.run_in_thread(look, partial(_offer, host))
    return ""


def _others(session: Path, now_s: float) -> tuple[tuple[SessionRow, str], ...]:
    """List those that may be taken up, the last written ones with the end of what was said."""
    free = [row for row in list_sessions(session.parent, now_s) if row.path != session]
    free = [row for row in free if row.state == "available"]
    return tuple(
        (row, build_preview(row.path) if number < MAX_PREVIEWS else "")
        for number, row in enumerate(free)
    )


def _offer(host: ReplHost, found: tuple[tuple[SessionRow, str], ...] | None) -> None:
    if not found:
        host.print_notice("There is no other session of this workspace that could go on.")
        return

    def picked(number: int) -> None:
        host.switch_session(NextSession(found[number][0].path))

    choices = tuple(
        PickerItem(row.title, f"{row.age} ago · {format_count(row.turns, 'turn')}", said)
        for row, said in found
    )
    host.show_picker(create_picker(TITLE, choices, picked))


RESUME = Command("resume", resume)
