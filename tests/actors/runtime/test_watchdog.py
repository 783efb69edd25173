"""The watchdog names what blocks the event loop, and reports a fatal stall later."""

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
    """Blocks the event loop until the test opens the gate."""

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
    """Records the calls of a watchdog."""

    def __init__(self, system: ActorSystem, limits: StallLimits = SHORT_STALL_LIMITS) -> None:
        self.stalls: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.fatal_stalls: queue.SimpleQueue[str] = queue.SimpleQueue()
        system.start_watchdog(
            lambda culprit, _: self.stalls.put(culprit),
            lambda culprit, _: self.fatal_stalls.put(culprit),
            limits,
        )


def test_the_default_limits_are_one_and_ten_seconds() -> None:
    assert StallLimits() == StallLimits(report_after_s=1.0, fatal_after_s=10.0)


def test_a_blocking_handler_is_named_with_its_message_type(
    system: ActorSystem, root: Probe
) -> None:
    recorder, gate = StallRecorder(system), ThreadGate()
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping(text="secret"))
    assert recorder.stalls.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    assert recorder.fatal_stalls.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    root.expect(Ping(text="secret"))
    assert recorder.stalls.empty()
    assert recorder.fatal_stalls.empty()


def test_a_failing_callback_does_not_end_the_watchdog(system: ActorSystem, root: Probe) -> None:
    gate, fatal = ThreadGate(), queue.SimpleQueue[str]()

    def fail(culprit: str, _: float) -> None:
        raise SystemExit(culprit)

    system.start_watchdog(fail, lambda culprit, _: fatal.put(culprit), SHORT_STALL_LIMITS)
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    assert fatal.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    root.expect(Ping())


def test_an_actor_that_blocks_in_on_start_is_named(system: ActorSystem) -> None:
    recorder, gate = StallRecorder(system), ThreadGate()
    thread = threading.Thread(
        target=system.start, args=(partial(LoopHolder, gate, at_start=True), "holder")
    )
    thread.start()
    assert recorder.stalls.get(timeout=PROBE_TIMEOUT_S) == "/holder (starting)"
    gate.open()
    thread.join(PROBE_TIMEOUT_S)


def test_a_job_that_blocks_the_loop_is_named(system: ActorSystem, root: Probe) -> None:
    recorder, gate = StallRecorder(system), ThreadGate()

    async def job(_: Callable[[Observed], None]) -> Observed:
        await asyncio.sleep(0)
        gate.wait_until_open()
        return Observed(text="done")

    system.tell(system.start(partial(JobRunner, job), "worker"), Ping())
    assert recorder.stalls.get(timeout=PROBE_TIMEOUT_S) == "/worker job 1"
    gate.open()
    root.expect(Observed(text="done"))


def test_a_stuck_thread_actor_does_not_hide_a_stall(system: ActorSystem, root: Probe) -> None:
    recorder, gate, thread_gate = StallRecorder(system), ThreadGate(), ThreadGate()
    system.tell(system.start(partial(GatedActor, thread_gate), "busy"), Ping())
    thread_gate.wait_until_reached()
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    assert recorder.fatal_stalls.get(timeout=PROBE_TIMEOUT_S) == "/holder (handling Ping)"
    gate.open()
    thread_gate.open()
    root.expect_in_any_order(Observed(text=""), Ping())


def test_a_busy_thread_actor_is_no_stall(system: ActorSystem, root: Probe) -> None:
    recorder, gate = (
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
    assert recorder.stalls.empty()


def test_a_stop_ends_the_watchdog_of_a_blocked_loop() -> None:
    """Otherwise it would end the next session of this process."""
    system, gate = ActorSystem(), ThreadGate()
    recorder = StallRecorder(system, StallLimits(report_after_s=0.5, fatal_after_s=1.0))
    watchdogs = [thread for thread in threading.enumerate() if thread.name == "greenroom-watchdog"]
    system.tell(system.start(partial(LoopHolder, gate), "holder"), Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=0.05)
    for thread in watchdogs:
        thread.join(PROBE_TIMEOUT_S)
        assert not thread.is_alive()
    assert recorder.fatal_stalls.empty()
    gate.open()


def test_the_watchdog_thread_ends_with_the_system(system: ActorSystem) -> None:
    StallRecorder(system)
    assert system.stop()
    for thread in threading.enumerate():
        if thread.name == "greenroom-watchdog":
            thread.join(PROBE_TIMEOUT_S)
            assert not thread.is_alive()
