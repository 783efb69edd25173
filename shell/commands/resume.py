"""`/resume`."""

from functools import partial
from pathlib import Path

from shell.commands.command import Command, Shell
from shell.picker import Choice, opened
from shell.session_list import SessionRow, rows
from shell.successor import Successor

TITLE = "Sessions of this workspace"


def resume(words: list[str], shell: Shell) -> str:
    """Go on with another session of this workspace; this one is kept."""
    session = shell.place.session_file
    if words:
        return "usage: /resume"
    if session is None:
        return "Sessions are not kept here."
    look = partial(_others, session, shell.place.wall_clock())
    shell.later(look, partial(_offer, shell))
    return ""


def _others(session: Path, now_s: float) -> tuple[SessionRow, ...]:
    return tuple(row for row in rows(session.parent, now_s) if row.path != session)


def _offer(shell: Shell, found: tuple[SessionRow, ...] | None) -> None:
    free = tuple(row for row in found or () if row.state == "free")
    if not free:
        shell.remark("There is no other session of this workspace that could go on.")
        return

    def picked(number: int) -> None:
        shell.leave_for(Successor(free[number].path))

    choices = tuple(Choice(row.title, f"{row.age} ago · {row.turns} turns") for row in free)
    shell.pick(opened(TITLE, choices, picked))


RESUME = Command("resume", resume)
