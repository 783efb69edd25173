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
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from tests.actors.runtime.sample_actors import (
    SHORT_TIMEOUT_S,
    Echo,
    GatedActor,
    JobRunner,
    Observed,
    Ping,
    SampleParent,
    StopRecorder,
    ThreadGate,
    drain_queue,
    make_slow_cleanup_job,
    report_failure,
)
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick


async def ignore_cancellation(say: Callable[[Observed], None]) -> Observed:
    """Work on, whoever cancels."""
    say(Observed(text="at work"))
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            say(Observed(text="I do not hear"))


class NestedActor(Actor[ChildEnded | Observed]):
    """One below the other, each with a job that swallows its cancellation."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def on_start(self) -> None:
        self.start_job(partial(ignore_cancellation, self.message_sink()), report_failure)
        if self._depth:
            self.start(partial(NestedActor, self._depth - 1), "below")

    def on_receive(self, message: ChildEnded | Observed) -> None:
        self.tell(ROOT, message)


class TreeActor(Actor[ChildEnded | Observed]):
    """Starts ten of itself below it, down to a depth, each with a job that never ends."""

    def __init__(self, depth: int, born: "queue.SimpleQueue[int]") -> None:
        self._depth = depth
        self._born = born

    def on_start(self) -> None:
        self.start_job(wait_forever, lambda failure: Observed(text=failure.kind))
        for number in range(10 if self._depth else 0):
            self.start(partial(TreeActor, self._depth - 1, self._born), f"brood-{number}")
        self._born.put(self._depth)

    def on_receive(self, message: ChildEnded | Observed) -> None:
        self.tell(ROOT, message)


async def wait_forever() -> Observed:
    await asyncio.Event().wait()
    return Observed(text="never")


def test_the_roots_children_stop_one_by_one_in_reverse() -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    for name in "abc":
        job = make_slow_cleanup_job(chronicle, f"/{name}")
        system.start(partial(StopRecorder, chronicle, job), name)
        assert chronicle.get(timeout=PROBE_TIMEOUT_S) == f"/{name} at work"
    assert system.stop()
    assert drain_queue(chronicle) == [
        entry for name in "cba" for entry in (f"/{name} stops", f"/{name} cleaned up")
    ]


def test_an_agents_children_stop_together(system: ActorSystem, root: Probe) -> None:
    """Each waits in its clean-up for the others: one by one, none would come to its end."""
    all_here = asyncio.Barrier(3)

    async def job() -> Observed:
        try:
            chronicle.put("at work")
            await asyncio.Event().wait()
        finally:
            await all_here.wait()
        return Observed(text="never")

    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    children = [(name, partial(StopRecorder, chronicle, job)) for name in "abc"]
    parent = system.start(partial(SampleParent, *children), "parent")
    for _ in children:
        assert chronicle.get(timeout=PROBE_TIMEOUT_S) == "at work"
    system.stop_child(parent, timeout_s=3600)
    root.expect(ChildCancelled(child=parent))
    assert drain_queue(chronicle) == [f"/parent/{name} stops" for name in "cba"]


def test_a_parent_ends_after_all_below_it(system: ActorSystem, root: Probe) -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    below = partial(StopRecorder, chronicle, make_slow_cleanup_job(chronicle, "the grandchild"))
    child = partial(SampleParent, ("child", partial(SampleParent, ("grandchild", below))))
    parent = system.start(child, "parent")
    assert chronicle.get(timeout=PROBE_TIMEOUT_S) == "the grandchild at work"
    system.stop_child(parent)
    root.expect(ChildCancelled(child=parent))
    assert drain_queue(chronicle)[-1] == "the grandchild cleaned up"
    assert [address for address in system.addresses if address.is_under(parent)] == []


@pytest.mark.parametrize("way", ["stop", "finish", "crash"])
def test_every_way_out_takes_the_children_along(system: ActorSystem, root: Probe, way: str) -> None:
    def leave(parent: SampleParent) -> None:
        if way == "crash":
            raise RuntimeError(way)
        if way == "finish":
            parent.finish(way)

    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()
    child = partial(StopRecorder, chronicle)
    parent = system.start(partial(SampleParent, ("child", child), on_ping=leave), "parent")
    system.tell(parent, Ping())
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
    assert drain_queue(chronicle) == ["/parent/child stops"]


def test_a_handler_can_stop_a_child(system: ActorSystem, root: Probe) -> None:
    def stop(parent: SampleParent) -> None:
        parent.stop(parent.address.child("child"))
        parent.stop(parent.address.child("nobody"))

    parent = system.start(partial(SampleParent, ("child", Echo), on_ping=stop), "parent")
    system.tell(parent, Ping())
    root.expect(ChildCancelled(child=parent.child("child")))
    root.expect_nothing_more()


def test_a_deaf_job_is_given_up_at_the_deadline(system: ActorSystem, root: Probe) -> None:
    child = system.start(partial(JobRunner, ignore_cancellation))
    system.tell(child, Ping())
    root.expect(Observed(text="at work"))
    system.stop_child(child, timeout_s=SHORT_TIMEOUT_S)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.abandoned_count == 1


def test_deaf_jobs_of_many_children_cost_one_deadline(system: ActorSystem, root: Probe) -> None:
    children = [(f"c{number}", partial(JobRunner, ignore_cancellation)) for number in range(10)]
    parent = system.start(partial(SampleParent, *children, on_ping=SampleParent.ping_children))
    system.tell(parent, Ping())
    root.expect(*[Observed(text="at work")] * 10)
    began_s = system.event_loop.now_s()
    system.stop_child(parent, timeout_s=0.2)
    root.expect(ChildCancelled(child=parent))
    assert system.event_loop.now_s() - began_s < 0.4
    assert system.abandoned_count == 10


def test_an_agent_has_two_seconds_and_everything_five() -> None:
    given = [
        inspect.signature(each).parameters["timeout_s"] for each in (Echo.stop, ActorSystem.stop)
    ]
    assert [each.default for each in given] == [2.0, 5.0]


def test_nested_levels_share_one_deadline_the_deepest_first(
    system: ActorSystem, root: Probe
) -> None:
    """Else a level would be given up that is about to end: three jobs are, and no actor."""
    top = system.start(partial(NestedActor, 2), "top")
    root.expect(*[Observed(text="at work")] * 3)
    system.stop_child(top, timeout_s=0.3)
    root.expect(ChildCancelled(child=top))
    root.expect_nothing_more()
    assert system.abandoned_count == 3


def test_a_second_stop_may_shorten_the_deadline(system: ActorSystem, root: Probe) -> None:
    gate = ThreadGate()
    grandchild = ("stuck", partial(GatedActor, gate))
    parent = system.start(partial(SampleParent, grandchild, on_ping=SampleParent.ping_children))
    system.tell(parent, Ping())
    gate.wait_until_reached()
    system.stop_child(parent, timeout_s=3600)
    system.stop_child(parent, timeout_s=SHORT_TIMEOUT_S)
    root.expect(ChildCancelled(child=parent))
    assert system.abandoned_count == 1
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
    system.start(partial(TreeActor, 3, born), "brood")
    for _ in range(1111):
        born.get(timeout=PROBE_TIMEOUT_S)
    assert system.stop()
    assert system.abandoned_count == 0


def test_a_stop_reaches_exactly_the_subtree(system: ActorSystem, root: Probe) -> None:
    """Also where one name begins like another."""

    def start(name: str, *children: tuple[str, Callable[[], Actor[Any]]]) -> None:
        system.start(partial(SampleParent, *children), name)

    start("general-1", ("explore-1", Echo))
    start("general-10", ("explore-1", Echo))
    other = start_probe(system, "other")
    other.expect_nothing_more()
    system.stop_child(ROOT.child("general-1"))
    root.expect(ChildCancelled(child=ROOT.child("general-1")))
    assert set(system.addresses) == {"/", "/general-10", "/general-10/explore-1", "/other"}
