"""A crashed actor lives on in its cell: what is kept, what is lost, and who hears of it."""

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
def test_a_crash_costs_the_state_and_neither_the_address_nor_the_mail(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, phoenix)
    for word in ("a", "crash", "b", "c"):
        system.tell(child, Ping(text=word))
    root.expect(
        Observed(text="a 1 in life 1"),
        Observed(text="life 2"),
        Observed(text="b 1 in life 2"),
        Observed(text="c 2 in life 2"),
    )
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


@on_each_dispatcher
def test_mail_that_comes_while_it_winds_down_waits(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    """A job holds the restart up until the mail is there; what is urgent still comes first."""
    clean_up: asyncio.Future[None] | None = None
    begun, cleaning = (queue.SimpleQueue[asyncio.AbstractEventLoop]() for _ in range(2))

    async def job() -> Observed:
        nonlocal clean_up
        loop = asyncio.get_running_loop()
        clean_up = loop.create_future()
        begun.put(loop)
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.put(loop)
            await clean_up
        return Observed(text="never")

    child = start_crashing_actor(system, root, partial(phoenix, on_first_start=start_job_with(job)))
    begun.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    loop = cleaning.get(timeout=PROBE_TIMEOUT_S)
    for word in ("a", "b"):
        system.tell(child, Ping(text=word))
    system.tell(child, PriorityPing(text="urgent"))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    assert clean_up is not None
    loop.call_soon_threadsafe(clean_up.set_result, None)
    root.expect(
        Observed(text="life 2"),
        Observed(text="urgent 1 in life 2"),
        Observed(text="a 2 in life 2"),
        Observed(text="b 3 in life 2"),
    )


@on_each_dispatcher
def test_what_an_incarnation_told_itself_ends_with_it(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, phoenix)
    system.tell(child, Ping(text="crash after a word to itself"))
    system.tell(child, Ping(text="from outside"))
    root.expect(Observed(text="life 2"), Observed(text="from outside 1 in life 2"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_the_work_of_an_incarnation_ends_with_it_and_is_never_heard(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    inlets = queue.SimpleQueue[Callable[[Observed], None]]()

    async def job(say: Callable[[Observed], None]) -> Observed:
        inlets.put(say)
        try:
            await asyncio.Event().wait()
        finally:
            say(Observed(text="cleaning"))
        return Observed(text="never")

    def begin(each: CrashingActor) -> None:
        each.start_job(partial(job, each.message_sink()), report_failure)

    child = start_crashing_actor(system, root, partial(phoenix, on_first_start=begin))
    say = inlets.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="life 2"))
    say(Observed(text="too late"))
    system.tell(child, Ping(text="well?"))
    root.expect(Observed(text="well? 1 in life 2"))
    root.expect_nothing_more()


def test_the_children_of_an_incarnation_end_with_it_and_their_names_are_free(
    system: ActorSystem, root: Probe
) -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()

    def crash(_: SampleParent) -> None:
        raise RuntimeError

    parent = partial(SampleParent, ("child", partial(StopRecorder, chronicle)), on_ping=crash)
    address = system.start(parent, "parent", MANY_RESTARTS)
    watcher = start_watcher(system, address)
    system.tell(address, Ping())
    watcher.expect(PeerRestarted(peer=address, incarnation=2))
    assert drain_queue(chronicle) == ["/parent/child stops"]
    assert address.child("child") in system.addresses
    root.expect_nothing_more()


def test_a_stop_ends_a_restart(system: ActorSystem, root: Probe, peer: Probe) -> None:
    child = start_crashing_actor(system, root, CrashingActor, Restart(9, 3600.0, backoff_s=3600.0))
    peer.tell(child, TrackedPing(text="crash"))
    peer.expect_kind(Undelivered)
    peer.tell(child, TrackedPing(text="waits"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=TrackedPing(text="waits"), reason="ended"))
    root.expect_nothing_more()


def test_a_stop_ends_a_restart_that_still_winds_down(system: ActorSystem, root: Probe) -> None:
    loops = queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]]()

    async def job() -> Observed:
        loop = asyncio.get_running_loop()
        clean = loop.create_future()
        try:
            loops.put((loop, clean))
            await asyncio.Event().wait()
        finally:
            loops.put((loop, clean))
            await clean
        return Observed(text="never")

    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(job))
    )
    loops.get(timeout=PROBE_TIMEOUT_S)
    system.tell(child, Ping(text="crash"))
    loop, clean = loops.get(timeout=PROBE_TIMEOUT_S)
    system.stop_child(child)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # so the stop has been posted
    loop.call_soon_threadsafe(clean.set_result, None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_the_stop_of_a_draining_actor_waits_for_its_restart_and_its_mail(
    system: ActorSystem, root: Probe
) -> None:
    def flood(parent: SampleParent) -> None:
        child = parent.address.child("child")
        for word in ("crash", "a", "b"):
            parent.tell(child, Ping(text=word))
        parent.stop(child)

    class Owner(SampleParent):
        def on_start(self) -> None:
            self.start(DrainingCrashingActor, "child", MANY_RESTARTS)

    parent = system.start(partial(Owner, on_ping=flood), "parent")
    root.expect(Observed(text="life 1"))
    system.tell(parent, Ping())
    root.expect(
        Observed(text="life 2"),
        Observed(text="a 1 in life 2"),
        Observed(text="b 2 in life 2"),
        ChildCancelled(child=parent.child("child")),
    )


async def ignore_cancellation() -> Observed:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


def test_a_stuck_job_is_given_up_before_the_restart(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.mailbox_processor.DEFAULT_STOP_TIMEOUT_S", 0.01)
    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(ignore_cancellation))
    )
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="life 2"))
    assert system.abandoned_count == 1


def test_what_a_given_up_job_comes_to_after_the_restart_is_never_heard(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.mailbox_processor.DEFAULT_STOP_TIMEOUT_S", 0.01)
    enough, ended = asyncio.Event(), queue.SimpleQueue[str]()

    async def job() -> Observed:
        while not enough.is_set():
            with suppress(asyncio.CancelledError):
                await enough.wait()
        ended.put("at last")
        return Observed(text="too late")

    child = start_crashing_actor(
        system, root, partial(CrashingActor, on_first_start=start_job_with(job))
    )
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="life 2"))
    system.event_loop.call_soon(enough.set)
    assert ended.get(timeout=PROBE_TIMEOUT_S) == "at last"
    system.tell(child, Ping(text="well?"))
    root.expect(Observed(text="well? 1 in life 2"))
    root.expect_nothing_more()


def start_watcher(system: ActorSystem, peer: Address) -> Probe:
    watcher = start_probe(system, "watcher")

    def watch() -> None:
        watcher.watch(peer)

    system.event_loop.run_on_loop(watch)
    watcher.expect_nothing_more()
    return watcher


@on_each_dispatcher
def test_a_watcher_hears_of_each_restart_behind_the_last_words(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    watcher = start_watcher(system, ROOT.child("phoenix"))
    child = start_crashing_actor(system, root, phoenix)
    watcher.expect_nothing_more()
    watcher.tell(child, TrackedPing(text="crash"))
    watcher.expect(
        Undelivered(to=child, message=TrackedPing(text="crash"), reason="crashed"),
        PeerRestarted(peer=child, incarnation=2),
    )
    system.tell(child, Ping(text="crash"))
    watcher.expect(PeerRestarted(peer=child, incarnation=3))
    system.stop_child(child)
    root.expect(*(Observed(text=f"life {life}") for life in (2, 3)), ChildCancelled(child=child))
    watcher.expect_nothing_more()


@on_each_dispatcher
def test_the_edge_hears_of_each_restart_and_its_own_faults_change_nothing(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    heard = queue.SimpleQueue[Address]()

    def hear(peer: Address) -> None:
        heard.put(peer)
        raise SystemExit

    system.set_restart_callback(hear)
    child = start_crashing_actor(system, root, phoenix)
    for life in (2, 3):
        system.tell(child, Ping(text="crash"))
        root.expect(Observed(text=f"life {life}"))
        assert heard.get(timeout=PROBE_TIMEOUT_S) == child
    system.tell(child, Ping(text="well"))
    root.expect(Observed(text="well 1 in life 3"))
    assert heard.empty()


def test_an_ended_watcher_is_forgotten(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, CrashingActor)
    watcher = start_watcher(system, child)
    system.stop_child(watcher.address)
    root.expect(ChildCancelled(child=watcher.address))
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="life 2"))
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


def test_who_cannot_hear_of_restarts_cannot_watch(system: ActorSystem, root: Probe) -> None:
    class Careless(Echo):
        def on_start(self) -> None:
            self.watch(ROOT)

    system.start(Careless)
    failed = root.expect_kind(ChildFailed)
    assert "its inbox must include PeerRestarted" in failed.detail
