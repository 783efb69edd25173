"""The real program with an injected fault: `faulty_program.py FAULT ARGUMENTS`.

FAULT is an actor's name: it crashes on its first message and at every restart. Or `blocked`: the
event loop blocks when a command has written to the pipe `started`, and the watchdog's limits are
short. Or `crashing`: each actor crashes when its name is written to the pipe `crash`. The pipes are
in the current directory.
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
import actors.tools.watcher_client
import actors.wiring.wiring
from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.registry import ActorRegistry
from actors.runtime.runtime_port import CellHandle
from actors.runtime.supervision import NO_RESTART, Restart
from actors.runtime.watchdog import StallLimits
from actors.supervisor.supervisor import ChildFactories
from actors.wiring.session_setup import SessionHandle
from actors.wiring.wiring import SessionPorts
from messages.address import ROOT, Address
from messages.base import Message
from messages.envelope import Envelope
from shell.main import main

ACTOR_NAMES = ("journal", "permissions", "approvals", "console", "primary")


def always_crashing(make: ActorFactory) -> ActorFactory:
    """Return a factory of the same actor, which always crashes."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_start(self: Any) -> None:  # noqa: ANN401  (any actor)
        if self.incarnation > 1:
            message = "injected again"
            raise RuntimeError(message)
        kind.on_start(self)

    def on_receive(*_: object) -> None:
        message = "injected"
        raise SystemExit(message)

    hooks = {"on_start": on_start, "on_receive": on_receive}
    return partial(type(kind.__name__, (kind,), hooks), *make.args, **make.keywords)


class CrashOnReceipt(Message):
    """Crashes its receiver."""


def crashing_on_demand(make: ActorFactory) -> ActorFactory:
    """Return a factory of the same actor, which crashes on `CrashOnReceipt`."""
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
    """Records its cells, so that a fault can reach them."""

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
    """Crash the actors whose names are written to the pipe."""
    while True:
        for name in Path("crash").read_text().split():
            address = Address(f"/{name}")
            CELLS[address].post(Envelope(address, ROOT, CrashOnReceipt()))


async def block_event_loop(*_: object) -> None:
    """Wait until the command has started, then block the event loop."""
    await asyncio.to_thread(Path("started").read_text)
    Event().wait()


def with_fault(fault: Callable[[ActorFactory], ActorFactory], *names: str) -> Any:  # noqa: ANN401  (a function of the program)
    """Return `make_child_factories` with a fault in some actors."""
    original = actors.wiring.wiring.make_child_factories

    def make_child_factories(
        session: SessionHandle, ports: SessionPorts, console: ActorFactory
    ) -> ChildFactories:
        factories = original(session, ports, console)
        faulty: dict[str, Any] = {name: fault(getattr(factories, name)) for name in names}
        return replace(factories, **faulty)

    return make_child_factories


def replace_attribute(module: ModuleType, name: str, value: object) -> None:
    """Replace an attribute of a module."""
    setattr(module, name, value)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "blocked":
        replace_attribute(actors.tools.watcher_client, "wait_with_timeout", block_event_loop)
        replace_attribute(
            actors.runtime.watchdog,
            "StallLimits",
            partial(StallLimits, report_after_s=0.1, fatal_after_s=0.4),
        )
    elif name == "crashing":
        replace_attribute(
            actors.wiring.wiring,
            "make_child_factories",
            with_fault(crashing_on_demand, *ACTOR_NAMES),
        )
        replace_attribute(actors.runtime.system, "ActorRegistry", RecordingRegistry)
        Thread(target=deliver_crashes, daemon=True).start()
    else:
        replace_attribute(
            actors.wiring.wiring, "make_child_factories", with_fault(always_crashing, name)
        )
    main()
