"""Where the program begins: reads the command line, starts the actors, runs a face, stops them."""

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from shell.arguments import (
    AgentsOptions,
    CheckOptions,
    Options,
    SessionsOptions,
    StartError,
    UsageError,
    parse,
)
from shell.loading import collect_garbage, load_rest, put_off_garbage
from shell.output import Output, OutputError
from shell.process import complain, leave, settle
from shell.visible import visible

if TYPE_CHECKING:
    from actors.root import Make
    from actors.runtime.system import ActorSystem
    from actors.session import OpenSession
    from messages.agents import ChildEnded
    from messages.base import Message
    from shell.config.project import Ask
    from shell.happenings import Happenings
    from shell.setup import Setup
    from shell.successor import Successor

INTERRUPTED = 130


def main() -> NoReturn:
    """Run `greenroom` with the process's own arguments, and leave with its exit status."""
    put_off_garbage()
    settle()
    leave(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    """Run `greenroom` with these arguments; the exit status."""
    try:
        return _run(parse(words))
    except StartError as error:
        hint = "; try greenroom --help" if isinstance(error, UsageError) else ""
        for problem in error.args:
            complain(f"{problem}{hint}")
        return error.status
    except OutputError as error:
        if str(error):
            complain(str(error))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as printed:  # `--help`, `--version`
        return int(printed.code or 0)
    except Exception as fault:  # noqa: BLE001  (ours, and told as such)
        from shell.own_fault import kept

        complain(kept(fault, os.environ))
        return 1


def _run(options: Options | SessionsOptions | CheckOptions | AgentsOptions) -> int:
    if isinstance(options, CheckOptions):
        from shell.config.workspace import current_folder
        from shell.permissions_check import run_check

        collect_garbage()
        return run_check(options, os.environ, current_folder())
    if isinstance(options, AgentsOptions):
        from shell.agents_command import run_agents

        collect_garbage()
        return run_agents(os.environ, as_json=options.as_json)
    if isinstance(options, SessionsOptions):
        from shell.sessions_command import run_sessions

        collect_garbage()
        return run_sessions(options, os.environ, time.time())  # noqa: TID251  (the wall clock)
    if options.headless:
        return _headless(options)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if options.command == "demo":
        return _demo(options) if on_terminal and not options.auto else _played_demo(options)
    if not on_terminal:
        message = "standard input and output are no terminal; use greenroom -p PROMPT"
        raise UsageError(message)
    return _interactive(options)


def _headless(options: Options) -> int:
    from shell import headless
    from shell.happenings import Happenings
    from shell.stdin import headless_prompt
    from shell.view import rehearsal

    prompt = headless_prompt(options.prompt)
    began_s = time.perf_counter()
    load_rest()
    happenings = Happenings()
    setup = _setup(options)
    session = _open(setup)
    if setup.options.is_scripted:
        complain(rehearsal.NOTICE)
    whole = options.output_format == "stream-json"
    console = partial(headless.HeadlessConsole, prompt, happenings, whole=whole)
    with _at_work(session, setup, console, happenings) as output:
        tally, ended = headless.run(happenings, output, options.output_format)
    result = tally.result(time.perf_counter() - began_s, ended.error if ended else None)
    headless.show(result, output, options.output_format)
    return result.status if ended is None else ended.status


def _interactive(options: Options) -> int:
    from shell.asking import ask

    return _repl(_setup(options, ask=ask), options.prompt)


def _demo(options: Options) -> int:
    from actors.models.demo_script import PROMPT
    from shell import demo

    return _repl(demo.scripted(_setup(options, demo.stage()), pace=1.0), PROMPT)


def _played_demo(options: Options) -> int:
    from messages.turns import TurnCompleted
    from shell import demo
    from shell.happenings import Happenings, RunEnded

    load_rest()
    happenings = Happenings()
    folder = demo.stage()
    setup = demo.scripted(_setup(options, folder), demo.PLAYED_PACE)
    session = _open(setup)
    with _at_work(
        session, setup, partial(demo.AutoApprovingConsole, happenings), happenings
    ) as output:
        end = demo.play(happenings, output)
    print(f"The demo's repository: {folder}\nThe transcript: {session.log.path}")
    if isinstance(end, RunEnded):
        complain(end.error)
        return end.status
    return 0 if isinstance(end, TurnCompleted) else 1


@contextmanager
def _at_work(
    session: "OpenSession", setup: "Setup", console: "Make", happenings: "Happenings"
) -> Generator[Output]:
    """Let the actors work without a person; they are stopped on every way out."""
    from shell.happenings import RunEnded
    from shell.headless import signals

    output = Output()
    with signals(happenings, output):
        system = _start(session, setup, console, lambda why: happenings.put(RunEnded(1, why)))
        try:
            yield output
        finally:
            system.stop()


def _repl(setup: "Setup", first_prompt: str | None) -> int:
    """Serve the person, session after session, until they leave."""
    session = _open(setup)
    status, successor = _on_screen(session, setup, first_prompt)
    while successor:
        session = _succeed(session, setup, successor)
        status, successor = _on_screen(session, setup, None)
    folder = setup.options.workspace.cwd
    where = "" if folder == Path.cwd() else f" in {folder}"
    with suppress(OSError):  # a terminal that was closed
        kept = f"Session {session.session_id} is kept"
        if session.log.refused:
            kept += f" up to what the disk took, and the rest is lost ({session.log.refused})"
        print(visible(f"{kept}; greenroom --continue{where} goes on."))
    return status


def _succeed(session: "OpenSession", setup: "Setup", successor: "Successor") -> "OpenSession":
    """Open the session that the person chose; one that cannot be opened is told, and we go back."""
    try:
        return _open(_going_on(setup, successor.session))
    except StartError as error:
        complain(str(error))
        return _open(_going_on(setup, session.log.path))


def _going_on(setup: "Setup", path: Path | None) -> "Setup":
    from dataclasses import replace

    return replace(setup, options=replace(setup.options, take_up=path, fork=False))


def _on_screen(
    session: "OpenSession", setup: "Setup", first_prompt: str | None
) -> "tuple[int, Successor | None]":
    """Show one session until the person leaves it; the exit status, and what comes next."""
    from messages.address import CONSOLE
    from shell.console import Console
    from shell.face import face, retell, workbench, workplace
    from shell.inbox import ScreenEventQueue

    inbox = ScreenEventQueue()
    place = workplace(session, setup, time.time)  # noqa: TID251  (the one wall clock)
    console = partial(Console, inbox, workbench(session, setup))
    system: ActorSystem | None = None

    def ended(problem: str) -> None:
        inbox.put_notice(f"The session ended: {problem}. What was said is kept.")
        repl.leave(1)

    def drawn() -> None:
        """Begin behind the first screen; no key is read before this has returned."""
        nonlocal system
        retell(session, inbox)
        system = _start(session, setup, console, ended, inbox.put_notice)
        load_rest("shell.view.markdown")  # keys would wait for it in the first reply

    def post(message: "Message") -> None:
        if system is not None:  # always: nothing is said before the first screen
            system.tell(CONSOLE, message)

    repl = face()(post, inbox, place, first_prompt, drawn)
    try:
        return repl.run(), repl.successor
    finally:
        if system is not None:
            system.stop()


def _setup(options: Options, start: Path | None = None, ask: "Ask | None" = None) -> "Setup":
    from shell.config.workspace import current_folder
    from shell.setup import set_up

    setup = set_up(options, os.environ, start or current_folder(), ask)
    for notice in setup.notices:
        complain(notice)
    return setup


def _open(setup: "Setup") -> "OpenSession":
    from actors.session import open_session
    from actors.sessions.log import LogError
    from shell.refused import refused

    try:
        session = open_session(setup.options, time.time)  # noqa: TID251  (the one wall clock)
    except LogError as error:
        raise refused(error.detail, error.__cause__) from error
    if session.torn_kept:
        complain(f"the last record was cut short and does not count; it is in {session.torn_kept}")
    return session


def _start(
    session: "OpenSession",
    setup: "Setup",
    console: "Make",
    ended: Callable[[str], None],
    tell: Callable[[str], None] | None = None,
) -> "ActorSystem":
    """Start every actor; `ended` hears when the system ends by itself, on any thread.

    Where there is a screen, `tell` shows a line on it, and the session goes on without its console.
    """
    from dataclasses import replace

    from actors.factories import SessionPorts, factories_of
    from actors.root import RootSupervisor, begun_again
    from actors.runtime.system import ActorSystem
    from actors.runtime.watchdog import StallLimits
    from messages.agents import ChildCompleted
    from shell.manual import manual
    from shell.stuck import stuck_with

    def root_ended(end: "ChildEnded") -> None:
        if isinstance(end, ChildCompleted):
            ended(end.result)

    around = SessionPorts(setup.make_model(), manual, setup.processes)
    factories = factories_of(session, around, console)
    told = tell or complain
    factories = replace(factories, console_gone=tell)
    system = ActorSystem(partial(RootSupervisor, factories))
    system.when_ended(root_ended)
    system.when_restarted(lambda peer: told(begun_again(peer)))
    stuck = stuck_with(system.ask, told, setup.processes.end_by_force, on_screen=tell is not None)
    system.guard(stuck.named, stuck.fatal, StallLimits())
    return system
