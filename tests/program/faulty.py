"""The real program with a planted fault in one of its actors: `faulty.py NAME WORDS`.

NAME is a factory of the root, whose actor crashes over its first message and at every restart; or
`held`: waiting for a command holds everything up, and the watchdog is impatient.
"""

import asyncio
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

import actors.runtime.watchdog
import actors.session
import actors.tools.local_processes
from actors.root import Factories, Make
from actors.runtime.watchdog import Patience
from actors.session import OpenSession, Surroundings
from shell.main import main


def crashing(make: Make) -> Make:
    """Make the same actor, which cannot work."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_start(self: Any) -> None:  # noqa: ANN401  (any actor)
        if self.incarnation > 1:
            message = "planted again"
            raise RuntimeError(message)
        kind.on_start(self)

    def on_receive(*_: object) -> None:
        message = "planted"
        raise SystemExit(message)

    hooks = {"on_start": on_start, "on_receive": on_receive}
    return partial(type(kind.__name__, (kind,), hooks), *make.args, **make.keywords)


async def hold(_: object) -> None:
    """Stand where a command is waited for, and let nothing else run once the command works."""
    while not Path("begun").exists():  # noqa: ASYNC110, ASYNC240  (a process tells of itself)
        await asyncio.sleep(0.01)
    Event().wait()


def with_fault(name: str) -> Any:  # noqa: ANN401  (a function of the program)
    """Build the session as ever, but for one factory."""
    build = actors.session.factories_of

    def factories_of(session: OpenSession, around: Surroundings, console: Make) -> Factories:
        factories = build(session, around, console)
        made: dict[str, Any] = {name: crashing(getattr(factories, name))}
        return replace(factories, **made)

    return factories_of


def put(module: ModuleType, name: str, value: object) -> None:
    """Put something else in the place of what a module has."""
    setattr(module, name, value)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "held":
        put(actors.tools.local_processes, "exited", hold)
        put(actors.runtime.watchdog, "Patience", partial(Patience, named_s=0.1, fatal_s=0.4))
    else:
        put(actors.session, "factories_of", with_fault(name))
    main()
