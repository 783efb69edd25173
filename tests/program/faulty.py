"""The real program with a planted fault in one of its actors: `faulty.py NAME WORDS`.

NAME is a factory of the root, whose actor crashes over its first message and at every restart; or
`held`: waiting for a command holds everything up, and the watchdog is impatient; or `crashing`:
each actor crashes when its name is written to the pipe `crash` in the folder.
"""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import Any

import actors.factories
import actors.runtime.system
import actors.runtime.watchdog
import actors.tools.local_processes
from actors.factories import SessionPorts
from actors.root import ChildFactories, Make
from actors.runtime.actor import Factory
from actors.runtime.cell import Cell
from actors.runtime.directory import ActorRegistry
from actors.runtime.household import Household
from actors.runtime.supervision import NEVER, Restart
from actors.runtime.watchdog import StallLimits
from actors.session import OpenSession
from messages.address import ROOT, Address
from messages.base import Message
from messages.envelope import Envelope
from shell.main import main

PARTS = ("journal", "permissions", "approvals", "console", "primary")


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


class Poison(Message):
    """Something that no actor survives."""


def mortal(make: Make) -> Make:
    """Make the same actor, which crashes over poison."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_receive(self: Any, message: Message) -> None:  # noqa: ANN401  (any actor)
        if isinstance(message, Poison):
            raise SystemExit
        kind.on_receive(self, message)

    return partial(
        type(kind.__name__, (kind,), {"on_receive": on_receive}), *make.args, **make.keywords
    )


CELLS: dict[Address, Cell] = {}


class Known(ActorRegistry):
    """Lets a test reach into its cells."""

    def spawn(
        self, make: Factory, address: Address, parent: Household | None, restart: Restart = NEVER
    ) -> Cell:
        CELLS[address] = super().spawn(make, address, parent, restart)
        return CELLS[address]


def poison() -> None:
    """Give poison to whoever is named in a pipe."""
    while True:
        for name in Path("crash").read_text().split():
            address = Address(f"/{name}")
            CELLS[address].post(Envelope(address, ROOT, Poison()))


async def hold(_: object) -> None:
    """Stand where a command is waited for, and let nothing else run once the command works."""
    while not Path("begun").exists():  # noqa: ASYNC110, ASYNC240  (a process tells of itself)
        await asyncio.sleep(0.01)
    Event().wait()


def with_fault(fault: Callable[[Make], Make], *names: str) -> Any:  # noqa: ANN401  (a function of the program)
    """Build the session as ever, but for some factories."""
    build = actors.factories.factories_of

    def factories_of(session: OpenSession, around: SessionPorts, console: Make) -> ChildFactories:
        factories = build(session, around, console)
        made: dict[str, Any] = {name: fault(getattr(factories, name)) for name in names}
        return replace(factories, **made)

    return factories_of


def put(module: ModuleType, name: str, value: object) -> None:
    """Put something else in the place of what a module has."""
    setattr(module, name, value)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "held":
        put(actors.tools.local_processes, "exited", hold)
        put(actors.runtime.watchdog, "Patience", partial(StallLimits, named_s=0.1, fatal_s=0.4))
    elif name == "crashing":
        put(actors.factories, "factories_of", with_fault(mortal, *PARTS))
        put(actors.runtime.system, "Directory", Known)
        Thread(target=poison, daemon=True).start()
    else:
        put(actors.factories, "factories_of", with_fault(crashing, name))
    main()
