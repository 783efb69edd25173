"""What is urgent overtakes, everything else keeps its order."""

import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from actors.runtime.actor import Actor
from actors.runtime.lanes import Mailbox, MailboxItem, StopOrder
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildCompleted
from messages.base import Message
from messages.envelope import Envelope
from tests.actors.runtime.behaviours import (
    Busy,
    BusyAndDraining,
    Echo,
    Gate,
    Hurry,
    Parent,
    Poke,
    Said,
)
from tests.probe import PATIENCE_S, Probe

pytestmark = pytest.mark.quick

SENDERS = 4
LETTERS = 200


class Listener(Actor[Poke | Hurry]):
    """Tells the root what it hears."""

    def on_receive(self, message: Poke | Hurry) -> None:
        self.tell(ROOT, Said(word=message.word))


class DrainingListener(Listener):
    drains = True


class Counting(Actor[Poke]):
    """Ends at the tenth message."""

    dispatcher = "thread"

    def __init__(self) -> None:
        self._heard = 0

    def on_receive(self, message: Poke) -> None:
        self._heard += 1
        if self._heard == int(message.word):
            self.finish()


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Let threads take turns a thousand times as often, so that races show."""
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual_s)


def to_root(message: Message) -> Envelope:
    return Envelope(ROOT, ROOT, message)


def test_urgent_parcels_leave_first_and_in_their_order() -> None:
    lanes = Mailbox()
    parcels = [to_root(Poke(word="a")), to_root(Hurry()), to_root(Poke(word="c")), to_root(Hurry())]
    for parcel in parcels:
        lanes.add(parcel)
    taken = [lanes.take() for _ in range(5)]
    assert taken == [parcels[1], parcels[3], parcels[0], parcels[2], None]


def test_what_is_left_is_taken_at_once() -> None:
    lanes = Mailbox()
    parcels: list[MailboxItem] = [StopOrder(0.0, high_priority=True), to_root(Poke())]
    for parcel in reversed(parcels):
        lanes.add(parcel)
    assert lanes.clear() == parcels
    assert lanes.clear() == []


def test_what_is_put_back_comes_before_what_came_meanwhile() -> None:
    lanes = Mailbox()
    first = [to_root(Hurry(word="1")), to_root(Poke(word="a")), to_root(Poke(word="b"))]
    later = [to_root(Hurry(word="2")), to_root(Poke(word="c"))]
    for parcel in later:
        lanes.add(parcel)
    lanes.put_back(first)
    assert lanes.clear() == [first[0], later[0], *first[1:], later[1]]


def test_a_lane_that_another_thread_empties_between_look_and_grasp_has_nothing() -> None:
    class Emptied(deque[MailboxItem]):
        def __bool__(self) -> bool:
            return True

    lanes = Mailbox()
    setattr(lanes, "_mail", Emptied())  # noqa: B010  (no other code may)
    assert lanes.take() is None


@pytest.mark.usefixtures("eager_switching")
def test_threads_that_clear_the_same_lanes_share_what_is_there() -> None:
    lanes = Mailbox()
    for number in range(20_000):
        lanes.add(to_root(Hurry() if number % 2 else Poke()))
    ready = threading.Barrier(SENDERS)

    def clear() -> int:
        ready.wait(PATIENCE_S)
        return len(lanes.clear())

    with ThreadPoolExecutor(SENDERS) as pool:
        shares = [pool.submit(clear) for _ in range(SENDERS)]
    assert sum(share.result() for share in shares) == 20_000


def say_all_then_stop(parent: Parent, child: Address) -> None:
    """Do it in one handler, so that the child finds everything at once."""
    for word in ("one", "two"):
        parent.tell(child, Poke(word=word))
    parent.tell(child, Hurry(word="urgent"))
    parent.stop(child)


def test_a_stop_overtakes_the_mail_of_a_loop_actor(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    act = partial(say_all_then_stop, child=parent.child("child"))
    system.start(partial(Parent, ("child", Listener), when_poked=act), "parent")
    system.tell(parent, Poke())
    root.expect(Said(word="urgent"), ChildCancelled(child=parent.child("child")))
    assert system.dead_letters == 2


def test_a_draining_loop_actor_handles_its_mail_first(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    act = partial(say_all_then_stop, child=parent.child("child"))
    system.start(partial(Parent, ("child", DrainingListener), when_poked=act), "parent")
    system.tell(parent, Poke())
    root.expect(*(Said(word=word) for word in ("urgent", "one", "two")))
    root.expect(ChildCancelled(child=parent.child("child")))
    assert system.dead_letters == 0


def fill_then_stop(system: ActorSystem, busy: type[Busy]) -> Address:
    """Stop it while it is busy with its first message and others wait."""
    gate = Gate()
    child = system.start(partial(busy, gate), "busy")
    system.tell(child, Poke(word="first"))
    gate.await_arrival()
    for word in ("second", "third"):
        system.tell(child, Poke(word=word))
    system.tell(child, Hurry(word="urgent"))
    system.stop_child(child)
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)  # so the stop has been posted
    gate.open()
    return child


def test_a_stop_overtakes_the_mail_of_a_thread_actor(system: ActorSystem, root: Probe) -> None:
    child = fill_then_stop(system, Busy)
    root.expect(Said(word="first"), Said(word="urgent"), ChildCancelled(child=child))
    assert system.dead_letters == 2


def test_a_draining_thread_actor_handles_its_mail_first(system: ActorSystem, root: Probe) -> None:
    child = fill_then_stop(system, BusyAndDraining)
    root.expect(*(Said(word=word) for word in ("first", "urgent", "second", "third")))
    root.expect(ChildCancelled(child=child))
    assert system.dead_letters == 0


def test_a_long_mail_does_not_keep_the_others_waiting(system: ActorSystem, root: Probe) -> None:
    """Both are flooded in one turn; after a batch of the first the second has its own."""

    def flood(parent: Parent) -> None:
        for name in ("a", "b"):
            for number in range(100):
                parent.tell(parent.address.child(name), Poke(word=f"{name}{number}"))

    parent = partial(Parent, ("a", Listener), ("b", Listener), when_poked=flood)
    system.tell(system.start(parent, "parent"), Poke())
    heard = [root.expect_kind(Said).word for _ in range(200)]
    assert heard.index("b0") < heard.index("a99")
    for name in ("a", "b"):
        assert [word for word in heard if word[0] == name] == [f"{name}{n}" for n in range(100)]


@pytest.mark.usefixtures("eager_switching")
@pytest.mark.parametrize("handled", [1, 10, 300])
def test_no_letter_is_lost_or_counted_twice_when_a_thread_actor_ends(
    system: ActorSystem, root: Probe, handled: int
) -> None:
    """Several threads tell while it closes: each letter is handled or a dead letter."""
    child = system.start(Counting, "counting")
    ready = threading.Barrier(SENDERS)

    def send() -> None:
        ready.wait(PATIENCE_S)
        for _ in range(LETTERS):
            system.tell(child, Poke(word=str(handled)))

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(PATIENCE_S)
    root.expect(ChildCompleted(child=child))
    assert system.dead_letters == SENDERS * LETTERS - handled
