"""Actors that do not stop in time are abandoned, and their late effects are fenced."""

import queue
import threading
from functools import partial
from typing import Any

import pytest

from actors.runtime.actor import Actor, ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.mailbox import ChildStopTimeout
from actors.runtime.registry import ActorRegistry
from actors.runtime.runtime_port import CellHandle
from actors.runtime.system import ActorSystem
from actors.runtime.thread_cell import ThreadCell
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildEnded, ChildFailed
from tests.actors.runtime.sample_actors import (
    SHORT_TIMEOUT_S,
    Echo,
    EchoOnThread,
    GatedActor,
    Observed,
    Ping,
    SampleParent,
    StopRecorder,
    ThreadGate,
    drain_queue,
    make_slow_cleanup_job,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick


class LoopBlocker(Actor[Ping]):
    """Blocks the event loop until the test opens the gate."""

    def __init__(self, gate: ThreadGate) -> None:
        self._gate = gate

    def on_receive(self, message: Ping) -> None:
        self._gate.wait_until_open()
        self.tell(ROOT, message)


class BlockingOnStop(Actor[Ping]):
    dispatcher = "thread"

    def __init__(self, gate: ThreadGate) -> None:
        self._gate = gate

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, message)

    def on_stop(self) -> None:
        self._gate.wait_until_open()


class StartingChildOnPing(Actor[Message]):
    """Starts a child once the gate is open."""

    dispatcher = "thread"

    def __init__(
        self, gate: ThreadGate | None = None, started: threading.Event | None = None
    ) -> None:
        self._gate = gate
        self._started = started

    def on_receive(self, message: Message) -> None:
        if self._gate and isinstance(message, Ping):
            self._gate.wait_until_open()
        self.start(Echo, "late")
        if self._started:
            self._started.set()


class StartingChildLate(Actor[Message]):
    """Starts a child and a job after it has been abandoned."""

    dispatcher = "thread"

    def __init__(self, gate: ThreadGate) -> None:
        self._gate = gate

    def on_receive(self, message: Message) -> None:
        self._gate.wait_until_open()
        self.start(Echo, "late")
        self.start_job(self._run_job, lambda failure: Observed(text=failure.kind))
        self.tell(ROOT, message)

    def on_stop(self) -> None:
        self._gate.recorded.put("stopped")

    async def _run_job(self) -> Observed:
        self._gate.recorded.put("a job ran")
        return Observed(text="never")


def find_thread(name: str) -> threading.Thread:
    return next(thread for thread in threading.enumerate() if thread.name == name)


def test_a_stuck_thread_actor_is_abandoned_and_fenced(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(GatedActor, gate), "stuck")
    system.tell(stuck, Ping(text="too late"))
    gate.wait_until_reached()
    system.tell(stuck, Ping(text="never handled"))
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    end = ChildFailed(child=stuck, cause="unresponsive", detail="did not stop in time")
    root.expect(end)
    assert (system.abandoned_count, system.dead_letter_count) == (1, 1)
    assert stuck not in system.addresses

    gate.open()
    assert gate.recorded.get(timeout=PROBE_TIMEOUT_S) == "stopped"  # `on_stop` still runs
    root.expect_nothing_more()


def test_a_later_stop_can_shorten_the_deadline(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(GatedActor, gate))
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    for timeout_s in (3600, SHORT_TIMEOUT_S, 3600):
        system.stop_child(stuck, timeout_s)
    root.expect_kind(ChildFailed)
    gate.open()


def test_an_abandoned_actors_late_end_is_dropped(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(BlockingOnStop, gate))
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    thread = find_thread(f"greenroom {stuck}")
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    root.expect_nothing_more()


def test_an_abandoned_actor_starts_no_child_or_job(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(StartingChildLate, gate), "stuck")
    system.tell(stuck, Ping(text="too late"))
    gate.wait_until_reached()
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    gate.open()
    assert gate.recorded.get(timeout=PROBE_TIMEOUT_S) == "stopped"
    root.expect_nothing_more()
    assert system.addresses == (ROOT,)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # a job would run by now
    assert gate.recorded.empty()


def test_a_child_started_during_abandonment_is_abandoned_too(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child is not registered yet when its parent is abandoned."""
    gate, start_cell = ThreadGate(), ActorRegistry.start_cell
    parent = ROOT.child("parent")

    def wait_then_start(
        self: ActorRegistry,
        make: ActorFactory,
        address: Address,
        *rest: Any,  # noqa: ANN401  (passed through)
    ) -> Cell:
        if address.parent == parent:
            gate.wait_until_open()
        return start_cell(self, make, address, *rest)

    monkeypatch.setattr(ActorRegistry, "start_cell", wait_then_start)
    system.start(StartingChildOnPing, "parent")
    system.tell(parent, Ping())
    gate.wait_until_reached()
    thread = find_thread(f"greenroom {parent}")
    system.stop_child(parent, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    assert system.addresses == (ROOT,)


def test_a_child_started_before_the_fence_is_abandoned_too(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child starts after the registry was read and before its parent is fenced."""
    gate, started, fence = ThreadGate(), threading.Event(), ThreadCell.fence
    parent = ROOT.child("parent")

    def start_child_then_fence(self: ThreadCell) -> None:
        gate.open()
        assert started.wait(PROBE_TIMEOUT_S)
        fence(self)

    monkeypatch.setattr(ThreadCell, "fence", start_child_then_fence)
    system.start(partial(StartingChildOnPing, gate, started), "parent")
    system.tell(parent, Ping())
    gate.wait_until_reached()
    system.stop_child(parent, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    assert system.addresses == (ROOT,)


def test_the_jobs_of_an_abandoned_actor_are_cancelled(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    records: queue.SimpleQueue[str] = queue.SimpleQueue()

    async def job() -> Ping:
        return Ping(text=(await make_slow_cleanup_job(records, "the job")()).text)

    class StuckWithJob(GatedActor):
        def on_start(self) -> None:
            self.start_job(job, lambda failure: Ping(text=failure.kind))

    stuck = system.start(partial(StuckWithJob, gate), "stuck")
    assert records.get(timeout=PROBE_TIMEOUT_S) == "the job running"
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    assert records.get(timeout=PROBE_TIMEOUT_S) == "the job cleaned up"
    gate.open()


def test_a_stuck_child_does_not_affect_its_siblings() -> None:
    gate = ThreadGate()
    records: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    job = make_slow_cleanup_job(records, "/journal")
    system.start(partial(StopRecorder, records, job), "journal")
    assert records.get(timeout=PROBE_TIMEOUT_S) == "/journal running"
    stuck = system.start(partial(GatedActor, gate), "stuck")
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=1.0)
    assert drain_queue(records) == ["/journal stops", "/journal cleaned up"]
    assert (system.abandoned_count, system.addresses) == (1, ())
    assert not system.stop()
    gate.open()


def test_a_blocked_event_loop_does_not_block_the_stop() -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    gate = ThreadGate()
    system = ActorSystem()
    system.add_end_callback(ends.put)
    blocker = system.start(partial(LoopBlocker, gate))
    system.tell(blocker, Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=SHORT_TIMEOUT_S)
    assert ends.get_nowait() == ChildFailed(
        child=ROOT, cause="unresponsive", detail="blocked the event loop"
    )
    system.tell(blocker, Ping())
    assert system.dead_letter_count == 1
    gate.open()


def test_messages_behind_a_blocked_loop_are_dropped_after_the_stop() -> None:
    received: queue.SimpleQueue[str] = queue.SimpleQueue()
    gate = ThreadGate()

    class RecordingBlocker(LoopBlocker):
        def on_receive(self, message: Ping) -> None:
            received.put(message.text)
            super().on_receive(message)

    def send_both(parent: SampleParent) -> None:
        for text in ("blocks the loop", "waits"):
            parent.tell(parent.address.child("blocker"), Ping(text=text))

    system = ActorSystem()
    blocker = ("blocker", partial(RecordingBlocker, gate))
    system.tell(system.start(partial(SampleParent, blocker, on_ping=send_both)), Ping())
    gate.wait_until_reached()
    loop_thread = find_thread("greenroom-loop")
    assert not system.stop(timeout_s=SHORT_TIMEOUT_S)
    gate.open()
    loop_thread.join(PROBE_TIMEOUT_S)
    assert drain_queue(received) == ["blocks the loop"]


def test_an_end_in_progress_at_the_deadline_is_reported(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread actor is unregistered but has not reported its end to the parent."""
    gate = ThreadGate()
    unregister = ActorRegistry.unregister

    def unregister_then_wait(self: ActorRegistry, cell: CellHandle) -> bool:
        was_registered = unregister(self, cell)
        if cell.address == child:
            gate.wait_until_open()
        return was_registered

    monkeypatch.setattr(ActorRegistry, "unregister", unregister_then_wait)
    child = system.start(EchoOnThread)
    system.stop_child(child, timeout_s=3600)
    gate.wait_until_reached()
    vars(system)["_root"].post(ChildStopTimeout(child))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    gate.open()
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_an_abandoned_actors_late_end_spares_its_successor(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = ThreadGate()
    unregister = ActorRegistry.unregister

    def wait_then_unregister(self: ActorRegistry, cell: CellHandle) -> bool:
        if threading.current_thread() is thread:
            gate.wait_until_open()
        return unregister(self, cell)

    monkeypatch.setattr(ActorRegistry, "unregister", wait_then_unregister)
    child = system.start(EchoOnThread, "child")
    assert system.ask(child, Ping(), PROBE_TIMEOUT_S)
    thread = find_thread(f"greenroom {child}")
    system.stop_child(child, timeout_s=SHORT_TIMEOUT_S)
    gate.wait_until_reached()
    root.expect_kind(ChildFailed)
    assert system.start(Echo, "child") == child
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    assert system.ask(child, Ping(text="hello"), PROBE_TIMEOUT_S) == Observed(text="hello")
    root.expect_nothing_more()


def test_a_childs_stop_deadline_does_not_apply_to_its_successor(
    system: ActorSystem, root: Probe
) -> None:
    gate = ThreadGate()
    child, stuck = system.start(Echo, "child"), system.start(partial(GatedActor, gate))
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    system.stop_child(child, timeout_s=SHORT_TIMEOUT_S)
    root.expect(ChildCancelled(child=child))
    assert system.start(Echo, "child") == child
    system.stop_child(stuck, timeout_s=2 * SHORT_TIMEOUT_S)
    assert root.expect_kind(ChildFailed).child == stuck  # so the earlier deadline has passed, too
    assert system.ask(child, Ping(text="hello"), PROBE_TIMEOUT_S) == Observed(text="hello")
    root.expect_nothing_more()
    gate.open()
