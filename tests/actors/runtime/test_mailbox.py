"""What is urgent overtakes, everything else keeps its order."""

import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from actors.runtime.actor import Actor
from actors.runtime.mailbox import Mailbox, MailboxItem, StopCell
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted
from messages.envelope import Envelope
from tests.actors.runtime.sample_actors import (
    DrainingGatedActor,
    Echo,
    GatedActor,
    Observed,
    Ping,
    PriorityPing,
    SampleParent,
    ThreadGate,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

SENDERS = 4
MESSAGES_PER_SENDER = 200


class GatedRecorder(Actor[Ping | PriorityPing]):
    """Tells the root what it hears."""

    def on_receive(self, message: Ping | PriorityPing) -> None:
        self.tell(ROOT, Observed(text=message.text))


class DrainingRecorder(GatedRecorder):
    drains_before_stop = True


class CountingActor(Actor[Ping]):
    """Ends at the tenth message."""

    dispatcher = "thread"

    def __init__(self) -> None:
        self._heard = 0

    def on_receive(self, message: Ping) -> None:
        self._heard += 1
        if self._heard == int(message.text):
            self.finish()


@pytest.fixture
def fast_thread_switching() -> Iterator[None]:
    """Let threads take turns a thousand times as often, so that races show."""
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual_s)


def make_envelope(message: Message) -> Envelope:
    return Envelope(ROOT, ROOT, message)


def test_urgent_parcels_leave_first_and_in_their_order() -> None:
    lanes = Mailbox()
    parcels = [
        make_envelope(Ping(text="a")),
        make_envelope(PriorityPing()),
        make_envelope(Ping(text="c")),
        make_envelope(PriorityPing()),
    ]
    for parcel in parcels:
        lanes.add(parcel)
    taken = [lanes.take() for _ in range(5)]
    assert taken == [parcels[1], parcels[3], parcels[0], parcels[2], None]


def test_what_is_left_is_taken_at_once() -> None:
    lanes = Mailbox()
    parcels: list[MailboxItem] = [StopCell(0.0, high_priority=True), make_envelope(Ping())]
    for parcel in reversed(parcels):
        lanes.add(parcel)
    assert lanes.clear() == parcels
    assert lanes.clear() == []


def test_what_is_put_back_comes_before_what_came_meanwhile() -> None:
    lanes = Mailbox()
    first = [
        make_envelope(PriorityPing(text="1")),
        make_envelope(Ping(text="a")),
        make_envelope(Ping(text="b")),
    ]
    later = [make_envelope(PriorityPing(text="2")), make_envelope(Ping(text="c"))]
    for parcel in later:
        lanes.add(parcel)
    lanes.put_back(first)
    assert lanes.clear() == [first[0], later[0], *first[1:], later[1]]


def test_a_lane_that_another_thread_empties_between_look_and_grasp_has_nothing() -> None:
    class Emptied(deque[MailboxItem]):
        def __bool__(self) -> bool:
            return True

    lanes = Mailbox()
    setattr(lanes, "_normal", Emptied())  # noqa: B010  (no other code may)
    assert lanes.take() is None


@pytest.mark.usefixtures("fast_thread_switching")
def test_threads_that_clear_the_same_lanes_share_what_is_there() -> None:
    lanes = Mailbox()
    for number in range(20_000):
        lanes.add(make_envelope(PriorityPing() if number % 2 else Ping()))
    ready = threading.Barrier(SENDERS)

    def clear() -> int:
        ready.wait(PROBE_TIMEOUT_S)
        return len(lanes.clear())

    with ThreadPoolExecutor(SENDERS) as pool:
        shares = [pool.submit(clear) for _ in range(SENDERS)]
    assert sum(share.result() for share in shares) == 20_000


def ping_all_then_stop(parent: SampleParent, child: Address) -> None:
    """Do it in one handler, so that the child finds everything at once."""
    for word in ("one", "two"):
        parent.tell(child, Ping(text=word))
    parent.tell(child, PriorityPing(text="urgent"))
    parent.stop(child)


def test_a_stop_overtakes_the_mail_of_a_loop_actor(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    act = partial(ping_all_then_stop, child=parent.child("child"))
    system.start(partial(SampleParent, ("child", GatedRecorder), on_ping=act), "parent")
    system.tell(parent, Ping())
    root.expect(Observed(text="urgent"), ChildCancelled(child=parent.child("child")))
    assert system.dead_letter_count == 2


def test_a_draining_loop_actor_handles_its_mail_first(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    act = partial(ping_all_then_stop, child=parent.child("child"))
    system.start(partial(SampleParent, ("child", DrainingRecorder), on_ping=act), "parent")
    system.tell(parent, Ping())
    root.expect(*(Observed(text=word) for word in ("urgent", "one", "two")))
    root.expect(ChildCancelled(child=parent.child("child")))
    assert system.dead_letter_count == 0


def fill_then_stop(system: ActorSystem, busy: type[GatedActor]) -> Address:
    """Stop it while it is busy with its first message and others wait."""
    gate = ThreadGate()
    child = system.start(partial(busy, gate), "busy")
    system.tell(child, Ping(text="first"))
    gate.wait_until_reached()
    for word in ("second", "third"):
        system.tell(child, Ping(text=word))
    system.tell(child, PriorityPing(text="urgent"))
    system.stop_child(child)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # so the stop has been posted
    gate.open()
    return child


def test_a_stop_overtakes_the_mail_of_a_thread_actor(system: ActorSystem, root: Probe) -> None:
    child = fill_then_stop(system, GatedActor)
    root.expect(Observed(text="first"), Observed(text="urgent"), ChildCancelled(child=child))
    assert system.dead_letter_count == 2


def test_a_draining_thread_actor_handles_its_mail_first(system: ActorSystem, root: Probe) -> None:
    child = fill_then_stop(system, DrainingGatedActor)
    root.expect(*(Observed(text=word) for word in ("first", "urgent", "second", "third")))
    root.expect(ChildCancelled(child=child))
    assert system.dead_letter_count == 0


def test_a_long_mail_does_not_keep_the_others_waiting(system: ActorSystem, root: Probe) -> None:
    """Both are flooded in one turn; after a batch of the first the second has its own."""

    def flood(parent: SampleParent) -> None:
        for name in ("a", "b"):
            for number in range(100):
                parent.tell(parent.address.child(name), Ping(text=f"{name}{number}"))

    parent = partial(SampleParent, ("a", GatedRecorder), ("b", GatedRecorder), on_ping=flood)
    system.tell(system.start(parent, "parent"), Ping())
    heard = [root.expect_kind(Observed).text for _ in range(200)]
    assert heard.index("b0") < heard.index("a99")
    for name in ("a", "b"):
        assert [word for word in heard if word[0] == name] == [f"{name}{n}" for n in range(100)]


@pytest.mark.usefixtures("fast_thread_switching")
@pytest.mark.parametrize("handled", [1, 10, 300])
def test_no_letter_is_lost_or_counted_twice_when_a_thread_actor_ends(
    system: ActorSystem, root: Probe, handled: int
) -> None:
    """Several threads tell while it closes: each letter is handled or a dead letter."""
    child = system.start(CountingActor, "counting")
    ready = threading.Barrier(SENDERS)

    def send() -> None:
        ready.wait(PROBE_TIMEOUT_S)
        for _ in range(MESSAGES_PER_SENDER):
            system.tell(child, Ping(text=str(handled)))

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(PROBE_TIMEOUT_S)
    root.expect(ChildCompleted(child=child))
    assert system.dead_letter_count == SENDERS * MESSAGES_PER_SENDER - handled
