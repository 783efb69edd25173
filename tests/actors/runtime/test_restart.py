"""A crashed actor lives on in its cell: what is kept, what is lost, and who hears of it."""

import asyncio
import queue
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import ClassVar

import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import MOST_CRASHES, Restart
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.base import Message
from messages.supervision import PeerRestarted, Undelivered
from tests.actors.runtime.behaviours import (
    Chronicler,
    Echo,
    Gate,
    Hurry,
    Job,
    Parent,
    Poke,
    Said,
    said_of,
    taken,
)
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick

OFTEN = Restart(limit=100, window_s=3600.0, backoff_s=0.0)
ONCE = Restart(limit=1, window_s=3600.0, backoff_s=0.0)


class Please(Message):
    """Something its sender wants to hear of."""

    bounces: ClassVar[bool] = True
    word: str = ""


class Phoenix(Actor[Poke | Please | Hurry | Said | ChildEnded]):
    """Crashes when told so; says who it is when asked, and when it starts."""

    def __init__(
        self, gate: Gate | None = None, first: Callable[["Phoenix"], object] | None = None
    ) -> None:
        """`first` is done at the first start."""
        self._heard = 0
        self._gate = gate
        self._first = first

    def on_start(self) -> None:
        self.tell(ROOT, Said(word=f"life {self.incarnation}"))
        if self.incarnation == 1 and self._first:
            self._first(self)

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        self._heard += 1
        word = getattr(message, "word", "")
        match word:
            case "crash":
                raise RuntimeError(word)
            case "crash after a word to itself":
                self.tell(self.address, Said(word="note to self"))
                raise RuntimeError(word)
            case "crash at the gate":
                assert self._gate
                self._gate.pass_through()
                raise RuntimeError(word)
            case "finish and crash":
                self.finish()
                raise RuntimeError(word)
            case "finish":
                self.finish(word)
            case _:
                self.tell(ROOT, Said(word=f"{word} {self._heard} in life {self.incarnation}"))


class PhoenixOnThread(Phoenix):
    dispatcher = "thread"


class DrainingPhoenix(Phoenix):
    drains = True


phoenixes = pytest.mark.parametrize("phoenix", [Phoenix, PhoenixOnThread])
MakePhoenix = Callable[..., Phoenix]


def born(system: ActorSystem, root: Probe, make: MakePhoenix, restart: Restart = OFTEN) -> Address:
    child = system.start(make, "phoenix", restart)
    root.expect(Said(word="life 1"))
    return child


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
def test_without_a_budget_a_crash_is_the_end(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    child = system.start(phoenix)
    system.tell(child, Poke(word="crash"))
    root.expect(
        Said(word="life 1"), ChildFailed(child=child, cause="crash", detail="RuntimeError: crash")
    )
    root.expect_nothing_more()


@phoenixes
def test_when_the_budget_is_spent_the_parent_hears_of_one_failure_and_the_mail_bounces(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakePhoenix
) -> None:
    gate = Gate()
    child = born(system, root, partial(phoenix, gate), ONCE)
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    if phoenix is PhoenixOnThread:  # else the test could not put mail behind it
        system.tell(child, Poke(word="crash at the gate"))
        gate.await_arrival()
    else:
        system.tell(child, Poke(word="crash"))
    peer.tell(child, Please(word="waits"))
    peer.tell(child, Poke(word="nobody asks for it back"))
    gate.open()
    assert root.expect_kind(ChildFailed).cause == "crash"
    peer.expect(Undelivered(to=child, message=Please(word="waits"), reason="ended"))
    peer.expect_nothing_more()
    root.expect_nothing_more()


@phoenixes
def test_only_a_crash_restarts(system: ActorSystem, root: Probe, phoenix: MakePhoenix) -> None:
    child = born(system, root, phoenix)
    system.tell(child, Poke(word="finish"))
    root.expect(ChildCompleted(child=child, result="finish"))
    child = born(system, root, phoenix)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_a_crash_outweighs_a_finish_of_the_same_handler_and_restarts(
    system: ActorSystem, root: Probe
) -> None:
    child = born(system, root, Phoenix)
    system.tell(child, Poke(word="finish and crash"))
    root.expect(Said(word="life 2"))
    system.tell(child, Poke(word="well?"))
    root.expect(Said(word="well? 1 in life 2"))


class FailingToStart(Phoenix):
    """Starts in its first life, and not again before a given one."""

    def __init__(self, next_start: int) -> None:
        super().__init__()
        self._next_start = next_start

    def on_start(self) -> None:
        if 1 < self.incarnation < self._next_start:
            self.finish("not this way")
            raise RuntimeError(str(self.incarnation))
        super().on_start()


def test_a_failed_restart_spends_the_budget_and_is_tried_again(
    system: ActorSystem, root: Probe
) -> None:
    child = born(system, root, partial(FailingToStart, 4))
    system.tell(child, Poke(word="crash"))
    system.tell(child, Poke(word="waited"))
    root.expect(Said(word="life 4"), Said(word="waited 1 in life 4"))


def test_when_no_restart_succeeds_it_is_a_crash_and_not_a_failed_start(
    system: ActorSystem, root: Probe
) -> None:
    child = born(system, root, partial(FailingToStart, 9), Restart(3, 3600.0, 0.0))
    system.tell(child, Poke(word="crash"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: 4"))
    root.expect_nothing_more()


def test_a_first_start_that_fails_is_not_tried_again(system: ActorSystem, root: Probe) -> None:
    class Stillborn(Echo):
        def on_start(self) -> None:
            raise RuntimeError

    child = system.start(Stillborn, restart=OFTEN)
    root.expect(ChildFailed(child=child, cause="start", detail="RuntimeError"))
    root.expect_nothing_more()


@phoenixes
def test_what_was_in_hand_comes_back_as_crashed_and_is_not_retried(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakePhoenix
) -> None:
    child = born(system, root, phoenix)
    peer.tell(child, Please(word="crash"))
    peer.expect(Undelivered(to=child, message=Please(word="crash"), reason="crashed"))
    root.expect(Said(word="life 2"))
    root.expect_nothing_more()


@phoenixes
def test_poison_is_set_aside_after_enough_crashes_and_only_the_poison(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakePhoenix
) -> None:
    child = born(system, root, phoenix)
    poison = Please(word="crash")
    for life in range(2, MOST_CRASHES + 2):
        peer.tell(child, poison)
        peer.expect(Undelivered(to=child, message=poison, reason="crashed"))
        root.expect(Said(word=f"life {life}"))
    peer.tell(child, poison)
    peer.tell(child, Please(word="food"))
    peer.expect(Undelivered(to=child, message=poison, reason="set_aside"))
    root.expect(Said(word=f"food 1 in life {MOST_CRASHES + 1}"))
    root.expect_nothing_more()
    assert system.dead_letters == 1


class Moody(Phoenix):
    """Takes every other message badly, over all its lives."""

    def __init__(self, moods: list[str]) -> None:
        super().__init__()
        self._moods = moods

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        if self._moods.pop() == "bad":
            raise RuntimeError
        super().on_receive(message)


def test_what_was_handled_well_between_is_no_poison(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    child = born(system, root, partial(Moody, ["good", "bad"] * (MOST_CRASHES + 1)))
    food = Please(word="food")
    for life in range(2, MOST_CRASHES + 3):
        peer.tell(child, food)
        peer.expect(Undelivered(to=child, message=food, reason="crashed"))
        peer.tell(child, food)
        root.expect(Said(word=f"life {life}"), Said(word=f"food 1 in life {life}"))


class Nagging(Phoenix):
    """Tells itself the same thing, over which it crashes."""

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        if isinstance(message, Poke):
            self.tell(self.address, Said(word="crash"))
        else:
            super().on_receive(message)


def test_what_an_actor_tells_itself_is_never_set_aside(system: ActorSystem, root: Probe) -> None:
    child = born(system, root, Nagging)
    for life in range(2, MOST_CRASHES + 4):
        system.tell(child, Poke())
        root.expect(Said(word=f"life {life}"))


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


def working(job: Job) -> Callable[[Phoenix], object]:
    return lambda phoenix: phoenix.work(job, said_of)


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


class Remembering(Actor[Poke | Said]):
    """Takes nothing before it has heard `Said`."""

    def on_start(self) -> None:
        self.hold_mail(Said)

    def on_receive(self, message: Poke | Said) -> None:
        match message:
            case Said():
                self.tell(ROOT, message)
                self.release_mail()
            case Poke():
                self.tell(ROOT, Said(word=message.word))


class RememberingOnThread(Remembering):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [Remembering, RememberingOnThread])
def test_held_mail_waits_in_its_order_for_what_may_pass(
    system: ActorSystem, root: Probe, kind: type[Remembering]
) -> None:
    child = system.start(kind)
    for word in ("a", "b"):
        system.tell(child, Poke(word=word))
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    system.tell(child, Said(word="now"))
    system.tell(child, Poke(word="c"))
    root.expect(*(Said(word=word) for word in ("now", "a", "b", "c")))


def test_held_mail_bounces_when_its_holder_ends(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    class Holding(Actor[Please]):
        def on_start(self) -> None:
            self.hold_mail()

        def on_receive(self, message: Please) -> None:
            self.tell(ROOT, message)

    child = system.start(Holding)
    peer.tell(child, Please())
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=Please(), reason="ended"))


def test_a_message_to_nobody_comes_back_if_its_class_says_so(
    system: ActorSystem, peer: Probe
) -> None:
    nobody = ROOT.child("nobody")
    peer.tell(nobody, Poke())
    peer.tell(nobody, Please())
    peer.expect(Undelivered(to=nobody, message=Please(), reason="ended"))
    assert system.dead_letters == 2


def test_a_bounce_goes_only_to_who_can_take_it(system: ActorSystem, root: Probe) -> None:
    class Unaware(Actor[Poke]):
        def on_receive(self, message: Poke) -> None:
            self.tell(ROOT.child("nobody"), Please(word=message.word))

    unaware = system.start(Unaware)
    system.tell(unaware, Poke())
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    assert system.dead_letters == 1


def test_asking_nobody_brings_the_question_back(system: ActorSystem) -> None:
    nobody = ROOT.child("nobody")
    answer = system.ask(nobody, Please(), PATIENCE_S)
    assert answer == Undelivered(to=nobody, message=Please(), reason="ended")


class Dozing(Actor[Poke | Said]):
    """Wakes itself up once."""

    def on_receive(self, message: Poke | Said) -> None:
        match message:
            case Poke():
                self.after(float(message.word), Said(word="awake"))
            case Said():
                self.tell(ROOT, message)


class DozingOnThread(Dozing):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [Dozing, DozingOnThread])
def test_a_message_to_oneself_comes_after_its_time(
    system: ActorSystem, root: Probe, kind: type[Dozing]
) -> None:
    child = system.start(kind)
    began_s = system.event_loop.now()
    system.tell(child, Poke(word="0.02"))
    root.expect(Said(word="awake"))
    assert system.event_loop.now() - began_s >= 0.02


def test_a_message_for_later_ends_with_its_actor(system: ActorSystem, root: Probe) -> None:
    child = system.start(Dozing)
    system.tell(child, Poke(word="3600"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
