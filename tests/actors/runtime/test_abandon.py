"""Who does not stop in time is given up, and what it still does is nobody's."""

import queue
import threading
from functools import partial
from typing import Any

import pytest

from actors.runtime.actor import Actor, ActorFactory
from actors.runtime.runtime_port import CellHandle
from actors.runtime.cell import Cell, ThreadCell
from actors.runtime.mailbox import ChildStopTimeout
from actors.runtime.registry import ActorRegistry
from actors.runtime.system import ActorSystem
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
    """Holds the whole event loop."""

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
    """Starts a child, once the gate is open."""

    dispatcher = "thread"

    def __init__(self, gate: ThreadGate | None = None, born: threading.Event | None = None) -> None:
        self._gate = gate
        self._born = born

    def on_receive(self, message: Message) -> None:
        if self._gate and isinstance(message, Ping):
            self._gate.wait_until_open()
        self.start(Echo, "late")
        if self._born:
            self._born.set()


class StartingChildLate(Actor[Message]):
    """Once it comes back from being stuck, begins what it must not any more."""

    dispatcher = "thread"

    def __init__(self, gate: ThreadGate) -> None:
        self._gate = gate

    def on_receive(self, message: Message) -> None:
        self._gate.wait_until_open()
        self.start(Echo, "late")
        self.start_job(self._speak, lambda failure: Observed(text=failure.kind))
        self.tell(ROOT, message)

    def on_stop(self) -> None:
        self._gate.recorded.put("stopped")

    async def _speak(self) -> Observed:
        self._gate.recorded.put("a job ran")
        return Observed(text="never")


def test_a_stuck_thread_actor_is_given_up_and_fenced(system: ActorSystem, root: Probe) -> None:
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
    assert gate.recorded.get(timeout=PROBE_TIMEOUT_S) == "stopped"  # its clean-up runs all the same
    root.expect_nothing_more()


def test_a_later_stop_may_shorten_a_stuck_childs_deadline(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(GatedActor, gate))
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    for within_s in (3600, SHORT_TIMEOUT_S, 3600):
        system.stop_child(stuck, within_s)
    root.expect_kind(ChildFailed)
    gate.open()


def test_an_end_that_comes_after_giving_up_is_not_a_second_one(
    system: ActorSystem, root: Probe
) -> None:
    gate = ThreadGate()
    stuck = system.start(partial(BlockingOnStop, gate))
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {stuck}")
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    root.expect_nothing_more()


def test_what_a_given_up_actor_begins_does_not_begin(system: ActorSystem, root: Probe) -> None:
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
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # so a job would have begun
    assert gate.recorded.empty()


def test_a_child_that_is_born_while_its_parent_is_given_up_does_not_outlive_it(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is in the directory, so that nobody else can find it there."""
    gate, spawn = ThreadGate(), ActorRegistry.start_cell
    parent = ROOT.child("parent")

    def wait_and(self: ActorRegistry, make: ActorFactory, address: Address, *more: Any) -> Cell:  # noqa: ANN401  (as it is)
        if address.parent == parent:
            gate.wait_until_open()
        return spawn(self, make, address, *more)

    monkeypatch.setattr(ActorRegistry, "start_cell", wait_and)
    system.start(StartingChildOnPing, "parent")
    system.tell(parent, Ping())
    gate.wait_until_reached()
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {parent}")
    system.stop_child(parent, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    assert system.addresses == (ROOT,)


def test_a_child_that_is_born_before_its_parent_is_fenced_does_not_outlive_it(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the look into the directory, and before its parent can know that it was given up."""
    gate, born, fence = ThreadGate(), threading.Event(), ThreadCell.fence
    parent = ROOT.child("parent")

    def wait_and(self: ThreadCell) -> None:
        gate.open()
        assert born.wait(PROBE_TIMEOUT_S)
        fence(self)

    monkeypatch.setattr(ThreadCell, "fence", wait_and)
    system.start(partial(StartingChildOnPing, gate, born), "parent")
    system.tell(parent, Ping())
    gate.wait_until_reached()
    system.stop_child(parent, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    assert system.addresses == (ROOT,)


def test_the_jobs_of_a_given_up_actor_are_cancelled(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()

    async def job() -> Ping:
        return Ping(text=(await make_slow_cleanup_job(chronicle, "its job")()).text)

    class StuckAtWork(GatedActor):
        def on_start(self) -> None:
            self.start_job(job, lambda failure: Ping(text=failure.kind))

    stuck = system.start(partial(StuckAtWork, gate), "stuck")
    assert chronicle.get(timeout=PROBE_TIMEOUT_S) == "its job at work"
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    system.stop_child(stuck, timeout_s=SHORT_TIMEOUT_S)
    root.expect_kind(ChildFailed)
    assert chronicle.get(timeout=PROBE_TIMEOUT_S) == "its job cleaned up"
    gate.open()


def test_a_stuck_child_of_the_root_does_not_cost_the_others_their_ordered_stop() -> None:
    gate = ThreadGate()
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    job = make_slow_cleanup_job(chronicle, "/journal")
    system.start(partial(StopRecorder, chronicle, job), "journal")
    assert chronicle.get(timeout=PROBE_TIMEOUT_S) == "/journal at work"
    stuck = system.start(partial(GatedActor, gate), "stuck")
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=1.0)
    assert drain_queue(chronicle) == ["/journal stops", "/journal cleaned up"]
    assert (system.abandoned_count, system.addresses) == (1, ())
    assert not system.stop()
    gate.open()


def test_a_held_event_loop_does_not_hold_the_stop() -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    gate = ThreadGate()
    system = ActorSystem()
    system.add_end_callback(ends.put)
    stubborn = system.start(partial(LoopBlocker, gate))
    system.tell(stubborn, Ping())
    gate.wait_until_reached()
    assert not system.stop(timeout_s=SHORT_TIMEOUT_S)
    assert ends.get_nowait() == ChildFailed(
        child=ROOT, cause="unresponsive", detail="blocked the event loop"
    )
    system.tell(stubborn, Ping())
    assert system.dead_letter_count == 1
    gate.open()


def test_what_waited_for_a_held_loop_is_not_handled_after_the_stop() -> None:
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    gate = ThreadGate()

    class Noting(LoopBlocker):
        def on_receive(self, message: Ping) -> None:
            heard.put(message.text)
            super().on_receive(message)

    def say_both(parent: SampleParent) -> None:
        for word in ("holds the loop", "waits"):
            parent.tell(parent.address.child("noting"), Ping(text=word))

    system = ActorSystem()
    noting = ("noting", partial(Noting, gate))
    system.tell(system.start(partial(SampleParent, noting, on_ping=say_both)), Ping())
    gate.wait_until_reached()
    looping = next(each for each in threading.enumerate() if each.name == "greenroom-loop")
    assert not system.stop(timeout_s=SHORT_TIMEOUT_S)
    gate.open()
    looping.join(PROBE_TIMEOUT_S)
    assert drain_queue(heard) == ["holds the loop"]


def test_an_end_that_is_under_way_when_time_is_up_is_the_one_that_counts(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread actor has left the directory and not yet told its parent."""
    gate = ThreadGate()
    forget = ActorRegistry.unregister

    def and_wait(self: ActorRegistry, cell: CellHandle) -> bool:
        forgotten = forget(self, cell)
        if cell.address == child:
            gate.wait_until_open()
        return forgotten

    monkeypatch.setattr(ActorRegistry, "unregister", and_wait)
    child = system.start(EchoOnThread)
    system.stop_child(child, timeout_s=3600)
    gate.wait_until_reached()
    vars(system)["_root"].post(ChildStopTimeout(child))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    gate.open()
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_an_end_that_comes_after_giving_up_leaves_the_next_of_its_name_alone(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = ThreadGate()
    forget = ActorRegistry.unregister

    def wait_and(self: ActorRegistry, cell: CellHandle) -> bool:
        if threading.current_thread() is thread:
            gate.wait_until_open()
        return forget(self, cell)

    monkeypatch.setattr(ActorRegistry, "unregister", wait_and)
    child = system.start(EchoOnThread, "child")
    assert system.ask(child, Ping(), PROBE_TIMEOUT_S)
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {child}")
    system.stop_child(child, timeout_s=SHORT_TIMEOUT_S)
    gate.wait_until_reached()
    root.expect_kind(ChildFailed)
    assert system.start(Echo, "child") == child
    gate.open()
    thread.join(PROBE_TIMEOUT_S)
    assert system.ask(child, Ping(text="well?"), PROBE_TIMEOUT_S) == Observed(text="well?")
    root.expect_nothing_more()


def test_the_deadline_of_a_child_is_not_that_of_the_next_of_its_name(
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
    assert root.expect_kind(ChildFailed).child == stuck  # so the earlier deadline has passed
    assert system.ask(child, Ping(text="well?"), PROBE_TIMEOUT_S) == Observed(text="well?")
    root.expect_nothing_more()
    gate.open()
