"""Whoever holds the event loop is named, and for too long ends the program."""

import asyncio
import queue
import threading
from collections.abc import Callable
from functools import partial

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.runtime.watchdog import StallLimits
from messages.address import ROOT
from tests.actors.runtime.behaviours import Busy, Echo, Gate, Poke, Said, Worker
from tests.probe import PATIENCE_S, Probe

pytestmark = pytest.mark.quick

SOON = StallLimits(named_s=0.02, fatal_s=0.1)


class Holder(Actor[Poke]):
    """Holds the event loop until the test opens the gate."""

    def __init__(self, gate: Gate, *, at_start: bool = False) -> None:
        self._gate = gate
        self._at_start = at_start

    def on_start(self) -> None:
        if self._at_start:
            self._gate.pass_through()

    def on_receive(self, message: Poke) -> None:
        self._gate.pass_through()
        self.tell(ROOT, message)


class Kennel:
    """A watchdog's bites."""

    def __init__(self, system: ActorSystem, patience: StallLimits = SOON) -> None:
        self.named: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.fatal: queue.SimpleQueue[str] = queue.SimpleQueue()
        system.guard(lambda by, _: self.named.put(by), lambda by, _: self.fatal.put(by), patience)


def test_a_holder_is_named_after_one_second_and_ended_after_ten() -> None:
    assert StallLimits() == StallLimits(named_s=1.0, fatal_s=10.0)


def test_a_handler_that_holds_the_loop_is_named_with_its_message_and_later_fatal(
    system: ActorSystem, root: Probe
) -> None:
    kennel, gate = Kennel(system), Gate()
    system.tell(system.start(partial(Holder, gate), "holder"), Poke(word="secret"))
    assert kennel.named.get(timeout=PATIENCE_S) == "/holder over Poke"
    assert kennel.fatal.get(timeout=PATIENCE_S) == "/holder over Poke"
    gate.open()
    root.expect(Poke(word="secret"))
    assert kennel.named.empty()
    assert kennel.fatal.empty()


def test_a_name_that_cannot_be_told_does_not_end_the_watch(
    system: ActorSystem, root: Probe
) -> None:
    gate, fatal = Gate(), queue.SimpleQueue[str]()

    def fails(by: str, _: float) -> None:
        raise SystemExit(by)

    system.guard(fails, lambda by, _: fatal.put(by), SOON)
    system.tell(system.start(partial(Holder, gate), "holder"), Poke())
    assert fatal.get(timeout=PATIENCE_S) == "/holder over Poke"
    gate.open()
    root.expect(Poke())


def test_who_starts_for_too_long_is_named(system: ActorSystem) -> None:
    kennel, gate = Kennel(system), Gate()
    starting = threading.Thread(
        target=system.start, args=(partial(Holder, gate, at_start=True), "holder")
    )
    starting.start()
    assert kennel.named.get(timeout=PATIENCE_S) == "/holder over its start"
    gate.open()
    starting.join(PATIENCE_S)


def test_a_job_that_holds_the_loop_is_named(system: ActorSystem, root: Probe) -> None:
    kennel, gate = Kennel(system), Gate()

    async def job(_: Callable[[Said], None]) -> Said:
        await asyncio.sleep(0)
        gate.pass_through()
        return Said(word="done")

    system.tell(system.start(partial(Worker, job), "worker"), Poke())
    assert kennel.named.get(timeout=PATIENCE_S) == "/worker work 1"
    gate.open()
    root.expect(Said(word="done"))


def test_it_works_although_a_thread_actor_is_stuck_too(system: ActorSystem, root: Probe) -> None:
    kennel, gate, other = Kennel(system), Gate(), Gate()
    system.tell(system.start(partial(Busy, other), "busy"), Poke())
    other.await_arrival()
    system.tell(system.start(partial(Holder, gate), "holder"), Poke())
    assert kennel.fatal.get(timeout=PATIENCE_S) == "/holder over Poke"
    gate.open()
    other.open()
    root.expect_in_any_order(Said(word=""), Poke())


def test_a_loop_that_turns_is_left_alone_however_long_a_thread_is_busy(
    system: ActorSystem, root: Probe
) -> None:
    kennel, gate = Kennel(system, StallLimits(named_s=0.2, fatal_s=0.4)), Gate()
    system.tell(system.start(partial(Busy, gate), "busy"), Poke())
    gate.await_arrival()
    echo = system.start(Echo)
    for _ in range(50):
        assert system.ask(echo, Poke(), PATIENCE_S)
    gate.open()
    root.expect(Said(word=""))
    assert kennel.named.empty()


def test_a_stop_that_had_to_leave_a_held_loop_behind_ends_its_watch() -> None:
    """Else it would end the next session of the same process."""
    system, gate = ActorSystem(), Gate()
    kennel = Kennel(system, StallLimits(named_s=0.5, fatal_s=1.0))
    watching = [each for each in threading.enumerate() if each.name == "greenroom-watchdog"]
    system.tell(system.start(partial(Holder, gate), "holder"), Poke())
    gate.await_arrival()
    assert not system.stop(within_s=0.05)
    for thread in watching:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert kennel.fatal.empty()
    gate.open()


def test_its_thread_ends_with_the_system(system: ActorSystem) -> None:
    Kennel(system)
    assert system.stop()
    for thread in threading.enumerate():
        if thread.name == "greenroom-watchdog":
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
