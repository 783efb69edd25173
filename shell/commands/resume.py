"""`/resume`."""

from functools import partial
from pathlib import Path

from shell.commands.command import Command, ReplHost
from shell.session_list import SessionRow, preview, rows
from shell.successor import Successor
from shell.view.figures import counted
from shell.view.picker import PickerItem, opened

TITLE = "Sessions of this workspace"
MOST_PREVIEWED = 20
"""Each is read whole for it."""


def resume(words: list[str], shell: ReplHost) -> str:
    """Go on with another session of this workspace; this one is kept."""
    session = shell.place.session_file
    if words:
        return "usage: /resume"
    if session is None:
        return "Sessions are not kept here."
    look = partial(_others, session, shell.place.wall_clock())
    shell.later(look, partial(_offer, shell))
    return ""


def _others(session: Path, now_s: float) -> tuple[tuple[SessionRow, str], ...]:
    """List those that may be taken up, the last written ones with the end of what was said."""
    free = [row for row in rows(session.parent, now_s) if row.path != session]
    free = [row for row in free if row.state == "free"]
    return tuple(
        (row, preview(row.path) if number < MOST_PREVIEWED else "")
        for number, row in enumerate(free)
    )


def _offer(shell: ReplHost, found: tuple[tuple[SessionRow, str], ...] | None) -> None:
    if not found:
        shell.remark("There is no other session of this workspace that could go on.")
        return

    def picked(number: int) -> None:
        shell.leave_for(Successor(found[number][0].path))

    choices = tuple(
        PickerItem(row.title, f"{row.age} ago · {counted(row.turns, 'turn')}", said)
        for row, said in found
    )
    shell.pick(opened(TITLE, choices, picked))


RESUME = Command("resume", resume)
