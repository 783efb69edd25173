"""Stopping: in order, within one deadline, and past it without whoever does not come along."""

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.base import Message
from tests.actors.runtime.behaviours import (
    Busy,
    Chronicler,
    Echo,
    Gate,
    Job,
    Parent,
    Poke,
    Said,
    Worker,
    said_of,
    taken,
)
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick

SOON_S = 0.05
"""A deadline that a test lets pass."""


def slow_to_clean_up(chronicle: "queue.SimpleQueue[str]", name: str) -> Job:
    async def job() -> Said:
        try:
            chronicle.put(f"{name} at work")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            chronicle.put(f"{name} cleaned up")
        return Said(word="never")

    return job


async def deaf(say: Callable[[Said], None]) -> Said:
    """Work on, whoever cancels."""
    say(Said(word="at work"))
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            say(Said(word="I do not hear"))


class Chain(Actor[ChildEnded | Said]):
    """One below the other, each with a job that swallows its cancellation."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def on_start(self) -> None:
        self.work(partial(deaf, self.inlet()), said_of)
        if self._depth:
            self.start(partial(Chain, self._depth - 1), "below")

    def on_receive(self, message: ChildEnded | Said) -> None:
        self.tell(ROOT, message)


class Brood(Actor[ChildEnded | Said]):
    """Starts ten of itself below it, down to a depth, each with a job that never ends."""

    def __init__(self, depth: int, born: "queue.SimpleQueue[int]") -> None:
        self._depth = depth
        self._born = born

    def on_start(self) -> None:
        self.work(endless, lambda failure: Said(word=failure.kind))
        for number in range(10 if self._depth else 0):
            self.start(partial(Brood, self._depth - 1, self._born), f"brood-{number}")
        self._born.put(self._depth)

    def on_receive(self, message: ChildEnded | Said) -> None:
        self.tell(ROOT, message)


async def endless() -> Said:
    await asyncio.Event().wait()
    return Said(word="never")


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


def test_the_roots_children_stop_one_by_one_in_reverse() -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    for name in "abc":
        job = slow_to_clean_up(chronicle, f"/{name}")
        system.start(partial(Chronicler, chronicle, job), name)
        assert chronicle.get(timeout=PATIENCE_S) == f"/{name} at work"
    assert system.stop()
    assert taken(chronicle) == [
        entry for name in "cba" for entry in (f"/{name} stops", f"/{name} cleaned up")
    ]


def test_an_agents_children_stop_together(system: ActorSystem, root: Probe) -> None:
    """Each waits in its clean-up for the others: one by one, none would come to its end."""
    all_here = asyncio.Barrier(3)

    async def job() -> Said:
        try:
            chronicle.put("at work")
            await asyncio.Event().wait()
        finally:
            await all_here.wait()
        return Said(word="never")

    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    children = [(name, partial(Chronicler, chronicle, job)) for name in "abc"]
    parent = system.start(partial(Parent, *children), "parent")
    for _ in children:
        assert chronicle.get(timeout=PATIENCE_S) == "at work"
    system.stop_child(parent, within_s=3600)
    root.expect(ChildCancelled(child=parent))
    assert taken(chronicle) == [f"/parent/{name} stops" for name in "cba"]


def test_a_parent_ends_after_all_below_it(system: ActorSystem, root: Probe) -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    below = partial(Chronicler, chronicle, slow_to_clean_up(chronicle, "the grandchild"))
    child = partial(Parent, ("child", partial(Parent, ("grandchild", below))))
    parent = system.start(child, "parent")
    assert chronicle.get(timeout=PATIENCE_S) == "the grandchild at work"
    system.stop_child(parent)
    root.expect(ChildCancelled(child=parent))
    assert taken(chronicle)[-1] == "the grandchild cleaned up"
    assert [address for address in system.addresses if address.is_under(parent)] == []


@pytest.mark.parametrize("way", ["stop", "finish", "crash"])
def test_every_way_out_takes_the_children_along(system: ActorSystem, root: Probe, way: str) -> None:
    def leave(parent: Parent) -> None:
        if way == "crash":
            raise RuntimeError(way)
        if way == "finish":
            parent.finish(way)

    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    child = partial(Chronicler, chronicle)
    parent = system.start(partial(Parent, ("child", child), when_poked=leave), "parent")
    system.tell(parent, Poke())
    if way == "stop":
        system.stop_child(parent)
    root.expect(
        {
            "stop": ChildCancelled(child=parent),
            "finish": ChildCompleted(child=parent, result=way),
            "crash": ChildFailed(child=parent, cause="crash", detail=f"RuntimeError: {way}"),
        }[way]
    )
    root.expect_nothing_more()
    assert taken(chronicle) == ["/parent/child stops"]


def test_a_handler_can_stop_a_child(system: ActorSystem, root: Probe) -> None:
    def stop(parent: Parent) -> None:
        parent.stop(parent.address.child("child"))
        parent.stop(parent.address.child("nobody"))

    parent = system.start(partial(Parent, ("child", Echo), when_poked=stop), "parent")
    system.tell(parent, Poke())
    root.expect(ChildCancelled(child=parent.child("child")))
    root.expect_nothing_more()


def test_a_deaf_job_is_given_up_at_the_deadline(system: ActorSystem, root: Probe) -> None:
    child = system.start(partial(Worker, deaf))
    system.tell(child, Poke())
    root.expect(Said(word="at work"))
    system.stop_child(child, within_s=SOON_S)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.given_up == 1


def test_deaf_jobs_of_many_children_cost_one_deadline(system: ActorSystem, root: Probe) -> None:
    children = [(f"c{number}", partial(Worker, deaf)) for number in range(10)]
    parent = system.start(partial(Parent, *children, when_poked=Parent.poke_children))
    system.tell(parent, Poke())
    root.expect(*[Said(word="at work")] * 10)
    began_s = system.event_loop.now()
    system.stop_child(parent, within_s=0.2)
    root.expect(ChildCancelled(child=parent))
    assert system.event_loop.now() - began_s < 0.4
    assert system.given_up == 10


def test_an_agent_has_two_seconds_and_everything_five() -> None:
    given = [
        inspect.signature(each).parameters["within_s"] for each in (Echo.stop, ActorSystem.stop)
    ]
    assert [each.default for each in given] == [2.0, 5.0]


def test_nested_levels_share_one_deadline_the_deepest_first(
    system: ActorSystem, root: Probe
) -> None:
    """Else a level would be given up that is about to end: three jobs are, and no actor."""
    top = system.start(partial(Chain, 2), "top")
    root.expect(*[Said(word="at work")] * 3)
    system.stop_child(top, within_s=0.3)
    root.expect(ChildCancelled(child=top))
    root.expect_nothing_more()
    assert system.given_up == 3


def test_a_second_stop_may_shorten_the_deadline(system: ActorSystem, root: Probe) -> None:
    gate = Gate()
    grandchild = ("stuck", partial(Busy, gate))
    parent = system.start(partial(Parent, grandchild, when_poked=Parent.poke_children))
    system.tell(parent, Poke())
    gate.await_arrival()
    system.stop_child(parent, within_s=3600)
    system.stop_child(parent, within_s=SOON_S)
    root.expect(ChildCancelled(child=parent))
    assert system.given_up == 1
    gate.open()


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


def test_stopping_everything_twice_is_harmless() -> None:
    system = ActorSystem()
    system.start(Echo)
    assert system.stop()
    assert system.stop()
    assert system.wait(0)
    assert system.addresses == ()


def test_a_tree_of_a_thousand_at_work_ends_in_order() -> None:
    born: queue.SimpleQueue[int] = queue.SimpleQueue()
    system = ActorSystem()
    system.start(partial(Brood, 3, born), "brood")
    for _ in range(1111):
        born.get(timeout=PATIENCE_S)
    assert system.stop()
    assert system.given_up == 0


def test_a_stop_reaches_exactly_the_subtree(system: ActorSystem, root: Probe) -> None:
    """Also where one name begins like another."""

    def start(name: str, *children: tuple[str, Callable[[], Actor[Any]]]) -> None:
        system.start(partial(Parent, *children), name)

    start("general-1", ("explore-1", Echo))
    start("general-10", ("explore-1", Echo))
    other = new_probe(system, "other")
    other.expect_nothing_more()
    system.stop_child(ROOT.child("general-1"))
    root.expect(ChildCancelled(child=ROOT.child("general-1")))
    assert set(system.addresses) == {"/", "/general-10", "/general-10/explore-1", "/other"}
