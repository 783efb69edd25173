"""`tell` and `ask`: delivery, dead letters, and unexpected messages."""

import logging
import queue
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from actors.runtime.actor import Actor, UnexpectedMessageError
from actors.runtime.reply_slot import ReplySlot
from actors.runtime.system import ActorSystem, EmptyRoot
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildCompleted, ChildEnded, ChildFailed
from messages.envelope import Envelope
from tests.actors.runtime.sample_actors import Echo, EchoOnThread, Observed, Ping, PriorityPing
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick

UNKNOWN_ADDRESS = Address("/unknown")
each_echo = pytest.mark.parametrize("echo", [Echo, EchoOnThread])


class Router(Actor[Ping | Observed]):
    """Forwards pings to an actor, and its replies to the root."""

    def __init__(self, to: Address) -> None:
        self._to = to

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Ping():
                self.forward(self._to, message)
            case Observed():
                self.tell(ROOT, message)


class RouterOnThread(Router):
    dispatcher = "thread"


class ReportThenFinish(Actor[Ping]):
    """Sends one message and finishes."""

    def __init__(self, to: Address) -> None:
        self._to = to

    def on_receive(self, message: Ping) -> None:
        self.tell(self._to, Observed(text=message.text))
        self.finish()


class SilentFinisher(Actor[Ping]):
    """Finishes without sending a message."""

    def on_receive(self, message: Ping) -> None:
        self.finish(message.text)


class ReportRecorder(Actor[Observed]):
    """Records what it receives."""

    def __init__(self, received: "queue.SimpleQueue[str]") -> None:
        self._received = received

    def on_receive(self, message: Observed) -> None:
        self._received.put(message.text)


class SelfAskingActor(Actor[Ping]):
    """Asks itself in a handler, which only its own thread could answer."""

    def __init__(self, system: ActorSystem) -> None:
        self._system = system

    def on_receive(self, message: Ping) -> None:
        self._system.ask(self.address, message, PROBE_TIMEOUT_S)


def test_a_message_to_an_unknown_address_is_a_dead_letter(system: ActorSystem, root: Probe) -> None:
    sender = system.start(partial(ReportThenFinish, UNKNOWN_ADDRESS))
    system.tell(UNKNOWN_ADDRESS, Ping())
    system.tell(sender, Ping())
    root.expect(ChildCompleted(child=sender))
    assert system.dead_letter_count == 2


def test_a_dead_letter_is_logged_without_its_content(
    system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    system.tell(ROOT.child("unknown"), Ping(text="not logged"))
    assert caplog.messages == []
    with caplog.at_level(logging.DEBUG, "greenroom"):
        system.tell(ROOT.child("unknown"), Ping(text="a secret"))
        assert system.stop()
    dead_letter, summary = (message for message in caplog.messages if "dead" in message)
    assert dead_letter == "dead letter: Ping from / to /unknown"
    assert summary == "stopped: 2 dead letters, 0 abandoned"


def test_an_unexpected_message_raises_in_the_sender(system: ActorSystem, root: Probe) -> None:
    echo = system.start(Echo)
    with pytest.raises(UnexpectedMessageError, match="/echo-1 does not receive PriorityPing"):
        system.tell(echo, PriorityPing())
    assert system.ask(echo, Ping(text="still running"), PROBE_TIMEOUT_S) == Observed(
        text="still running"
    )
    root.expect_nothing_more()


def test_an_actor_that_sends_an_unexpected_message_fails(system: ActorSystem, root: Probe) -> None:
    echo = system.start(Echo)
    sender = system.start(partial(ReportThenFinish, echo))
    system.tell(sender, Ping())
    detail = f"UnexpectedMessageError: {echo} does not receive Observed"
    root.expect(ChildFailed(child=sender, cause="crash", detail=detail))
    assert system.ask(echo, Ping(text="still running"), PROBE_TIMEOUT_S) == Observed(
        text="still running"
    )


def test_a_message_after_the_stop_is_a_dead_letter() -> None:
    system = ActorSystem()
    echo = system.start(Echo)
    assert system.stop()
    system.tell(echo, Ping())
    system.tell(ROOT, Ping())
    assert system.dead_letter_count == 2


def test_only_the_first_end_of_the_root_is_reported() -> None:
    """It may end normally at the moment when it is abandoned."""
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    system = ActorSystem()
    system.add_end_callback(ends.put)
    completed = ChildCompleted(child=ROOT, result="done")
    for end in (completed, ChildFailed(child=ROOT, cause="unresponsive", detail="")):
        vars(system)["_registry"].on_root_ended(end)
    system.stop()
    assert ends.get_nowait() == completed
    assert ends.empty()


def test_starting_an_actor_after_the_roots_end_fails() -> None:
    class FinishingRoot(EmptyRoot):
        def on_start(self) -> None:
            self.finish()

    system = ActorSystem(FinishingRoot)
    assert system.wait(PROBE_TIMEOUT_S)
    with pytest.raises(RuntimeError, match="has ended"):
        system.start(Echo)
    assert system.stop()


def test_starting_an_actor_after_the_stop_fails() -> None:
    system = ActorSystem()
    assert system.stop()
    with pytest.raises(RuntimeError, match="has ended"):
        system.start(Echo)


@each_echo
@pytest.mark.parametrize("router", [Router, RouterOnThread])
def test_forwarding_keeps_the_original_sender(
    system: ActorSystem, peer: Probe, router: type[Router], echo: type[Echo]
) -> None:
    address = system.start(partial(router, system.start(echo)))
    peer.tell(address, Ping(text="round trip"))
    peer.expect(Observed(text="round trip"))


def test_the_receiver_sees_the_sender(system: ActorSystem, peer: Probe) -> None:
    other = start_probe(system, "other")
    other.tell(peer.address, Ping())
    system.tell(peer.address, Ping())
    assert [peer.next_from() for _ in range(2)] == [(other.address, Ping()), (ROOT, Ping())]


def test_messages_from_many_threads_keep_each_threads_order(
    system: ActorSystem,
) -> None:
    """The threads share wakeups of the event loop."""
    thread_count, message_count = 4, 500
    received: queue.SimpleQueue[str] = queue.SimpleQueue()
    recorder = system.start(partial(ReportRecorder, received))

    def send(name: int) -> None:
        for number in range(message_count):
            system.tell(recorder, Observed(text=f"{name} {number}"))

    with ThreadPoolExecutor(thread_count) as pool:
        list(pool.map(send, range(thread_count)))
    texts = [received.get(timeout=PROBE_TIMEOUT_S) for _ in range(thread_count * message_count)]
    for name in range(thread_count):
        own = [text for text in texts if text.startswith(f"{name} ")]
        assert own == [f"{name} {number}" for number in range(message_count)]


@each_echo
def test_ask_returns_the_reply_of_the_actor(system: ActorSystem, echo: type[Echo]) -> None:
    receiver = system.start(echo)
    replies = [system.ask(receiver, Ping(text=text), PROBE_TIMEOUT_S) for text in ("a", "b")]
    assert replies == [Observed(text="a"), Observed(text="b")]


def test_a_second_reply_is_a_dead_letter() -> None:
    slot = ReplySlot()
    first, second = (
        Envelope(UNKNOWN_ADDRESS, ROOT, Observed(text=text)) for text in ("first", "second")
    )
    assert slot.post(first)
    assert not slot.post(second)
    assert slot.reply.result(0) == Observed(text="first")


def test_a_missing_reply_raises_a_timeout(system: ActorSystem, peer: Probe) -> None:
    with pytest.raises(TimeoutError):
        system.ask(peer.address, Ping(), timeout_s=0.01)
    requester, message = peer.next_from()
    assert message == Ping()
    assert requester not in system.addresses


def test_a_late_reply_is_a_dead_letter(system: ActorSystem, peer: Probe) -> None:
    with pytest.raises(TimeoutError):
        system.ask(peer.address, Ping(), timeout_s=0.01)
    requester, _ = peer.next_from()
    peer.tell(requester, Observed(text="too late"))
    assert system.dead_letter_count == 1


def test_an_ask_on_the_event_loop_fails_at_once(system: ActorSystem, root: Probe) -> None:
    child = system.start(partial(SelfAskingActor, system))
    system.tell(child, Ping())
    detail = "RuntimeError: the event loop cannot wait for itself"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_end_callbacks_get_the_roots_end() -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    system = ActorSystem(SilentFinisher)

    def fail(_: ChildEnded) -> None:
        raise SystemExit

    system.add_end_callback(fail)
    system.add_end_callback(ends.put)
    system.tell(ROOT, Ping(text="done"))
    assert ends.get(timeout=PROBE_TIMEOUT_S) == ChildCompleted(child=ROOT, result="done")
    assert system.wait(PROBE_TIMEOUT_S)
    system.add_end_callback(ends.put)
    assert ends.get_nowait() == ChildCompleted(child=ROOT, result="done")
    assert system.stop()
    assert ends.empty()


def test_the_root_must_run_on_the_event_loop() -> None:
    with pytest.raises(TypeError, match="loop actor"):
        ActorSystem(EchoOnThread)
