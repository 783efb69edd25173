"""What a session on a terminal is put together from: its face, and where its person works."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from actors.sessions.places import history_file, state_folder
from shell.own_command import UserCommandRunner
from shell.rereading import reread
from shell.retelling import retold, retold_below
from shell.workplace import Workplace

if TYPE_CHECKING:
    from actors.session import OpenSession
    from shell.inbox import ScreenEventQueue
    from shell.repl.plain import Plain
    from shell.repl.repl import Repl
    from shell.setup import Setup


def face() -> "type[Repl | Plain]":
    """Choose by what the terminal can do."""
    if os.environ.get("TERM") == "dumb":
        from shell.repl.plain import Plain  # noqa: PLC0415  (one of the two is loaded)

        return Plain
    from shell.repl.repl import Repl  # noqa: PLC0415  (as above)

    return Repl


def retell(session: "OpenSession", inbox: "ScreenEventQueue") -> None:
    """Let the screen show again what was said before."""
    for event in (*retold(session.own), *retold_below(session.below)):
        inbox.put(event)


def workbench(session: "OpenSession", setup: "Setup") -> UserCommandRunner:
    """Say where the person's own commands run."""
    outputs = setup.options.outputs_of(session.session_id)
    return UserCommandRunner(setup.processes, setup.options.workspace.cwd, outputs)


def workplace(session: "OpenSession", setup: "Setup", wall_clock: Callable[[], float]) -> Workplace:
    """Say which folders and files the screen knows."""
    workspace = setup.options.workspace
    history = history_file(state_folder(os.environ))
    secrets = setup.options.secrets
    return Workplace(
        workspace.cwd,
        workspace.root,
        session.log.path,
        history,
        secrets,
        wall_clock,
        setup.agents,
        partial(reread, setup.read, setup.options),
    )
