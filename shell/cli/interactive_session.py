"""Builds the parts of an interactive session: the front end and its context."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from actors.sessions.state_paths import history_file, state_folder
from shell.config.reload_rules import reload_rules
from shell.console.replay import build_replay, build_subagent_replay
from shell.console.user_shell_command import UserCommandRunner
from shell.sessions.session_context import SessionContext

if TYPE_CHECKING:
    from actors.wiring.session_setup import SessionHandle
    from shell.cli.launch_config import LaunchConfig
    from shell.console.screen_event_queue import ScreenEventQueue
    from shell.repl.line_repl import LineRepl
    from shell.repl.repl import Repl


def select_front_end() -> "type[Repl | LineRepl]":
    """Return line mode for a dumb terminal, else the full-screen REPL."""
    if os.environ.get("TERM") == "dumb":
        from shell.repl.line_repl import LineRepl  # noqa: PLC0415  (only one of the two is imported)

        return LineRepl
    from shell.repl.repl import Repl  # noqa: PLC0415  (as above)

    return Repl


def replay_session(session: "SessionHandle", screen_events: "ScreenEventQueue") -> None:
    """Show the session's earlier events again."""
    for event in (
        *build_replay(session.primary_records),
        *build_subagent_replay(session.open_subagent_records),
    ):
        screen_events.put(event)


def make_user_command_runner(session: "SessionHandle", config: "LaunchConfig") -> UserCommandRunner:
    """Return where and how user commands run."""
    outputs = config.session_options.output_folder(session.session_id)
    return UserCommandRunner(config.processes, config.session_options.workspace.cwd, outputs)


def make_session_context(
    session: "SessionHandle", config: "LaunchConfig", wall_clock: Callable[[], float]
) -> SessionContext:
    """Return the folders, files and services that the REPL needs."""
    workspace = config.session_options.workspace
    return SessionContext(
        cwd=workspace.cwd,
        workspace_root=workspace.root,
        session_file=session.log.path,
        history_file=history_file(state_folder(os.environ)),
        secrets=config.session_options.secrets,
        wall_clock=wall_clock,
        sandbox=config.sandbox,
        snapshots=session.snapshots,
        agents=config.agents,
        reload_rules=partial(reload_rules, config.load_config, config.session_options),
    )
