"""Stopping: in order, within one deadline, and past it without whoever does not come along."""

import asyncio
import inspect
import queue
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from tests.actors.runtime.behaviours import (
    SOON_S,
    Busy,
    Chronicler,
    Echo,
    Gate,
    Parent,
    Poke,
    Said,
    Worker,
    said_of,
    slow_to_clean_up,
    taken,
)
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick


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
