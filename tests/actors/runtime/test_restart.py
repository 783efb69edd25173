"""Restarts: what a crashed actor keeps and loses, and who is notified."""

import asyncio
import queue
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildCancelled, ChildFailed
from messages.supervision import PeerRestarted, Undelivered
from tests.actors.runtime.crashing_actor import (
    MANY_RESTARTS,
    CrashingActor,
    DrainingCrashingActor,
    MakeCrashingActor,
    on_each_dispatcher,
    start_crashing_actor,
    start_job_with,
)
from tests.actors.runtime.sample_actors import (
    Echo,
    Observed,
    Ping,
    PriorityPing,
    SampleParent,
    StopRecorder,
    TrackedPing,
    drain_queue,
    report_failure,
)
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick


@on_each_dispatcher
def test_a_restart_keeps_the_address_and_the_mailbox(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, actor_class)
    for text in ("a", "crash", "b", "c"):
        system.tell(child, Ping(text=text))
    root.expect(
        Observed(text="a 1 in incarnation 1"),
        Observed(text="incarnation 2"),
        Observed(text="b 1 in incarnation 2"),
        Observed(text="c 2 in incarnation 2"),
    )
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


@on_each_dispatcher
def test_messages_wait_while_a_crashed_actor_stops(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    """A job delays the restart until messages have arrived; priority still comes first."""
    cleanup_done: asyncio.Future[None] | None = None
    started, cleaning = (queue.SimpleQueue[asyncio.AbstractEventLoop]() for _ in range(2))

    async def job() -> Observed:
        nonlocal cleanup_done
        loop = asyncio.get_running_loop()
        cleanup_done = loop.create_future()
        started.put(loop)
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.put(loop)
            await cleanup_done
        return Observed(text="never")

    child = start_crashing_actor(
        system, root, partial(actor_class, on_first_start=start_job_with(job))
    )
    started.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    loop = cleaning.get(timeout=PROBE_TIMEOUT_S)
    for text in ("a", "b"):
        system.tell(child, Ping(text=text))
    system.tell(child, PriorityPing(text="priority"))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    assert cleanup_done is not None
    loop.call_soon_threadsafe(cleanup_done.set_result, None)
    root.expect(
        Observed(text="incarnation 2"),
        Observed(text="priority 1 in incarnation 2"),
        Observed(text="a 2 in incarnation 2"),
        Observed(text="b 3 in incarnation 2"),
    )


@on_each_dispatcher
def test_messages_to_itself_are_dropped_at_a_restart(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, actor_class)
    system.tell(child, Ping(text="crash after a message to itself"))
    system.tell(child, Ping(text="from outside"))
    root.expect(Observed(text="incarnation 2"), Observed(text="from outside 1 in incarnation 2"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_jobs_of_a_crashed_incarnation_report_nothing(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    sinks = queue.SimpleQueue[Callable[[Observed], None]]()

    async def job(send: Callable[[Observed], None]) -> Observed:
        sinks.put(send)
        try:
            await asyncio.Event().wait()
        finally:
            send(Observed(text="cleaning"))
        return Observed(text="never")

    def start_job(actor: CrashingActor) -> None:
        actor.start_job(partial(job, actor.message_sink()), report_failure)

    child = start_crashing_actor(system, root, partial(actor_class, on_first_start=start_job))
    send = sinks.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="incarnation 2"))
    send(Observed(text="too late"))
    system.tell(child, Ping(text="hello"))
    root.expect(Observed(text="hello 1 in incarnation 2"))
    root.expect_nothing_more()


def test_a_restart_ends_the_children_and_frees_their_names(
    system: ActorSystem, root: Probe
) -> None:
    records: queue.SimpleQueue[str] = queue.SimpleQueue()

    def crash(_: SampleParent) -> None:
        raise RuntimeError

    parent = partial(SampleParent, ("child", partial(StopRecorder, records)), on_ping=crash)
    address = system.start(parent, "parent", MANY_RESTARTS)
    watcher = start_watcher(system, address)
    system.tell(address, Ping())
    watcher.expect(PeerRestarted(peer=address, incarnation=2))
    assert drain_queue(records) == ["/parent/child stops"]
    assert address.child("child") in system.addresses
    root.expect_nothing_more()


def test_a_stop_prevents_a_waiting_restart(system: ActorSystem, root: Probe, peer: Probe) -> None:
    child = start_crashing_actor(system, root, CrashingActor, Restart(9, 3600.0, backoff_s=3600.0))
    peer.tell(child, TrackedPing(text="crash"))
    peer.expect_kind(Undelivered)
    peer.tell(child, TrackedPing(text="waits"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=TrackedPing(text="waits"), reason="ended"))
    root.expect_nothing_more()


def test_a_stop_prevents_a_restart_that_is_still_stopping(system: ActorSystem, root: Probe) -> None:
    loops = queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]]()

    async def job() -> Observed:
        loop = asyncio.get_running_loop()
        cleanup_done = loop.create_future()
        try:
            loops.put((loop, cleanup_done))
            await asyncio.Event().wait()
        finally:
            loops.put((loop, cleanup_done))
            await cleanup_done
        return Observed(text="never")

    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(job))
    )
    loops.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    loop, cleanup_done = loops.get(timeout=PROBE_TIMEOUT_S)
    system.stop_child(child)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # the stop is posted by now
    loop.call_soon_threadsafe(cleanup_done.set_result, None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_a_draining_actor_restarts_before_it_stops(system: ActorSystem, root: Probe) -> None:
    def flood(parent: SampleParent) -> None:
        child = parent.address.child("child")
        for text in ("crash", "a", "b"):
            parent.tell(child, Ping(text=text))
        parent.stop(child)

    class DrainingParent(SampleParent):
        def on_start(self) -> None:
            self.start(DrainingCrashingActor, "child", MANY_RESTARTS)

    parent = system.start(partial(DrainingParent, on_ping=flood), "parent")
    root.expect(Observed(text="incarnation 1"))
    system.tell(parent, Ping())
    root.expect(
        Observed(text="incarnation 2"),
        Observed(text="a 1 in incarnation 2"),
        Observed(text="b 2 in incarnation 2"),
        ChildCancelled(child=parent.child("child")),
    )


async def ignore_cancellation() -> Observed:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


def test_a_stuck_job_is_abandoned_before_the_restart(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.cell.DEFAULT_STOP_TIMEOUT_S", 0.01)
    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(ignore_cancellation))
    )
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="incarnation 2"))
    assert system.abandoned_count == 1


def test_an_abandoned_jobs_late_outcome_is_dropped(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.cell.DEFAULT_STOP_TIMEOUT_S", 0.01)
    release, ended = asyncio.Event(), queue.SimpleQueue[str]()

    async def job() -> Observed:
        while not release.is_set():
            with suppress(asyncio.CancelledError):
                await release.wait()
        ended.put("ended")
        return Observed(text="too late")

    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(job))
    )
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="incarnation 2"))
    system.event_loop.call_soon(release.set)
    assert ended.get(timeout=PROBE_TIMEOUT_S) == "ended"
    system.tell(child, Ping(text="hello"))
    root.expect(Observed(text="hello 1 in incarnation 2"))
    root.expect_nothing_more()


def start_watcher(system: ActorSystem, peer: Address) -> Probe:
    watcher = start_probe(system, "watcher")

    def watch() -> None:
        watcher.watch(peer)

    system.event_loop.run_on_loop(watch)
    watcher.expect_nothing_more()
    return watcher


@on_each_dispatcher
def test_a_watcher_is_notified_of_each_restart(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    watcher = start_watcher(system, ROOT.child("crashing"))
    child = start_crashing_actor(system, root, actor_class)
    watcher.expect_nothing_more()
    watcher.tell(child, TrackedPing(text="crash"))
    watcher.expect(
        Undelivered(to=child, message=TrackedPing(text="crash"), reason="crashed"),
        PeerRestarted(peer=child, incarnation=2),
    )
    system.tell(child, Ping(text="crash"))
    watcher.expect(PeerRestarted(peer=child, incarnation=3))
    system.stop_child(child)
    root.expect(
        *(Observed(text=f"incarnation {incarnation}") for incarnation in (2, 3)),
        ChildCancelled(child=child),
    )
    watcher.expect_nothing_more()


@on_each_dispatcher
def test_a_failing_restart_callback_does_not_affect_restarts(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    restarted = queue.SimpleQueue[Address]()

    def on_restart(peer: Address) -> None:
        restarted.put(peer)
        raise SystemExit

    system.set_restart_callback(on_restart)
    child = start_crashing_actor(system, root, actor_class)
    for incarnation in (2, 3):
        system.tell(child, Ping(text="crash"))
        root.expect(Observed(text=f"incarnation {incarnation}"))
        assert restarted.get(timeout=PROBE_TIMEOUT_S) == child
    system.tell(child, Ping(text="hello"))
    root.expect(Observed(text="hello 1 in incarnation 3"))
    assert restarted.empty()


def test_an_ended_watcher_is_no_longer_notified(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, CrashingActor)
    watcher = start_watcher(system, child)
    system.stop_child(watcher.address)
    root.expect(ChildCancelled(child=watcher.address))
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="incarnation 2"))
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


def test_watching_requires_the_restart_message_in_the_inbox(
    system: ActorSystem, root: Probe
) -> None:
    class IncompleteInbox(Echo):
        def on_start(self) -> None:
            self.watch(ROOT)

    system.start(IncompleteInbox)
    failed = root.expect_kind(ChildFailed)
    assert "its inbox must include PeerRestarted" in failed.detail
