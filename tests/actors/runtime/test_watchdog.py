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
from tests.actors.runtime.sample_actors import (
    Echo,
    GatedActor,
    JobRunner,
    Observed,
    Ping,
    ThreadGate,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

SHORT_STALL_LIMITS = StallLimits(report_after_s=0.02, fatal_after_s=0.1)


class LoopHolder(Actor[Ping]):
    """Holds the event loop until the test opens the gate."""

    def __init__(self, gate: ThreadGate, *, at_start: bool = False) -> None:
        self._gate = gate
        self._at_start = at_start

    def on_start(self) -> None:
        if self._at_start:
            self._gate.wait_until_open()

    def on_receive(self, message: Ping) -> None:
        self._gate.wait_until_open()
        self.tell(ROOT, message)


class StallRecorder:
    """A watchdog's bites."""

    def __init__(self, system: ActorSystem, patience: StallLimits = SHORT_STALL_LIMITS) -> None:
        self.named: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.fatal: queue.SimpleQueue[str] = queue.SimpleQueue()
        system.start_watchdog(
            lambda by, _: self.named.put(by), lambda by, _: self.fatal.put(by), patience
        )


def test_a_holder_is_named_after_one_second_and_ended_after_ten() -> None:
    assert StallLimits() == StallLimits(report_after_s=1.0, fatal_after_s=10.0)


def test_a_handler_that_holds_the_loop_is_named_with_its_message_and_later_fatal(
    system: ActorSystem, root: Probe
) -> None:
    kennel, gate = StallRecorder(system), ThreadGate()
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping(text="secret"))
    assert kennel.named.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    assert kennel.fatal.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    root.expect(Ping(text="secret"))
    assert kennel.named.empty()
    assert kennel.fatal.empty()


def test_a_name_that_cannot_be_told_does_not_end_the_watch(
    system: ActorSystem, root: Probe
) -> None:
    gate, fatal = ThreadGate(), queue.SimpleQueue[str]()

    def fails(by: str, _: float) -> None:
        raise SystemExit(by)

    system.start_watchdog(fails, lambda by, _: fatal.put(by), SHORT_STALL_LIMITS)
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    assert fatal.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    root.expect(Ping())


def test_who_starts_for_too_long_is_named(system: ActorSystem) -> None:
    kennel, gate = StallRecorder(system), ThreadGate()
    starting = threading.Thread(
        target=system.start, args=(partial(LoopHolder, gate, at_start=True), "holder")
    )
    starting.start()
    assert kennel.named.get(timeout=PROBE_TIMEOUT_S) == "/holder (starting)"
    gate.open()
    starting.join(PROBE_TIMEOUT_S)


def test_a_job_that_holds_the_loop_is_named(system: ActorSystem, root: Probe) -> None:
    kennel, gate = StallRecorder(system), ThreadGate()

    async def job(_: Callable[[Observed], None]) -> Observed:
        await asyncio.sleep(0)
        gate.wait_until_open()
        return Observed(text="done")

    system.tell(system.start(partial(JobRunner, job), "worker"), Ping())
    assert kennel.named.get(timeout=PROBE_TIMEOUT_S) == "/worker job 1"
    gate.open()
    root.expect(Observed(text="done"))


def test_it_works_although_a_thread_actor_is_stuck_too(system: ActorSystem, root: Probe) -> None:
    kennel, gate, other = StallRecorder(system), ThreadGate(), ThreadGate()
    system.tell(system.start(partial(GatedActor, other), "busy"), Ping())
    other.wait_until_reached()
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    assert kennel.fatal.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    other.open()
    root.expect_in_any_order(Observed(text=""), Ping())


def test_a_loop_that_turns_is_left_alone_however_long_a_thread_is_busy(
    system: ActorSystem, root: Probe
) -> None:
    kennel, gate = (
        StallRecorder(system, StallLimits(report_after_s=0.2, fatal_after_s=0.4)),
        ThreadGate(),
    )
    system.tell(system.start(partial(GatedActor, gate), "busy"), Ping())
    gate.wait_until_reached()
    echo = system.start(Echo)
    for _ in range(50):
        assert system.ask(echo, Ping(), PROBE_TIMEOUT_S)
    gate.open()
    root.expect(Observed(text=""))
    assert kennel.named.empty()


def test_a_stop_that_had_to_leave_a_held_loop_behind_ends_its_watch() -> None:
    """Else it would end the next session of the same process."""
    system, gate = ActorSystem(), ThreadGate()
    kennel = StallRecorder(system, StallLimits(report_after_s=0.5, fatal_after_s=1.0))
    watching = [each for each in threading.enumerate() if each.name == "greenroom-watchdog"]
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=0.05)
    for thread in watching:
        thread.join(PROBE_TIMEOUT_S)
        assert not thread.is_alive()
    assert kennel.fatal.empty()
    gate.open()


def test_its_thread_ends_with_the_system(system: ActorSystem) -> None:
    StallRecorder(system)
    assert system.stop()
    for thread in threading.enumerate():
        if thread.name == "greenroom-watchdog":
            thread.join(PROBE_TIMEOUT_S)
            assert not thread.is_alive()
