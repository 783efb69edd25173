"""Where the program begins: reads the command line, starts the actors, runs a face, stops them."""

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shell.arguments import Options, StartError, UsageError, parse

if TYPE_CHECKING:
    from queue import SimpleQueue

    from actors.crew import OpenSession
    from actors.root import Make
    from actors.runtime.system import ActorSystem
    from messages.agents import ChildEnded
    from shell.headless import Happening
    from shell.setup import Setup

INTERRUPTED = 130


def main() -> int:
    """Run `greenroom` with the process's own arguments; the exit status."""
    try:
        return _run(parse(sys.argv[1:]))
    except StartError as error:
        hint = "\nTry: greenroom --help" if isinstance(error, UsageError) else ""
        print(f"greenroom: {error}{hint}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read the output has gone: nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(options: Options) -> int:
    if options.headless:
        return _headless(options)
    if options.auto:
        return _played_demo(options)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        instead = "demo --auto" if options.command == "demo" else "-p PROMPT"
        message = f"standard input and output are no terminal; use greenroom {instead}"
        raise UsageError(message)
    return _demo(options) if options.command == "demo" else _interactive(options)


def _headless(options: Options) -> int:
    from queue import SimpleQueue  # noqa: PLC0415  (`--help` and errors come before imports)

    from shell import headless  # noqa: PLC0415
    from shell.stdin import headless_prompt  # noqa: PLC0415

    prompt = headless_prompt(options.prompt)
    began_s = time.perf_counter()
    _load_sdk()
    happenings: SimpleQueue[Happening] = SimpleQueue()
    session, setup = _open(_setup(options))
    if setup.wanted.rehearsal:
        headless.complain(headless.REHEARSAL)
    console = partial(headless.HeadlessConsole, prompt, happenings)
    with headless.signals(happenings):
        system = _start(session, setup, console, _into(happenings))
        try:
            tally, ended = headless.run(happenings, options.output_format)
        finally:
            system.stop()
    result = tally.result(time.perf_counter() - began_s, ended.error if ended else None)
    headless.show(result, options.output_format)
    if ended is not None:
        return ended.status
    return 0 if result.error is None else 1


def _interactive(options: Options) -> int:
    return _repl(_setup(options), options.prompt)


def _demo(options: Options) -> int:
    from actors.models.demo_script import PROMPT  # noqa: PLC0415
    from shell import demo  # noqa: PLC0415

    folder = demo.stage()
    status = _repl(demo.scripted(_setup(options, folder), pace=1.0), PROMPT)
    print(f"The demo's repository: {folder}")
    return status


def _played_demo(options: Options) -> int:
    from queue import SimpleQueue  # noqa: PLC0415

    from messages.turns import TurnCompleted  # noqa: PLC0415
    from shell import demo, headless  # noqa: PLC0415

    _load_sdk()
    happenings: SimpleQueue[Happening] = SimpleQueue()
    folder = demo.stage()
    session, setup = _open(demo.scripted(_setup(options, folder), demo.PLAYED_PACE))
    with headless.signals(happenings):
        system = _start(session, setup, partial(demo.Player, happenings), _into(happenings))
        try:
            end = demo.play(happenings)
        finally:
            system.stop()
    print(f"The demo's repository: {folder}\nThe transcript: {session.log.path}")
    if isinstance(end, headless.Ended):
        headless.complain(end.error)
        return end.status
    return 0 if isinstance(end, TurnCompleted) else 1


def _repl(setup: "Setup", first_prompt: str | None) -> int:
    from shell.console import CONSOLE, Console  # noqa: PLC0415
    from shell.inbox import Inbox  # noqa: PLC0415
    from shell.repl import Repl  # noqa: PLC0415

    session, setup = _open(setup)
    inbox = Inbox()
    repl = Repl(lambda message: system.tell(CONSOLE, message), inbox, first_prompt, _load_sdk)

    def ended(problem: str) -> None:
        inbox.put_notice(f"The session ended: {problem}. What was said is kept.")
        repl.leave(1)

    system = _start(session, setup, partial(Console, inbox, session.records), ended)
    try:
        status = repl.run()
    finally:
        system.stop()
    print(f"Session {session.session_id} is kept; `greenroom --continue` goes on with it.")
    return status


def _setup(options: Options, start: Path | None = None) -> "Setup":
    from shell.setup import set_up  # noqa: PLC0415

    return set_up(options, os.environ, start or Path.cwd())


def _open(setup: "Setup") -> "tuple[OpenSession, Setup]":
    from actors.crew import open_session  # noqa: PLC0415
    from actors.sessions.log import LogError  # noqa: PLC0415

    try:
        return open_session(setup.wanted, time.time), setup  # noqa: TID251  (the one wall clock)
    except LogError as error:
        raise StartError(error.detail) from error


def _start(
    session: "OpenSession", setup: "Setup", console: "Make", ended: Callable[[str], None]
) -> "ActorSystem":
    """Start every actor; `ended` hears when the system ends by itself, on any thread."""
    from actors.crew import crew_of  # noqa: PLC0415
    from actors.root import Root  # noqa: PLC0415
    from actors.runtime.system import ActorSystem  # noqa: PLC0415
    from messages.agents import ChildCompleted  # noqa: PLC0415

    def root_ended(end: "ChildEnded") -> None:
        if isinstance(end, ChildCompleted):
            ended(end.result)

    system = ActorSystem(partial(Root, crew_of(session, setup.model, console)))
    system.when_ended(root_ended)
    return system


def _into(happenings: "SimpleQueue[Happening]") -> Callable[[str], None]:
    from shell.headless import Ended  # noqa: PLC0415

    return lambda problem: happenings.put(Ended(1, problem))


def _load_sdk() -> None:
    """Begin the slowest import beside everything else."""
    from actors.models.anthropic_client import load_sdk  # noqa: PLC0415

    threading.Thread(target=load_sdk, name="greenroom-sdk", daemon=True).start()
