"""Stopping: in order, within one deadline; what exceeds it is abandoned."""

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


async def ignore_cancellation(send: Callable[[Observed], None]) -> Observed:
    """Continue after every cancellation."""
    send(Observed(text="running"))
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            send(Observed(text="cancellation ignored"))


class NestedActor(Actor[ChildEnded | Observed]):
    """A chain of actors, each with a job that ignores its cancellation."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def on_start(self) -> None:
        self.start_job(partial(ignore_cancellation, self.message_sink()), report_failure)
        if self._depth:
            self.start(partial(NestedActor, self._depth - 1), "nested")

    def on_receive(self, message: ChildEnded | Observed) -> None:
        self.tell(ROOT, message)


class TreeActor(Actor[ChildEnded | Observed]):
    """Starts a tree with ten children per actor, each with a job that never ends."""

    def __init__(self, depth: int, started: "queue.SimpleQueue[int]") -> None:
        self._depth = depth
        self._started = started

    def on_start(self) -> None:
        self.start_job(wait_forever, lambda failure: Observed(text=failure.kind))
        for number in range(10 if self._depth else 0):
            self.start(partial(TreeActor, self._depth - 1, self._started), f"child-{number}")
        self._started.put(self._depth)

    def on_receive(self, message: ChildEnded | Observed) -> None:
        self.tell(ROOT, message)


async def wait_forever() -> Observed:
    await asyncio.Event().wait()
    return Observed(text="never")


def test_children_of_the_root_stop_in_reverse_order() -> None:
    records: queue.SimpleQueue[str] = queue.SimpleQueue()
    system = ActorSystem()
    for name in "abc":
        job = make_slow_cleanup_job(records, f"/{name}")
        system.start(partial(StopRecorder, records, job), name)
        assert records.get(timeout=PROBE_TIMEOUT_S) == f"/{name} running"
    assert system.stop()
    assert drain_queue(records) == [
        entry for name in "cba" for entry in (f"/{name} stops", f"/{name} cleaned up")
    ]


def test_children_of_other_actors_stop_in_parallel(system: ActorSystem, root: Probe) -> None:
    """Each waits for the others during cleanup; one by one, none would end."""
    all_stopping = asyncio.Barrier(3)

    async def job() -> Observed:
        try:
            records.put("running")
            await asyncio.Event().wait()
        finally:
            await all_stopping.wait()
        return Observed(text="never")

    records: queue.SimpleQueue[str] = queue.SimpleQueue()
    children = [(name, partial(StopRecorder, records, job)) for name in "abc"]
    parent = system.start(partial(SampleParent, *children), "parent")
    for _ in children:
        assert records.get(timeout=PROBE_TIMEOUT_S) == "running"
    system.stop_child(parent, timeout_s=3600)
    root.expect(ChildCancelled(child=parent))
    assert drain_queue(records) == [f"/parent/{name} stops" for name in "cba"]


def test_a_parent_ends_after_its_whole_subtree(system: ActorSystem, root: Probe) -> None:
    records: queue.SimpleQueue[str] = queue.SimpleQueue()
    grandchild = partial(StopRecorder, records, make_slow_cleanup_job(records, "the grandchild"))
    child = partial(SampleParent, ("child", partial(SampleParent, ("grandchild", grandchild))))
    parent = system.start(child, "parent")
    assert records.get(timeout=PROBE_TIMEOUT_S) == "the grandchild running"
    system.stop_child(parent)
    root.expect(ChildCancelled(child=parent))
    assert drain_queue(records)[-1] == "the grandchild cleaned up"
    assert [address for address in system.addresses if address.is_under(parent)] == []


@pytest.mark.parametrize("cause", ["stop", "finish", "crash"])
def test_every_kind_of_end_stops_the_children(system: ActorSystem, root: Probe, cause: str) -> None:
    def end(parent: SampleParent) -> None:
        if cause == "crash":
            raise RuntimeError(cause)
        if cause == "finish":
            parent.finish(cause)

    records: queue.SimpleQueue[str] = queue.SimpleQueue()
    child = partial(StopRecorder, records)
    parent = system.start(partial(SampleParent, ("child", child), on_ping=end), "parent")
    system.tell(parent, Ping())
    if cause == "stop":
        system.stop_child(parent)
    root.expect(
        {
            "stop": ChildCancelled(child=parent),
            "finish": ChildCompleted(child=parent, result=cause),
            "crash": ChildFailed(child=parent, cause="crash", detail=f"RuntimeError: {cause}"),
        }[cause]
    )
    root.expect_nothing_more()
    assert drain_queue(records) == ["/parent/child stops"]


def test_a_handler_can_stop_its_child(system: ActorSystem, root: Probe) -> None:
    def stop(parent: SampleParent) -> None:
        parent.stop(parent.address.child("child"))
        parent.stop(parent.address.child("unknown"))

    parent = system.start(partial(SampleParent, ("child", Echo), on_ping=stop), "parent")
    system.tell(parent, Ping())
    root.expect(ChildCancelled(child=parent.child("child")))
    root.expect_nothing_more()


def test_a_job_that_ignores_cancellation_is_abandoned(system: ActorSystem, root: Probe) -> None:
    child = system.start(partial(JobRunner, ignore_cancellation))
    system.tell(child, Ping())
    root.expect(Observed(text="running"))
    system.stop_child(child, timeout_s=SHORT_TIMEOUT_S)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.abandoned_count == 1


def test_stuck_jobs_of_many_children_share_one_deadline(system: ActorSystem, root: Probe) -> None:
    children = [(f"c{number}", partial(JobRunner, ignore_cancellation)) for number in range(10)]
    parent = system.start(partial(SampleParent, *children, on_ping=SampleParent.ping_children))
    system.tell(parent, Ping())
    root.expect(*[Observed(text="running")] * 10)
    started_s = system.event_loop.now_s()
    system.stop_child(parent, timeout_s=0.2)
    root.expect(ChildCancelled(child=parent))
    assert system.event_loop.now_s() - started_s < 0.4
    assert system.abandoned_count == 10


def test_the_default_stop_timeouts_are_two_and_five_seconds() -> None:
    parameters = [
        inspect.signature(method).parameters["timeout_s"]
        for method in (Echo.stop, ActorSystem.stop)
    ]
    assert [parameter.default for parameter in parameters] == [2.0, 5.0]


def test_deeper_levels_get_shorter_stop_deadlines(system: ActorSystem, root: Probe) -> None:
    """Otherwise a parent would abandon actors that are about to end; only the jobs are stuck."""
    top = system.start(partial(NestedActor, 2), "top")
    root.expect(*[Observed(text="running")] * 3)
    system.stop_child(top, timeout_s=0.3)
    root.expect(ChildCancelled(child=top))
    root.expect_nothing_more()
    assert system.abandoned_count == 3


def test_a_second_stop_can_shorten_the_deadline(system: ActorSystem, root: Probe) -> None:
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


def test_stopping_the_system_twice_has_no_effect() -> None:
    system = ActorSystem()
    system.start(Echo)
    assert system.stop()
    assert system.stop()
    assert system.wait(0)
    assert system.addresses == ()


def test_a_thousand_actors_with_jobs_stop_in_time() -> None:
    started: queue.SimpleQueue[int] = queue.SimpleQueue()
    system = ActorSystem()
    system.start(partial(TreeActor, 3, started), "tree")
    for _ in range(1111):
        started.get(timeout=PROBE_TIMEOUT_S)
    assert system.stop()
    assert system.abandoned_count == 0


def test_a_stop_reaches_only_the_subtree(system: ActorSystem, root: Probe) -> None:
    """Also if one name is a prefix of another."""

    def start(name: str, *children: tuple[str, Callable[[], Actor[Any]]]) -> None:
        system.start(partial(SampleParent, *children), name)

    start("general-1", ("explore-1", Echo))
    start("general-10", ("explore-1", Echo))
    other = start_probe(system, "other")
    other.expect_nothing_more()
    system.stop_child(ROOT.child("general-1"))
    root.expect(ChildCancelled(child=ROOT.child("general-1")))
    assert set(system.addresses) == {"/", "/general-10", "/general-10/explore-1", "/other"}
