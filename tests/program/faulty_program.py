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

import actors.runtime.system
import actors.runtime.watchdog
import actors.tools.local_command_runner
import actors.wiring.wiring
from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.registry import ActorRegistry
from actors.runtime.runtime_port import CellHandle
from actors.runtime.supervision import NO_RESTART, Restart
from actors.runtime.watchdog import StallLimits
from actors.supervisor.supervisor import ActorFactory, ChildFactories
from actors.wiring.session_setup import SessionHandle
from actors.wiring.wiring import SessionPorts
from messages.address import ROOT, Address
from messages.base import Message
from messages.envelope import Envelope
from shell.main import main

ACTOR_NAMES = ("journal", "permissions", "approvals", "console", "primary")


def always_crashing(make: ActorFactory) -> ActorFactory:
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


class CrashOnReceipt(Message):
    """Something that no actor survives."""


def crashing_on_demand(make: ActorFactory) -> ActorFactory:
    """Make the same actor, which crashes over poison."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_receive(self: Any, message: Message) -> None:  # noqa: ANN401  (any actor)
        if isinstance(message, CrashOnReceipt):
            raise SystemExit
        kind.on_receive(self, message)

    return partial(
        type(kind.__name__, (kind,), {"on_receive": on_receive}), *make.args, **make.keywords
    )


CELLS: dict[Address, Cell] = {}


class RecordingRegistry(ActorRegistry):
    """Lets a test reach into its cells."""

    def start_cell(
        self,
        make: ActorFactory,
        address: Address,
        parent: CellHandle | None,
        restart: Restart = NO_RESTART,
    ) -> Cell:
        CELLS[address] = super().start_cell(make, address, parent, restart)
        return CELLS[address]


def deliver_crashes() -> None:
    """Give poison to whoever is named in a pipe."""
    while True:
        for name in Path("crash").read_text().split():
            address = Address(f"/{name}")
            CELLS[address].post(Envelope(address, ROOT, CrashOnReceipt()))


async def block_event_loop(_: object) -> None:
    """Stand where a command is waited for, and let nothing else run once the command works."""
    while not Path("begun").exists():  # noqa: ASYNC110, ASYNC240  (a process tells of itself)
        await asyncio.sleep(0.01)
    Event().wait()


def with_fault(fault: Callable[[ActorFactory], ActorFactory], *names: str) -> Any:  # noqa: ANN401  (a function of the program)
    """Build the session as ever, but for some factories."""
    build = actors.wiring.wiring.make_child_factories

    def factories_of(
        session: SessionHandle, around: SessionPorts, console: ActorFactory
    ) -> ChildFactories:
        factories = build(session, around, console)
        made: dict[str, Any] = {name: fault(getattr(factories, name)) for name in names}
        return replace(factories, **made)

    return factories_of


def replace_attribute(module: ModuleType, name: str, value: object) -> None:
    """Put something else in the place of what a module has."""
    setattr(module, name, value)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "held":
        replace_attribute(actors.tools.local_command_runner, "exited", block_event_loop)
        replace_attribute(
            actors.runtime.watchdog,
            "StallLimits",
            partial(StallLimits, report_after_s=0.1, fatal_after_s=0.4),
        )
    elif name == "crashing":
        replace_attribute(
            actors.wiring.wiring, "factories_of", with_fault(crashing_on_demand, *ACTOR_NAMES)
        )
        replace_attribute(actors.runtime.system, "ActorRegistry", RecordingRegistry)
        Thread(target=deliver_crashes, daemon=True).start()
    else:
        replace_attribute(actors.wiring.wiring, "factories_of", with_fault(always_crashing, name))
    main()
