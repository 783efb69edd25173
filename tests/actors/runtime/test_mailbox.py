"""Priority messages overtake; all others keep their order."""

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


class PingReporter(Actor[Ping | PriorityPing]):
    """Reports each message to the root."""

    def on_receive(self, message: Ping | PriorityPing) -> None:
        self.tell(ROOT, Observed(text=message.text))


class DrainingReporter(PingReporter):
    drains_before_stop = True


class CountingActor(Actor[Ping]):
    """Finishes at the message whose number its text names."""

    dispatcher = "thread"

    def __init__(self) -> None:
        self._received_count = 0

    def on_receive(self, message: Ping) -> None:
        self._received_count += 1
        if self._received_count == int(message.text):
            self.finish()


@pytest.fixture
def fast_thread_switching() -> Iterator[None]:
    """Switch threads far more often than usual, so that races show."""
    default_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(default_s)


def make_envelope(message: Message) -> Envelope:
    return Envelope(ROOT, ROOT, message)


def test_priority_items_are_taken_first_in_order() -> None:
    mailbox = Mailbox()
    items = [
        make_envelope(Ping(text="a")),
        make_envelope(PriorityPing()),
        make_envelope(Ping(text="c")),
        make_envelope(PriorityPing()),
    ]
    for item in items:
        mailbox.add(item)
    taken = [mailbox.take() for _ in range(5)]
    assert taken == [items[1], items[3], items[0], items[2], None]


def test_clear_takes_all_remaining_items() -> None:
    mailbox = Mailbox()
    items: list[MailboxItem] = [StopCell(0.0, high_priority=True), make_envelope(Ping())]
    for item in reversed(items):
        mailbox.add(item)
    assert mailbox.clear() == items
    assert mailbox.clear() == []


def test_items_put_back_come_before_later_ones() -> None:
    mailbox = Mailbox()
    first = [
        make_envelope(PriorityPing(text="1")),
        make_envelope(Ping(text="a")),
        make_envelope(Ping(text="b")),
    ]
    later = [make_envelope(PriorityPing(text="2")), make_envelope(Ping(text="c"))]
    for item in later:
        mailbox.add(item)
    mailbox.put_back(first)
    assert mailbox.clear() == [first[0], later[0], *first[1:], later[1]]


def test_take_returns_none_if_another_thread_was_faster() -> None:
    class EmptiedLane(deque[MailboxItem]):
        def __bool__(self) -> bool:
            return True

    mailbox = Mailbox()
    setattr(mailbox, "_normal", EmptiedLane())  # noqa: B010  (a private attribute)
    assert mailbox.take() is None


@pytest.mark.usefixtures("fast_thread_switching")
def test_threads_that_clear_at_once_share_the_items() -> None:
    mailbox = Mailbox()
    for number in range(20_000):
        mailbox.add(make_envelope(PriorityPing() if number % 2 else Ping()))
    ready = threading.Barrier(SENDERS)

    def clear() -> int:
        ready.wait(PROBE_TIMEOUT_S)
        return len(mailbox.clear())

    with ThreadPoolExecutor(SENDERS) as pool:
        shares = [pool.submit(clear) for _ in range(SENDERS)]
    assert sum(share.result() for share in shares) == 20_000


def ping_all_then_stop(parent: SampleParent, child: Address) -> None:
    """Send everything in one handler, so that the child finds it all in its mailbox."""
    for text in ("one", "two"):
        parent.tell(child, Ping(text=text))
    parent.tell(child, PriorityPing(text="urgent"))
    parent.stop(child)


def test_a_stop_overtakes_messages_of_a_loop_actor(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    on_ping = partial(ping_all_then_stop, child=parent.child("child"))
    system.start(partial(SampleParent, ("child", PingReporter), on_ping=on_ping), "parent")
    system.tell(parent, Ping())
    root.expect(Observed(text="urgent"), ChildCancelled(child=parent.child("child")))
    assert system.dead_letter_count == 2


def test_a_draining_loop_actor_handles_its_messages_first(system: ActorSystem, root: Probe) -> None:
    parent = Address("/parent")
    on_ping = partial(ping_all_then_stop, child=parent.child("child"))
    system.start(partial(SampleParent, ("child", DrainingReporter), on_ping=on_ping), "parent")
    system.tell(parent, Ping())
    root.expect(*(Observed(text=text) for text in ("urgent", "one", "two")))
    root.expect(ChildCancelled(child=parent.child("child")))
    assert system.dead_letter_count == 0


def fill_then_stop(system: ActorSystem, actor_class: type[GatedActor]) -> Address:
    """Stop an actor while it handles its first message and others wait."""
    gate = ThreadGate()
    child = system.start(partial(actor_class, gate), "busy")
    system.tell(child, Ping(text="first"))
    gate.wait_until_reached()
    for text in ("second", "third"):
        system.tell(child, Ping(text=text))
    system.tell(child, PriorityPing(text="urgent"))
    system.stop_child(child)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # the stop is posted by now
    gate.open()
    return child


def test_a_stop_overtakes_messages_of_a_thread_actor(system: ActorSystem, root: Probe) -> None:
    child = fill_then_stop(system, GatedActor)
    root.expect(Observed(text="first"), Observed(text="urgent"), ChildCancelled(child=child))
    assert system.dead_letter_count == 2


def test_a_draining_thread_actor_handles_its_messages_first(
    system: ActorSystem, root: Probe
) -> None:
    child = fill_then_stop(system, DrainingGatedActor)
    root.expect(*(Observed(text=text) for text in ("first", "urgent", "second", "third")))
    root.expect(ChildCancelled(child=child))
    assert system.dead_letter_count == 0


def test_a_full_mailbox_does_not_starve_other_actors(system: ActorSystem, root: Probe) -> None:
    """Both are flooded in one handler; the second runs after one batch of the first."""

    def flood(parent: SampleParent) -> None:
        for name in ("a", "b"):
            for number in range(100):
                parent.tell(parent.address.child(name), Ping(text=f"{name}{number}"))

    parent = partial(SampleParent, ("a", PingReporter), ("b", PingReporter), on_ping=flood)
    system.tell(system.start(parent, "parent"), Ping())
    received = [root.expect_kind(Observed).text for _ in range(200)]
    assert received.index("b0") < received.index("a99")
    for name in ("a", "b"):
        assert [text for text in received if text[0] == name] == [f"{name}{n}" for n in range(100)]


@pytest.mark.usefixtures("fast_thread_switching")
@pytest.mark.parametrize("handled_count", [1, 10, 300])
def test_no_message_is_lost_when_a_thread_actor_ends(
    system: ActorSystem, root: Probe, handled_count: int
) -> None:
    """Several threads send while it closes: each message is handled or a dead letter."""
    child = system.start(CountingActor, "counting")
    ready = threading.Barrier(SENDERS)

    def send() -> None:
        ready.wait(PROBE_TIMEOUT_S)
        for _ in range(MESSAGES_PER_SENDER):
            system.tell(child, Ping(text=str(handled_count)))

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(PROBE_TIMEOUT_S)
    root.expect(ChildCompleted(child=child))
    assert system.dead_letter_count == SENDERS * MESSAGES_PER_SENDER - handled_count
