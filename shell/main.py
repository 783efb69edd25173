"""Where the program begins: reads the command line, starts the actors, runs a face, stops them."""

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from shell.cli.arguments import (
    AgentsOptions,
    CheckOptions,
    HelpOptions,
    LaunchOptions,
    SessionsOptions,
    StartError,
    UsageError,
    parse_command_line,
)
from shell.process.deferred_imports import disable_gc, enable_gc, start_background_imports
from shell.process.stdout import OutputError, StdoutWriter
from shell.process.streams import complain, exit_process, settle
from shell.text.sanitize import visible

if TYPE_CHECKING:
    from actors.runtime.system import ActorSystem
    from actors.supervisor.supervisor import ActorFactory
    from actors.wiring.session_setup import SessionHandle
    from messages.base import Message
    from messages.child_lifecycle import ChildEnded
    from shell.cli.launch_config import LaunchConfig
    from shell.config.project_trust import AskUser
    from shell.headless.event_queue import EventQueue
    from shell.sessions.next_session import NextSession

INTERRUPTED_STATUS = 130


def main() -> NoReturn:
    """Run `greenroom` with the process's own arguments, and leave with its exit status."""
    disable_gc()
    settle()
    exit_process(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run `greenroom` with these arguments; the exit status."""
    try:
        return _run(parse_command_line(arguments))
    except StartError as error:
        hint = "; try greenroom --help" if isinstance(error, UsageError) else ""
        for problem in error.args:
            complain(f"{problem}{hint}")
        return error.exit_status
    except OutputError as error:
        if str(error):
            complain(str(error))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except SystemExit as printed:  # `--help`, `--version`
        return int(printed.code or 0)
    except Exception as fault:  # noqa: BLE001  (ours, and told as such)
        from shell.cli.internal_error import log_internal_error

        complain(log_internal_error(fault, os.environ))
        return 1


def _run(  # noqa: PLR0911  (one return per command)
    options: LaunchOptions | SessionsOptions | CheckOptions | AgentsOptions | HelpOptions,
) -> int:
    if isinstance(options, HelpOptions):
        from shell.cli.help_command import run_help_command

        return run_help_command(options.topic)
    if isinstance(options, CheckOptions):
        from shell.cli.permissions_check import run_permissions_check
        from shell.config.workspace_discovery import get_current_folder

        enable_gc()
        return run_permissions_check(options, os.environ, get_current_folder())
    if isinstance(options, AgentsOptions):
        from shell.cli.agents_command import run_agents_command

        enable_gc()
        return run_agents_command(os.environ, as_json=options.as_json)
    if isinstance(options, SessionsOptions):
        from shell.cli.sessions_command import run_sessions_command

        enable_gc()
        return run_sessions_command(options, os.environ, time.time())  # noqa: TID251  (the wall clock)
    if options.headless:
        return _headless(options)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if options.command == "demo":
        return _demo(options) if on_terminal and not options.auto_approve else _played_demo(options)
    if not on_terminal:
        message = "standard input and output are no terminal; use greenroom -p PROMPT"
        raise UsageError(message)
    return _interactive(options)


def _headless(options: LaunchOptions) -> int:
    from shell.headless import headless_console
    from shell.headless.event_queue import EventQueue
    from shell.headless.stdin_prompt import read_prompt
    from shell.view import status_notices

    prompt = read_prompt(options.prompt)
    began_s = time.perf_counter()
    start_background_imports()
    happenings = EventQueue()
    setup = _setup(options)
    session = _open(setup)
    if setup.session_options.is_scripted:
        complain(status_notices.SCRIPTED_MODEL_NOTICE)
    whole = options.output_format == "stream-json"
    console = partial(headless_console.HeadlessConsole, prompt, happenings, forward_all=whole)
    with _at_work(session, setup, console, happenings) as output:
        tally, ended = headless_console.follow_run(happenings, output, options.output_format)
    result = tally.build(time.perf_counter() - began_s, ended.error if ended else None)
    headless_console.print_result(result, output, options.output_format)
    return result.status if ended is None else ended.exit_status


def _interactive(options: LaunchOptions) -> int:
    from shell.cli.terminal_prompt import ask_yes_no

    return _repl(_setup(options, ask=ask_yes_no), options.prompt)


def _demo(options: LaunchOptions) -> int:
    from actors.models.demo_script import DEMO_PROMPT
    from shell.cli import demo

    return _repl(
        demo.with_demo_script(_setup(options, demo.create_demo_folder()), pace=1.0), DEMO_PROMPT
    )


def _played_demo(options: LaunchOptions) -> int:
    from messages.turns import TurnCompleted
    from shell.cli import demo
    from shell.headless.event_queue import EventQueue, RunEnded

    start_background_imports()
    happenings = EventQueue()
    folder = demo.create_demo_folder()
    setup = demo.with_demo_script(_setup(options, folder), demo.AUTO_DEMO_PACE)
    session = _open(setup)
    with _at_work(
        session, setup, partial(demo.AutoApprovingConsole, happenings), happenings
    ) as output:
        end = demo.print_demo(happenings, output)
    print(f"The demo's repository: {folder}\nThe transcript: {session.log.path}")
    if isinstance(end, RunEnded):
        complain(end.error)
        return end.exit_status
    return 0 if isinstance(end, TurnCompleted) else 1


@contextmanager
def _at_work(
    session: "SessionHandle",
    setup: "LaunchConfig",
    console: "ActorFactory",
    happenings: "EventQueue",
) -> Generator[StdoutWriter]:
    """Let the actors work without a person; they are stopped on every way out."""
    from shell.headless.event_queue import RunEnded
    from shell.headless.headless_console import handle_exit_signals

    output = StdoutWriter()
    with handle_exit_signals(happenings, output):
        system = _start(session, setup, console, lambda why: happenings.put(RunEnded(1, why)))
        try:
            yield output
        finally:
            system.stop()


def _repl(setup: "LaunchConfig", first_prompt: str | None) -> int:
    """Serve the person, session after session, until they leave."""
    session = _open(setup)
    status, successor = _on_screen(session, setup, first_prompt)
    while successor:
        session = _succeed(session, setup, successor)
        status, successor = _on_screen(session, setup, None)
    folder = setup.session_options.workspace.cwd
    where = "" if folder == Path.cwd() else f" in {folder}"
    with suppress(OSError):  # a terminal that was closed
        kept = f"Session {session.session_id} is kept"
        if session.log.last_failure:
            kept += f" up to what the disk took, and the rest is lost ({session.log.last_failure})"
        print(visible(f"{kept}; greenroom --continue{where} goes on."))
    return status


def _succeed(
    session: "SessionHandle", setup: "LaunchConfig", successor: "NextSession"
) -> "SessionHandle":
    """Open the session that the person chose; one that cannot be opened is told, and we go back."""
    try:
        return _open(_going_on(setup, successor.session_file))
    except StartError as error:
        complain(str(error))
        return _open(_going_on(setup, session.log.path))


def _going_on(setup: "LaunchConfig", path: Path | None) -> "LaunchConfig":
    from dataclasses import replace

    return replace(
        setup, session_options=replace(setup.session_options, resume_path=path, fork=False)
    )


def _on_screen(
    session: "SessionHandle", setup: "LaunchConfig", first_prompt: str | None
) -> "tuple[int, NextSession | None]":
    """Show one session until the person leaves it; the exit status, and what comes next."""
    from messages.address import CONSOLE
    from shell.cli.front_end import (
        make_session_context,
        make_user_command_runner,
        replay_session,
        select_front_end,
    )
    from shell.console.console import Console
    from shell.console.screen_events import ScreenEventQueue

    inbox = ScreenEventQueue()
    place = make_session_context(session, setup, time.time)  # noqa: TID251  (the one wall clock)
    console = partial(Console, inbox, make_user_command_runner(session, setup))
    system: ActorSystem | None = None

    def ended(problem: str) -> None:
        inbox.put_notice(f"The session ended: {problem}. What was said is kept.")
        repl.exit(1)

    def drawn() -> None:
        """Begin behind the first screen; no key is read before this has returned."""
        nonlocal system
        replay_session(session, inbox)
        system = _start(session, setup, console, ended, inbox.put_notice)
        start_background_imports(
            "shell.view.markdown_renderer"
        )  # keys would wait for it in the first reply

    def post(message: "Message") -> None:
        if system is not None:  # always: nothing is said before the first screen
            system.tell(CONSOLE, message)

    repl = select_front_end()(post, inbox, place, first_prompt, drawn)
    try:
        return repl.run(), repl.next_session
    finally:
        if system is not None:
            system.stop()


def _setup(
    options: LaunchOptions, start: Path | None = None, ask: "AskUser | None" = None
) -> "LaunchConfig":
    from shell.cli.launch_config import build_launch_config
    from shell.config.workspace_discovery import get_current_folder

    setup = build_launch_config(options, os.environ, start or get_current_folder(), ask)
    for notice in setup.notices:
        complain(notice)
    return setup


def _open(setup: "LaunchConfig") -> "SessionHandle":
    from actors.sessions.errors import LogError
    from actors.wiring.session_setup import open_session
    from shell.startup.errors import to_start_error

    try:
        session = open_session(setup.session_options, time.time)  # noqa: TID251  (the one wall clock)
    except LogError as error:
        raise to_start_error(error.detail, error.__cause__) from error
    if session.torn_tail_path:
        complain(
            f"the last record was cut short and does not count; it is in {session.torn_tail_path}"
        )
    return session


def _start(
    session: "SessionHandle",
    setup: "LaunchConfig",
    console: "ActorFactory",
    ended: Callable[[str], None],
    tell: Callable[[str], None] | None = None,
) -> "ActorSystem":
    """Start every actor; `ended` hears when the system ends by itself, on any thread.

    Where there is a screen, `tell` shows a line on it, and the session goes on without its console.
    """
    from dataclasses import replace

    from actors.runtime.system import ActorSystem
    from actors.runtime.watchdog import StallLimits
    from actors.supervisor.supervisor import RootSupervisor, format_restart_notice
    from actors.wiring.wiring import SessionPorts, make_child_factories
    from messages.child_lifecycle import ChildCompleted
    from shell.cli.help_text import build_help_text
    from shell.process.stall_handler import make_stall_handler

    def root_ended(end: "ChildEnded") -> None:
        if isinstance(end, ChildCompleted):
            ended(end.result)

    around = SessionPorts(setup.make_model(), build_help_text, setup.processes)
    factories = make_child_factories(session, around, console)
    told = tell or complain
    factories = replace(factories, on_console_lost=tell)
    system = ActorSystem(partial(RootSupervisor, factories))
    system.add_end_callback(root_ended)
    system.set_restart_callback(lambda peer: told(format_restart_notice(peer)))
    stuck = make_stall_handler(
        system.ask, told, setup.processes.kill_all, on_screen=tell is not None
    )
    system.start_watchdog(stuck.on_stall, stuck.on_fatal_stall, StallLimits())
    return system
