"""Who does not stop in time is given up, and what it still does is nobody's."""

import queue
import threading
from functools import partial
from typing import Any

import pytest

from actors.runtime.actor import Actor, Factory
from actors.runtime.cell import Cell, ThreadCell
from actors.runtime.directory import ActorRegistry
from actors.runtime.household import Household
from actors.runtime.lanes import ChildStopTimeout
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildEnded, ChildFailed
from messages.base import Message
from tests.actors.runtime.behaviours import (
    SOON_S,
    Busy,
    Chronicler,
    Echo,
    EchoOnThread,
    Gate,
    Parent,
    Poke,
    Said,
    slow_to_clean_up,
    taken,
)
from tests.probe import PATIENCE_S, Probe

pytestmark = pytest.mark.quick


class Stubborn(Actor[Poke]):
    """Holds the whole event loop."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def on_receive(self, message: Poke) -> None:
        self._gate.pass_through()
        self.tell(ROOT, message)


class StuckInCleanUp(Actor[Poke]):
    dispatcher = "thread"

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def on_receive(self, message: Poke) -> None:
        self.tell(ROOT, message)

    def on_stop(self) -> None:
        self._gate.pass_through()


class StartingWhenPoked(Actor[Message]):
    """Starts a child, once the gate is open."""

    dispatcher = "thread"

    def __init__(self, gate: Gate | None = None, born: threading.Event | None = None) -> None:
        self._gate = gate
        self._born = born

    def on_receive(self, message: Message) -> None:
        if self._gate and isinstance(message, Poke):
            self._gate.pass_through()
        self.start(Echo, "late")
        if self._born:
            self._born.set()


class StartingLate(Actor[Message]):
    """Once it comes back from being stuck, begins what it must not any more."""

    dispatcher = "thread"

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def on_receive(self, message: Message) -> None:
        self._gate.pass_through()
        self.start(Echo, "late")
        self.work(self._speak, lambda failure: Said(word=failure.kind))
        self.tell(ROOT, message)

    def on_stop(self) -> None:
        self._gate.passed.put("stopped")

    async def _speak(self) -> Said:
        self._gate.passed.put("a job ran")
        return Said(word="never")


def test_a_stuck_thread_actor_is_given_up_and_fenced(system: ActorSystem, root: Probe) -> None:
    gate = Gate()
    stuck = system.start(partial(Busy, gate), "stuck")
    system.tell(stuck, Poke(word="too late"))
    gate.await_arrival()
    system.tell(stuck, Poke(word="never handled"))
    system.stop_child(stuck, within_s=SOON_S)
    end = ChildFailed(child=stuck, cause="unresponsive", detail="did not stop in time")
    root.expect(end)
    assert (system.given_up, system.dead_letters) == (1, 1)
    assert stuck not in system.addresses

    gate.open()
    assert gate.passed.get(timeout=PATIENCE_S) == "stopped"  # its clean-up runs all the same
    root.expect_nothing_more()


def test_a_later_stop_may_shorten_a_stuck_childs_deadline(system: ActorSystem, root: Probe) -> None:
    gate = Gate()
    stuck = system.start(partial(Busy, gate))
    system.tell(stuck, Poke())
    gate.await_arrival()
    for within_s in (3600, SOON_S, 3600):
        system.stop_child(stuck, within_s)
    root.expect_kind(ChildFailed)
    gate.open()


def test_an_end_that_comes_after_giving_up_is_not_a_second_one(
    system: ActorSystem, root: Probe
) -> None:
    gate = Gate()
    stuck = system.start(partial(StuckInCleanUp, gate))
    system.stop_child(stuck, within_s=SOON_S)
    root.expect_kind(ChildFailed)
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {stuck}")
    gate.open()
    thread.join(PATIENCE_S)
    root.expect_nothing_more()


def test_what_a_given_up_actor_begins_does_not_begin(system: ActorSystem, root: Probe) -> None:
    gate = Gate()
    stuck = system.start(partial(StartingLate, gate), "stuck")
    system.tell(stuck, Poke(word="too late"))
    gate.await_arrival()
    system.stop_child(stuck, within_s=SOON_S)
    root.expect_kind(ChildFailed)
    gate.open()
    assert gate.passed.get(timeout=PATIENCE_S) == "stopped"
    root.expect_nothing_more()
    assert system.addresses == (ROOT,)
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)  # so a job would have begun
    assert gate.passed.empty()


def test_a_child_that_is_born_while_its_parent_is_given_up_does_not_outlive_it(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is in the directory, so that nobody else can find it there."""
    gate, spawn = Gate(), ActorRegistry.spawn
    parent = ROOT.child("parent")

    def wait_and(self: ActorRegistry, make: Factory, address: Address, *more: Any) -> Cell:  # noqa: ANN401  (as it is)
        if address.parent == parent:
            gate.pass_through()
        return spawn(self, make, address, *more)

    monkeypatch.setattr(ActorRegistry, "spawn", wait_and)
    system.start(StartingWhenPoked, "parent")
    system.tell(parent, Poke())
    gate.await_arrival()
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {parent}")
    system.stop_child(parent, within_s=SOON_S)
    root.expect_kind(ChildFailed)
    gate.open()
    thread.join(PATIENCE_S)
    assert system.addresses == (ROOT,)


def test_a_child_that_is_born_before_its_parent_is_fenced_does_not_outlive_it(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the look into the directory, and before its parent can know that it was given up."""
    gate, born, fence = Gate(), threading.Event(), ThreadCell.fence
    parent = ROOT.child("parent")

    def wait_and(self: ThreadCell) -> None:
        gate.open()
        assert born.wait(PATIENCE_S)
        fence(self)

    monkeypatch.setattr(ThreadCell, "fence", wait_and)
    system.start(partial(StartingWhenPoked, gate, born), "parent")
    system.tell(parent, Poke())
    gate.await_arrival()
    system.stop_child(parent, within_s=SOON_S)
    root.expect_kind(ChildFailed)
    assert system.addresses == (ROOT,)


def test_the_jobs_of_a_given_up_actor_are_cancelled(system: ActorSystem, root: Probe) -> None:
    gate = Gate()
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()

    async def job() -> Poke:
        return Poke(word=(await slow_to_clean_up(chronicle, "its job")()).word)

    class StuckAtWork(Busy):
        def on_start(self) -> None:
            self.work(job, lambda failure: Poke(word=failure.kind))

    stuck = system.start(partial(StuckAtWork, gate), "stuck")
    assert chronicle.get(timeout=PATIENCE_S) == "its job at work"
    system.tell(stuck, Poke())
    gate.await_arrival()
    system.stop_child(stuck, within_s=SOON_S)
    root.expect_kind(ChildFailed)
    assert chronicle.get(timeout=PATIENCE_S) == "its job cleaned up"
    gate.open()


def test_a_stuck_child_of_the_root_does_not_cost_the_others_their_ordered_stop() -> None:
    gate = Gate()
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    job = slow_to_clean_up(chronicle, "/journal")
    system.start(partial(Chronicler, chronicle, job), "journal")
    assert chronicle.get(timeout=PATIENCE_S) == "/journal at work"
    stuck = system.start(partial(Busy, gate), "stuck")
    system.tell(stuck, Poke())
    gate.await_arrival()
    assert not system.stop(within_s=1.0)
    assert taken(chronicle) == ["/journal stops", "/journal cleaned up"]
    assert (system.given_up, system.addresses) == (1, ())
    assert not system.stop()
    gate.open()


def test_a_held_event_loop_does_not_hold_the_stop() -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    gate = Gate()
    system = ActorSystem()
    system.when_ended(ends.put)
    stubborn = system.start(partial(Stubborn, gate))
    system.tell(stubborn, Poke())
    gate.await_arrival()
    assert not system.stop(within_s=SOON_S)
    assert ends.get_nowait() == ChildFailed(
        child=ROOT, cause="unresponsive", detail="held the event loop"
    )
    system.tell(stubborn, Poke())
    assert system.dead_letters == 1
    gate.open()


def test_what_waited_for_a_held_loop_is_not_handled_after_the_stop() -> None:
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    gate = Gate()

    class Noting(Stubborn):
        def on_receive(self, message: Poke) -> None:
            heard.put(message.word)
            super().on_receive(message)

    def say_both(parent: Parent) -> None:
        for word in ("holds the loop", "waits"):
            parent.tell(parent.address.child("noting"), Poke(word=word))

    system = ActorSystem()
    noting = ("noting", partial(Noting, gate))
    system.tell(system.start(partial(Parent, noting, when_poked=say_both)), Poke())
    gate.await_arrival()
    looping = next(each for each in threading.enumerate() if each.name == "greenroom-loop")
    assert not system.stop(within_s=SOON_S)
    gate.open()
    looping.join(PATIENCE_S)
    assert taken(heard) == ["holds the loop"]


def test_an_end_that_is_under_way_when_time_is_up_is_the_one_that_counts(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread actor has left the directory and not yet told its parent."""
    gate = Gate()
    forget = ActorRegistry.forget

    def and_wait(self: ActorRegistry, cell: Household) -> bool:
        forgotten = forget(self, cell)
        if cell.address == child:
            gate.pass_through()
        return forgotten

    monkeypatch.setattr(ActorRegistry, "forget", and_wait)
    child = system.start(EchoOnThread)
    system.stop_child(child, within_s=3600)
    gate.await_arrival()
    vars(system)["_root"].post(ChildStopTimeout(child))
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    gate.open()
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_an_end_that_comes_after_giving_up_leaves_the_next_of_its_name_alone(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    forget = ActorRegistry.forget

    def wait_and(self: ActorRegistry, cell: Household) -> bool:
        if threading.current_thread() is thread:
            gate.pass_through()
        return forget(self, cell)

    monkeypatch.setattr(ActorRegistry, "forget", wait_and)
    child = system.start(EchoOnThread, "child")
    assert system.ask(child, Poke(), PATIENCE_S)
    thread = next(each for each in threading.enumerate() if each.name == f"greenroom {child}")
    system.stop_child(child, within_s=SOON_S)
    gate.await_arrival()
    root.expect_kind(ChildFailed)
    assert system.start(Echo, "child") == child
    gate.open()
    thread.join(PATIENCE_S)
    assert system.ask(child, Poke(word="well?"), PATIENCE_S) == Said(word="well?")
    root.expect_nothing_more()


def test_the_deadline_of_a_child_is_not_that_of_the_next_of_its_name(
    system: ActorSystem, root: Probe
) -> None:
    gate = Gate()
    child, stuck = system.start(Echo, "child"), system.start(partial(Busy, gate))
    system.tell(stuck, Poke())
    gate.await_arrival()
    system.stop_child(child, within_s=SOON_S)
    root.expect(ChildCancelled(child=child))
    assert system.start(Echo, "child") == child
    system.stop_child(stuck, within_s=2 * SOON_S)
    assert root.expect_kind(ChildFailed).child == stuck  # so the earlier deadline has passed
    assert system.ask(child, Poke(word="well?"), PATIENCE_S) == Said(word="well?")
    root.expect_nothing_more()
    gate.open()
