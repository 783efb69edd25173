"""Eleven pitfalls of pykka, numbered: some are shown in pykka itself, all are absent here.

Other test modules cover most of them in detail; here each has one plain test.
"""

import asyncio
import queue
import threading
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import ClassVar

import pykka
import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import NO_RESTART, Restart
from actors.runtime.system import ActorSystem
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from messages.supervision import Undelivered, UndeliveredReason
from tests.actors.runtime.sample_actors import (
    Echo,
    Finisher,
    GatedActor,
    JobRunner,
    Observed,
    Ping,
    PriorityPing,
    SampleParent,
    ThreadGate,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick


class TrackedQuestion(Message):
    """A question that comes back if it is not handled."""

    notify_undelivered: ClassVar[bool] = True
    text: str = ""


class AnsweringActor(Actor[TrackedQuestion | Ping]):
    """Replies, crashes or raises `SystemExit`, depending on the text."""

    def __init__(self, events: "queue.SimpleQueue[str] | None" = None) -> None:
        self._events = events

    def on_receive(self, message: TrackedQuestion | Ping) -> None:
        if message.text == "crash":
            raise ValueError(message.text)
        if message.text == "exit":
            raise SystemExit
        self.tell(self.sender, Observed(text=message.text))

    def on_stop(self) -> None:
        if self._events is not None:
            self._events.put("cleaned up")


class StockPykkaActor(pykka.ThreadingActor):
    """A plain pykka actor that shows the pitfall."""

    use_daemon_thread = True

    def __init__(self, events: "queue.SimpleQueue[str]", *, fails_at_start: bool = False) -> None:
        super().__init__()
        self._events = events
        self._fails_at_start = fails_at_start

    def on_start(self) -> None:
        if self._fails_at_start:
            raise ValueError

    def on_receive(self, message: str) -> str:
        if message == "crash":
            raise ValueError(message)
        return message

    def on_stop(self) -> None:
        self._events.put("on_stop")

    def on_failure(
        self,
        exception_type: type[BaseException] | None,  # noqa: ARG002  (pykka's signature)
        exception_value: BaseException | None,  # noqa: ARG002  (as above)
        traceback: TracebackType | None,  # noqa: ARG002  (as above)
    ) -> None:
        self._events.put("on_failure")


def test_an_ask_during_a_stop_is_answered_or_returned(system: ActorSystem, root: Probe) -> None:
    """1. pykka checks that the actor is alive, then puts; it may end in between, unnoticed."""
    rounds = 200
    for number in range(rounds):
        child = system.start(AnsweringActor, f"child-{number}")
        stopping = threading.Thread(target=system.stop_child, args=(child,))
        stopping.start()
        reply = system.ask(child, TrackedQuestion(text="?"), PROBE_TIMEOUT_S)
        undelivered = Undelivered(to=child, message=TrackedQuestion(text="?"), reason="ended")
        assert reply in (Observed(text="?"), undelivered)
        stopping.join(PROBE_TIMEOUT_S)
        root.expect(ChildCancelled(child=child))


def test_a_late_reply_reaches_no_other_question(system: ActorSystem, peer: Probe) -> None:
    """2. In pykka, too, a request may run after its timeout; so retried requests carry an id."""
    with pytest.raises(TimeoutError):
        system.ask(peer.address, TrackedQuestion(text="slow"), timeout_s=0.01)
    requester, _ = peer.next_from()
    peer.tell(requester, Observed(text="too late"))
    echo = system.start(AnsweringActor)
    assert system.ask(echo, TrackedQuestion(text="other"), PROBE_TIMEOUT_S) == Observed(
        text="other"
    )
    assert system.dead_letter_count == 1


def test_a_crash_is_reported_to_the_parent(system: ActorSystem, root: Probe, peer: Probe) -> None:
    """3. pykka raises the exception in the requester, and the actor continues unchanged."""
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    pykka_actor = StockPykkaActor.start(events)
    with pytest.raises(ValueError, match="crash"):
        pykka_actor.ask("crash", timeout=PROBE_TIMEOUT_S)
    assert pykka_actor.ask("still running", timeout=PROBE_TIMEOUT_S) == "still running"
    pykka_actor.stop(timeout=PROBE_TIMEOUT_S)

    for message in (TrackedQuestion(text="crash"), Ping(text="crash")):
        child = system.start(AnsweringActor)
        peer.tell(child, message)
        root.expect(ChildFailed(child=child, cause="crash", detail="ValueError: crash"))
    peer.expect_kind(Undelivered)
    peer.expect_nothing_more()
    root.expect_nothing_more()


def test_a_crash_still_calls_on_stop(system: ActorSystem, root: Probe) -> None:
    """4. After a crash in `tell`, pykka calls only `on_failure`, never `on_stop`."""
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    pykka_actor = StockPykkaActor.start(events)
    pykka_actor.tell("crash")
    assert events.get(timeout=PROBE_TIMEOUT_S) == "on_failure"
    assert events.empty()

    child = system.start(partial(AnsweringActor, events))
    system.tell(child, Ping(text="crash"))
    root.expect_kind(ChildFailed)
    assert events.get_nowait() == "cleaned up"


@pytest.mark.parametrize("restart", [NO_RESTART, Restart(limit=1, window_s=60.0)])
def test_system_exit_ends_only_one_actor(
    system: ActorSystem, root: Probe, restart: Restart
) -> None:
    """5. pykka stops all actors of the process, and the requester waits forever."""
    sibling = system.start(Echo)
    child = system.start(AnsweringActor, restart=restart)
    reply = system.ask(child, TrackedQuestion(text="exit"), PROBE_TIMEOUT_S)
    reason: UndeliveredReason = "ended" if restart is NO_RESTART else "crashed"
    assert reply == Undelivered(to=child, message=TrackedQuestion(text="exit"), reason=reason)
    assert system.ask(sibling, Ping(text="well"), PROBE_TIMEOUT_S) == Observed(text="well")
    if restart is NO_RESTART:
        root.expect(ChildFailed(child=child, cause="crash", detail="SystemExit"))
    root.expect_nothing_more()


def test_a_failed_start_is_reported_to_the_parent(system: ActorSystem, root: Probe) -> None:
    """6. pykka has already returned a reference to an actor that never reports anything."""
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    pykka_actor = StockPykkaActor.start(events, fails_at_start=True)
    pykka_actor.actor_stopped.wait(PROBE_TIMEOUT_S)
    assert events.empty()

    class FailingToStart(Echo):
        def on_start(self) -> None:
            raise ValueError

    child = system.start(FailingToStart)
    root.expect(ChildFailed(child=child, cause="start", detail="ValueError"))
    root.expect_nothing_more()


def test_the_four_kinds_of_end_have_different_messages(system: ActorSystem, root: Probe) -> None:
    """6. Each child reports exactly one end."""

    class FailingToStart(Echo):
        def on_start(self) -> None:
            raise ValueError

    failed = system.start(FailingToStart)
    crashed, finished, stopped = (
        system.start(actor_class) for actor_class in (AnsweringActor, Finisher, Echo)
    )
    system.tell(crashed, Ping(text="crash"))
    system.tell(finished, Ping(text="42"))
    system.stop_child(stopped)
    received = [root.next() for _ in range(5)]
    assert ChildFailed(child=failed, cause="start", detail="ValueError") in received
    assert ChildFailed(child=crashed, cause="crash", detail="ValueError: crash") in received
    assert ChildCompleted(child=finished, result="42") in received
    assert ChildCancelled(child=stopped) in received
    assert Observed(text="last message") in received
    root.expect_nothing_more()


def test_stop_and_cancel_overtake_other_messages(system: ActorSystem, root: Probe) -> None:
    """7. In pykka, a stop waits behind all earlier messages; so would a cancel."""
    gate = ThreadGate()
    busy = system.start(partial(GatedActor, gate))
    system.tell(busy, Ping(text="current"))
    gate.wait_until_reached()
    system.tell(busy, Ping(text="waits"))
    system.tell(busy, PriorityPing(text="cancel"))
    system.stop_child(busy)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # the stop is posted by now
    gate.open()
    root.expect(Observed(text="current"), Observed(text="cancel"), ChildCancelled(child=busy))
    assert system.dead_letter_count == 1


def test_an_end_is_reported_after_on_stop(system: ActorSystem, root: Probe) -> None:
    """8. A pykka actor is dead while its `on_stop` still runs."""
    gate = ThreadGate()

    class SlowToStop(GatedActor):
        def on_stop(self) -> None:
            self._gate.wait_until_open()
            super().on_stop()

    child = system.start(partial(SlowToStop, gate))
    system.stop_child(child)
    gate.wait_until_reached()
    root.expect_nothing_more()
    assert child in system.addresses
    gate.open()
    root.expect(ChildCancelled(child=child))
    assert gate.recorded.get_nowait() == "stopped"


def test_a_subtree_stops_within_its_own_deadline(system: ActorSystem, root: Probe) -> None:
    """9. pykka's `stop_all` blocks without a deadline and knows no children."""
    parent = system.start(
        partial(SampleParent, ("child", partial(SampleParent, ("grandchild", Echo))))
    )
    assert pykka.ActorRegistry.get_all() == []
    system.stop_child(parent, timeout_s=3600)
    root.expect(ChildCancelled(child=parent))
    assert [address for address in system.addresses if address.is_under(parent)] == []


def test_an_actor_that_asks_itself_fails_at_once(system: ActorSystem, root: Probe) -> None:
    """10. In pykka this is a deadlock, and so is a cycle of asks."""

    class AskingItself(Actor[Ping]):
        def on_receive(self, message: Ping) -> None:
            system.ask(self.address, message, PROBE_TIMEOUT_S)

    child = system.start(AskingItself)
    system.tell(child, Ping())
    detail = "RuntimeError: the event loop cannot wait for itself"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_all_our_threads_are_daemon_threads(system: ActorSystem, root: Probe) -> None:
    """11. pykka's threads are not daemon threads, so a stuck one keeps the process alive."""
    assert not pykka.ThreadingActor.use_daemon_thread
    release: Future[None] = Future()

    async def blocking(send: object) -> Observed:
        assert callable(send)
        send(Observed(text="running"))
        return await _wait_in_thread(release)

    gate = ThreadGate()
    stuck = system.start(partial(GatedActor, gate))
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    worker = system.start(partial(JobRunner, blocking))
    system.tell(worker, Ping())
    root.expect(Observed(text="running"))
    our_threads = [
        thread for thread in threading.enumerate() if thread.name.startswith("greenroom")
    ]
    assert len(our_threads) >= 3
    assert all(thread.daemon for thread in our_threads)
    system.stop_child(worker, timeout_s=3600)
    root.expect(ChildCancelled(child=worker))  # without waiting for the blocking call
    gate.open()
    release.set_result(None)
    root.expect_kind(Observed)


async def _wait_in_thread(release: "Future[None]") -> Observed:
    await asyncio.to_thread(release.result)
    return Observed(text="never")
