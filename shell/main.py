"""Entry point: parses the command line, starts the actors, runs a front end, stops the actors."""

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from shell.cli.arguments import parse_command_line
from shell.process.deferred_imports import disable_gc, enable_gc, start_background_imports
from shell.process.stdout import OutputError, StdoutWriter, check_stdout
from shell.process.streams import (
    INTERRUPTED_STATUS,
    exit_process,
    fix_home,
    fix_streams,
    print_error,
)
from shell.startup.errors import StartError
from shell.startup.options import (
    AgentsOptions,
    CheckOptions,
    CommandLine,
    CompletionOptions,
    HelpOptions,
    LaunchOptions,
    SandboxOptions,
    SessionsOptions,
)
from shell.text.sanitize import sanitize

if TYPE_CHECKING:
    from actors.runtime.actor import ActorFactory
    from actors.runtime.system import ActorSystem
    from actors.wiring.session_setup import SessionHandle
    from messages.base import Message
    from messages.child_lifecycle import ChildEnded
    from shell.cli.launch_config import LaunchConfig
    from shell.config.project_trust import AskUser
    from shell.headless.event_queue import EventQueue
    from shell.sessions.next_session import NextSession


RESUME_COMMAND = "/resume"
"""Runs first where the user wants to choose a session."""


def main() -> NoReturn:
    """Run `greenroom` with the process's arguments and exit with its status."""
    disable_gc()
    fix_home()
    fix_streams()
    exit_process(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run `greenroom` with these arguments and return the exit status."""
    try:
        return _run(parse_command_line(arguments))
    except StartError as error:
        for problem in error.args:
            print_error(problem)
        return error.exit_status
    except OutputError as error:
        if str(error):
            print_error(str(error))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except SystemExit as end:  # `--help`, `--version`
        return int(end.code or 0)
    except Exception as error:  # noqa: BLE001  (a bug of ours; reported as one)
        from shell.cli.internal_error import log_internal_error

        print_error(log_internal_error(error, os.environ))
        return 1


def _run(  # noqa: PLR0911  (one return per command)
    options: CommandLine,
) -> int:
    if isinstance(options, HelpOptions):
        from shell.cli.help_command import run_help_command

        return run_help_command(options.topic)
    if isinstance(options, CompletionOptions):
        from shell.cli.arguments import make_session_parser
        from shell.cli.completion_command import build_completion_script

        print(build_completion_script(options.shell, make_session_parser()), end="")
        return 0
    if isinstance(options, CheckOptions):
        from shell.cli.permissions_check import run_permissions_check
        from shell.config.workspace_discovery import get_current_folder

        enable_gc()
        return run_permissions_check(options, os.environ, get_current_folder())
    if isinstance(options, AgentsOptions):
        from shell.cli.agents_command import run_agents_command

        enable_gc()
        return run_agents_command(os.environ, as_json=options.as_json)
    if isinstance(options, SandboxOptions):
        return _run_sandbox(options)
    if isinstance(options, SessionsOptions):
        from shell.cli.sessions_command import run_sessions_command

        enable_gc()
        return run_sessions_command(options, os.environ, time.time())  # noqa: TID251  (the wall clock)
    if options.headless:
        return _run_headless(options)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if options.demo:
        interactive = on_terminal and not options.auto_approve
        return _run_demo(options) if interactive else _run_auto_demo(options)
    if not on_terminal:
        message = "standard input and output are not a terminal; use greenroom -p PROMPT"
        raise StartError(message)
    return _run_interactive(options)


def _run_sandbox(options: SandboxOptions) -> int:
    from shell.cli.sandbox_command import run_sandbox_command
    from shell.config.workspace_discovery import get_current_folder

    check_stdout()
    config = _make_launch_config(LaunchOptions(headless=True))
    if config.sandbox is None:
        return 1
    return run_sandbox_command(config.sandbox, options.command, os.environ, get_current_folder())


def _run_headless(options: LaunchOptions) -> int:
    from actors.prompt_context.mentions import find_mentions
    from shell.headless import main_loop
    from shell.headless.event_queue import EventQueue
    from shell.headless.headless_console import HeadlessConsole
    from shell.headless.stdin_prompt import get_typed_prompt, read_prompt
    from shell.view import status_notices

    check_stdout()
    prompt = "" if options.review else read_prompt(options.prompt)
    started_s = time.perf_counter()
    start_background_imports()
    queue = EventQueue()
    config = _make_launch_config(options)
    session = _open_session(config)
    if config.session_options.is_scripted:
        print_error(status_notices.SCRIPTED_MODEL_NOTICE)
    forward_all = options.output_format == "stream-json"
    mentions = find_mentions(get_typed_prompt(options.prompt, prompt))
    console: ActorFactory = partial(
        HeadlessConsole, prompt, queue, mentions=mentions, forward_all=forward_all
    )
    if options.review:
        from shell.headless.review_console import ReviewConsole, make_target

        target = make_target(options.review)
        console = partial(ReviewConsole, target, queue, forward_all=forward_all)
    with _run_actors(session, config, console, queue) as output:
        builder, end = main_loop.follow_run(queue, output, options.output_format)
    duration_s = time.perf_counter() - started_s
    fail_on = options.review.fail_on if options.review else None
    if config.sandbox is not None:
        builder = builder.with_sandbox(config.sandbox.active_enforcement)
    result = builder.build(duration_s, end, allow_denials=options.allow_denials, fail_on=fail_on)
    main_loop.print_result(result, output, options.output_format)
    return result.status


def _run_interactive(options: LaunchOptions) -> int:
    from shell.cli.terminal_prompt import ask_yes_no

    # A first prompt that is a slash command runs.
    prompt = RESUME_COMMAND if options.resume_id == "" else options.prompt
    return _run_repl(_make_launch_config(options, ask_user=ask_yes_no), prompt)


def _run_demo(options: LaunchOptions) -> int:
    from actors.models.demo_script import DEMO_PROMPT
    from shell.cli import demo

    with demo.open_demo_folder(keep=options.keep_folder) as folder:
        config = _make_launch_config(options, folder)
        config = demo.with_demo_script(config, pace=1.0)
        return _run_repl(config, DEMO_PROMPT, can_resume=options.keep_folder)


def _run_auto_demo(options: LaunchOptions) -> int:
    from messages.turns import TurnCompleted
    from shell.cli import demo
    from shell.headless.event_queue import EventQueue, RunEnded

    start_background_imports()
    queue = EventQueue()
    with demo.open_demo_folder(keep=options.keep_folder) as folder:
        config = demo.with_demo_script(_make_launch_config(options, folder), demo.AUTO_DEMO_PACE)
        session = _open_session(config)
        console = partial(demo.AutoApprovingConsole, queue)
        with _run_actors(session, config, console, queue) as output:
            end = demo.print_demo(queue, output)
        print(f"Session file: {session.log.path}")
    if isinstance(end, RunEnded):
        print_error(end.error)
        return end.exit_status
    return 0 if isinstance(end, TurnCompleted) else 1


@contextmanager
def _run_actors(
    session: "SessionHandle",
    config: "LaunchConfig",
    console: "ActorFactory",
    queue: "EventQueue",
) -> Generator[StdoutWriter]:
    """Run the actors without a screen; they are stopped on every exit path."""
    from shell.headless.event_queue import RunEnded
    from shell.headless.main_loop import handle_exit_signals

    output = StdoutWriter()
    with handle_exit_signals(queue, output):
        system = _start_actors(
            session, config, console, lambda reason: queue.put(RunEnded(1, reason))
        )
        try:
            yield output
        finally:
            system.stop()


def _run_repl(config: "LaunchConfig", first_prompt: str | None, *, can_resume: bool = True) -> int:
    """Run one session after another until the user exits.

    `can_resume`: the folder of the session remains, so say how to resume it.
    """
    session = _open_session(config)
    status, next_session = _show_session(session, config, first_prompt)
    while next_session:
        session = _open_next_session(session, config, next_session)
        status, next_session = _show_session(session, config, None)
    if not can_resume:
        return status
    with suppress(OSError):  # the terminal was closed
        print(sanitize(_format_exit_notice(session, config.session_options.workspace.cwd)))
    return status


def _format_exit_notice(session: "SessionHandle", folder: Path) -> str:
    failure = session.log.last_failure
    saved = f"was only partly saved ({failure})" if failure else "is saved"
    where = "" if folder == Path.cwd() else f" in {folder}"
    return f"Session {session.session_id} {saved}. Resume it with greenroom --continue{where}."


def _open_next_session(
    session: "SessionHandle", config: "LaunchConfig", next_session: "NextSession"
) -> "SessionHandle":
    """Open the session that the user chose, or the current one again if that fails."""
    try:
        return _open_session(_with_session_file(config, next_session.session_file))
    except StartError as error:
        print_error(str(error))
        return _open_session(_with_session_file(config, session.log.path))


def _with_session_file(config: "LaunchConfig", path: Path | None) -> "LaunchConfig":
    from dataclasses import replace

    return replace(
        config, session_options=replace(config.session_options, resume_path=path, fork=False)
    )


def _show_session(
    session: "SessionHandle", config: "LaunchConfig", first_prompt: str | None
) -> "tuple[int, NextSession | None]":
    """Show one session until the user leaves it; return the exit status and the next session."""
    from messages.address import CONSOLE
    from shell.cli.interactive_session import (
        make_session_context,
        make_user_command_runner,
        replay_session,
        select_front_end,
    )
    from shell.console.console import Console
    from shell.console.screen_event_queue import ScreenEventQueue
    from shell.view.unfinished_work import format_unfinished_work

    screen_events = ScreenEventQueue()
    context = make_session_context(session, config, time.time)  # noqa: TID251  (the one wall clock)
    console = partial(Console, screen_events, make_user_command_runner(session, config))
    system: ActorSystem | None = None

    def on_system_ended(problem: str) -> None:
        screen_events.put_notice(f"The session ended: {problem}. What happened so far is saved.")
        repl.exit(1)

    def on_first_screen() -> None:
        """Start the actors behind the first screen; no key is read before this returns."""
        nonlocal system
        replay_session(session, screen_events)
        system = _start_actors(session, config, console, on_system_ended, screen_events.put_notice)
        # The first reply imports this module; keys would wait for it.
        start_background_imports("shell.view.markdown_renderer")

    def post(message: "Message") -> None:
        if system is not None:  # always, since nothing is posted before the first screen
            system.tell(CONSOLE, message)

    repl = select_front_end()(post, screen_events, context, first_prompt, on_first_screen)
    try:
        status = repl.run()
    finally:
        if system is not None:
            system.stop()
    if unfinished := format_unfinished_work(repl.state, session.session_id):
        with suppress(OSError):  # the terminal was closed
            print(sanitize(unfinished))
    return status, repl.next_session


def _make_launch_config(
    options: LaunchOptions, start_folder: Path | None = None, ask_user: "AskUser | None" = None
) -> "LaunchConfig":
    from shell.cli.launch_config import build_launch_config
    from shell.config.workspace_discovery import get_current_folder

    config = build_launch_config(
        options, os.environ, start_folder or get_current_folder(), ask_user
    )
    for notice in config.notices:
        print_error(notice)
    return config


def _open_session(config: "LaunchConfig") -> "SessionHandle":
    from actors.sessions.errors import LogError
    from actors.wiring.session_setup import open_session
    from shell.startup.errors import to_start_error

    try:
        session = open_session(config.session_options, time.time)  # noqa: TID251  (the one wall clock)
    except LogError as error:
        raise to_start_error(error.detail, error.__cause__) from error
    if session.torn_file:
        print_error(f"the session's last record is incomplete; moved to {session.torn_file}")
    if session.fork_notice:
        print_error(session.fork_notice)
    return session


def _start_actors(
    session: "SessionHandle",
    config: "LaunchConfig",
    console: "ActorFactory",
    on_ended: Callable[[str], None],
    print_on_screen: Callable[[str], None] | None = None,
) -> "ActorSystem":
    """Start every actor.

    `on_ended` is called on any thread when the system shuts itself down. With a screen,
    `print_on_screen` shows a line on it, and the session continues without its console.
    """
    from dataclasses import replace

    from actors.runtime.system import ActorSystem
    from actors.runtime.watchdog import StallLimits
    from actors.supervisor.supervisor import RootSupervisor, format_restart_notice
    from actors.wiring.wiring import SessionPorts, make_child_factories
    from messages.child_lifecycle import ChildCompleted
    from shell.cli.help_tool_text import build_help_text
    from shell.process.stall_handler import make_stall_handler

    def on_root_ended(end: "ChildEnded") -> None:
        if isinstance(end, ChildCompleted):
            on_ended(end.result)

    notify_user = print_on_screen or print_error
    ports = SessionPorts(
        config.make_model(),
        build_help_text,
        config.processes,
        sandbox=config.sandbox,
        snapshots=session.snapshots,
        wall_clock=time.time,  # noqa: TID251  (the one wall clock)
        notify=notify_user,
    )
    factories = make_child_factories(session, ports, console)
    factories = replace(factories, on_console_lost=print_on_screen)
    system = ActorSystem(partial(RootSupervisor, factories))
    system.add_end_callback(on_root_ended)
    system.set_restart_callback(lambda peer: notify_user(format_restart_notice(peer)))
    stall_handler = make_stall_handler(
        system.ask,
        notify_user,
        on_screen=print_on_screen is not None,
    )
    system.start_watchdog(stall_handler.on_stall, stall_handler.on_fatal_stall, StallLimits())
    return system
