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
from messages.agents import ChildCancelled, ChildFailed
from messages.supervision import PeerRestarted, Undelivered
from tests.actors.runtime.behaviours import (
    Chronicler,
    Echo,
    Hurry,
    Parent,
    Please,
    Poke,
    Said,
    said_of,
    taken,
)
from tests.actors.runtime.phoenix import (
    OFTEN,
    DrainingPhoenix,
    MakePhoenix,
    Phoenix,
    born,
    phoenixes,
    working,
)
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick


@phoenixes
def test_a_crash_costs_the_state_and_neither_the_address_nor_the_mail(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    child = born(system, root, phoenix)
    for word in ("a", "crash", "b", "c"):
        system.tell(child, Poke(word=word))
    root.expect(
        Said(word="a 1 in life 1"),
        Said(word="life 2"),
        Said(word="b 1 in life 2"),
        Said(word="c 2 in life 2"),
    )
    root.expect_nothing_more()
    assert system.dead_letters == 0


@phoenixes
def test_mail_that_comes_while_it_winds_down_waits(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    """A job holds the restart up until the mail is there; what is urgent still comes first."""
    clean_up: asyncio.Future[None] | None = None
    begun, cleaning = (queue.SimpleQueue[asyncio.AbstractEventLoop]() for _ in range(2))

    async def job() -> Said:
        nonlocal clean_up
        loop = asyncio.get_running_loop()
        clean_up = loop.create_future()
        begun.put(loop)
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.put(loop)
            await clean_up
        return Said(word="never")

    child = born(system, root, partial(phoenix, first=working(job)))
    begun.get(timeout=PATIENCE_S)
    system.tell(child, Poke(word="crash"))
    loop = cleaning.get(timeout=PATIENCE_S)
    for word in ("a", "b"):
        system.tell(child, Poke(word=word))
    system.tell(child, Hurry(word="urgent"))
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    assert clean_up is not None
    loop.call_soon_threadsafe(clean_up.set_result, None)
    root.expect(
        Said(word="life 2"),
        Said(word="urgent 1 in life 2"),
        Said(word="a 2 in life 2"),
        Said(word="b 3 in life 2"),
    )


@phoenixes
def test_what_an_incarnation_told_itself_ends_with_it(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    child = born(system, root, phoenix)
    system.tell(child, Poke(word="crash after a word to itself"))
    system.tell(child, Poke(word="from outside"))
    root.expect(Said(word="life 2"), Said(word="from outside 1 in life 2"))
    root.expect_nothing_more()


@phoenixes
def test_the_work_of_an_incarnation_ends_with_it_and_is_never_heard(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    inlets = queue.SimpleQueue[Callable[[Said], None]]()

    async def job(say: Callable[[Said], None]) -> Said:
        inlets.put(say)
        try:
            await asyncio.Event().wait()
        finally:
            say(Said(word="cleaning"))
        return Said(word="never")

    def begin(each: Phoenix) -> None:
        each.work(partial(job, each.inlet()), said_of)

    child = born(system, root, partial(phoenix, first=begin))
    say = inlets.get(timeout=PATIENCE_S)
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    say(Said(word="too late"))
    system.tell(child, Poke(word="well?"))
    root.expect(Said(word="well? 1 in life 2"))
    root.expect_nothing_more()


def test_the_children_of_an_incarnation_end_with_it_and_their_names_are_free(
    system: ActorSystem, root: Probe
) -> None:
    chronicle: queue.SimpleQueue[str] = queue.SimpleQueue()

    def crash(_: Parent) -> None:
        raise RuntimeError

    parent = partial(Parent, ("child", partial(Chronicler, chronicle)), when_poked=crash)
    address = system.start(parent, "parent", OFTEN)
    watcher = watching(system, address)
    system.tell(address, Poke())
    watcher.expect(PeerRestarted(peer=address, incarnation=2))
    assert taken(chronicle) == ["/parent/child stops"]
    assert address.child("child") in system.addresses
    root.expect_nothing_more()


def test_a_stop_ends_a_restart(system: ActorSystem, root: Probe, peer: Probe) -> None:
    child = born(system, root, Phoenix, Restart(9, 3600.0, backoff_s=3600.0))
    peer.tell(child, Please(word="crash"))
    peer.expect_kind(Undelivered)
    peer.tell(child, Please(word="waits"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=Please(word="waits"), reason="ended"))
    root.expect_nothing_more()


def test_a_stop_ends_a_restart_that_still_winds_down(system: ActorSystem, root: Probe) -> None:
    loops = queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]]()

    async def job() -> Said:
        loop = asyncio.get_running_loop()
        clean = loop.create_future()
        try:
            loops.put((loop, clean))
            await asyncio.Event().wait()
        finally:
            loops.put((loop, clean))
            await clean
        return Said(word="never")

    child = born(system, root, partial(Phoenix, first=working(job)))
    loops.get(timeout=PATIENCE_S)
    system.tell(child, Poke(word="crash"))
    loop, clean = loops.get(timeout=PATIENCE_S)
    system.stop_child(child)
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)  # so the stop has been posted
    loop.call_soon_threadsafe(clean.set_result, None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_the_stop_of_a_draining_actor_waits_for_its_restart_and_its_mail(
    system: ActorSystem, root: Probe
) -> None:
    def flood(parent: Parent) -> None:
        child = parent.address.child("child")
        for word in ("crash", "a", "b"):
            parent.tell(child, Poke(word=word))
        parent.stop(child)

    class Owner(Parent):
        def on_start(self) -> None:
            self.start(DrainingPhoenix, "child", OFTEN)

    parent = system.start(partial(Owner, when_poked=flood), "parent")
    root.expect(Said(word="life 1"))
    system.tell(parent, Poke())
    root.expect(
        Said(word="life 2"),
        Said(word="a 1 in life 2"),
        Said(word="b 2 in life 2"),
        ChildCancelled(child=parent.child("child")),
    )


async def deaf() -> Said:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


def test_a_stuck_job_is_given_up_before_the_restart(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.life.UNTOLD_DEADLINE_S", 0.01)
    child = born(system, root, partial(Phoenix, first=working(deaf)))
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    assert system.given_up == 1


def test_what_a_given_up_job_comes_to_after_the_restart_is_never_heard(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.runtime.life.UNTOLD_DEADLINE_S", 0.01)
    enough, ended = asyncio.Event(), queue.SimpleQueue[str]()

    async def job() -> Said:
        while not enough.is_set():
            with suppress(asyncio.CancelledError):
                await enough.wait()
        ended.put("at last")
        return Said(word="too late")

    child = born(system, root, partial(Phoenix, first=working(job)))
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    system.event_loop.soon(enough.set)
    assert ended.get(timeout=PATIENCE_S) == "at last"
    system.tell(child, Poke(word="well?"))
    root.expect(Said(word="well? 1 in life 2"))
    root.expect_nothing_more()


def watching(system: ActorSystem, peer: Address) -> Probe:
    watcher = new_probe(system, "watcher")

    def watch() -> None:
        watcher.watch(peer)

    system.event_loop.run(watch)
    watcher.expect_nothing_more()
    return watcher


@phoenixes
def test_a_watcher_hears_of_each_restart_behind_the_last_words(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    watcher = watching(system, ROOT.child("phoenix"))
    child = born(system, root, phoenix)
    watcher.expect_nothing_more()
    watcher.tell(child, Please(word="crash"))
    watcher.expect(
        Undelivered(to=child, message=Please(word="crash"), reason="crashed"),
        PeerRestarted(peer=child, incarnation=2),
    )
    system.tell(child, Poke(word="crash"))
    watcher.expect(PeerRestarted(peer=child, incarnation=3))
    system.stop_child(child)
    root.expect(*(Said(word=f"life {life}") for life in (2, 3)), ChildCancelled(child=child))
    watcher.expect_nothing_more()


@phoenixes
def test_the_edge_hears_of_each_restart_and_its_own_faults_change_nothing(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    heard = queue.SimpleQueue[Address]()

    def hear(peer: Address) -> None:
        heard.put(peer)
        raise SystemExit

    system.when_restarted(hear)
    child = born(system, root, phoenix)
    for life in (2, 3):
        system.tell(child, Poke(word="crash"))
        root.expect(Said(word=f"life {life}"))
        assert heard.get(timeout=PATIENCE_S) == child
    system.tell(child, Poke(word="well"))
    root.expect(Said(word="well 1 in life 3"))
    assert heard.empty()


def test_an_ended_watcher_is_forgotten(system: ActorSystem, root: Probe) -> None:
    child = born(system, root, Phoenix)
    watcher = watching(system, child)
    system.stop_child(watcher.address)
    root.expect(ChildCancelled(child=watcher.address))
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    root.expect_nothing_more()
    assert system.dead_letters == 0


def test_who_cannot_hear_of_restarts_cannot_watch(system: ActorSystem, root: Probe) -> None:
    class Careless(Echo):
        def on_start(self) -> None:
            self.watch(ROOT)

    system.start(Careless)
    failed = root.expect_kind(ChildFailed)
    assert "its inbox must have PeerRestarted" in failed.detail
