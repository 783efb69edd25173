"""Telling: what arrives, what is a dead letter, and whose fault an unexpected message is."""

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

UNKNOWN_ADDRESS = Address("/nobody")
echoes = pytest.mark.parametrize("echo", [Echo, EchoOnThread])


class Router(Actor[Ping | Observed]):
    """Passes on to another, and what comes back to the root."""

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
    """Says something to somebody and ends."""

    def __init__(self, to: Address) -> None:
        self._to = to

    def on_receive(self, message: Ping) -> None:
        self.tell(self._to, Observed(text=message.text))
        self.finish()


class SilentFinisher(Actor[Ping]):
    """Ends without a word."""

    def on_receive(self, message: Ping) -> None:
        self.finish(message.text)


class ReportRecorder(Actor[Observed]):
    """Writes down what it hears."""

    def __init__(self, heard: "queue.SimpleQueue[str]") -> None:
        self._heard = heard

    def on_receive(self, message: Observed) -> None:
        self._heard.put(message.text)


class SelfAskingActor(Actor[Ping]):
    """Waits in a handler for what only its own thread can bring."""

    def __init__(self, system: ActorSystem) -> None:
        self._system = system

    def on_receive(self, message: Ping) -> None:
        self._system.ask(self.address, message, PROBE_TIMEOUT_S)


def test_a_message_for_nobody_is_a_counted_dead_letter(system: ActorSystem, root: Probe) -> None:
    speaker = system.start(partial(ReportThenFinish, UNKNOWN_ADDRESS))
    system.tell(UNKNOWN_ADDRESS, Ping())
    system.tell(speaker, Ping())
    root.expect(ChildCompleted(child=speaker))
    assert system.dead_letter_count == 2


def test_a_dead_letter_is_in_the_log_for_whoever_wants_it_without_what_it_says(
    system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    system.tell(ROOT.child("nobody"), Ping(text="not seen"))
    assert caplog.messages == []
    with caplog.at_level(logging.DEBUG, "greenroom"):
        system.tell(ROOT.child("nobody"), Ping(text="a secret"))
        assert system.stop()
    one, count = (each for each in caplog.messages if "dead" in each)
    assert one == "dead letter: Ping from / to /nobody"
    assert count == "stopped: 2 dead letters, 0 abandoned"


def test_an_unexpected_message_is_refused_to_the_sender(system: ActorSystem, root: Probe) -> None:
    echo = system.start(Echo)
    with pytest.raises(UnexpectedMessageError, match="/echo-1 does not receive PriorityPing"):
        system.tell(echo, PriorityPing())
    assert system.ask(echo, Ping(text="unharmed"), PROBE_TIMEOUT_S) == Observed(text="unharmed")
    root.expect_nothing_more()


def test_an_actor_that_says_what_its_peer_cannot_hear_is_the_one_that_fails(
    system: ActorSystem, root: Probe
) -> None:
    echo = system.start(Echo)
    speaker = system.start(partial(ReportThenFinish, echo))
    system.tell(speaker, Ping())
    detail = f"UnexpectedMessageError: {echo} does not receive Observed"
    root.expect(ChildFailed(child=speaker, cause="crash", detail=detail))
    assert system.ask(echo, Ping(text="unharmed"), PROBE_TIMEOUT_S) == Observed(text="unharmed")


def test_telling_after_everything_has_ended_is_a_dead_letter() -> None:
    system = ActorSystem()
    echo = system.start(Echo)
    assert system.stop()
    system.tell(echo, Ping())
    system.tell(ROOT, Ping())
    assert system.dead_letter_count == 2


def test_of_two_ends_of_the_root_the_first_counts() -> None:
    """It may end by itself in the moment in which it is given up."""
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    system = ActorSystem()
    system.add_end_callback(ends.put)
    by_itself = ChildCompleted(child=ROOT, result="by itself")
    for end in (by_itself, ChildFailed(child=ROOT, cause="unresponsive", detail="")):
        vars(system)["_registry"].on_root_ended(end)
    system.stop()
    assert ends.get_nowait() == by_itself
    assert ends.empty()


def test_starting_below_a_root_that_has_ended_by_itself_is_refused() -> None:
    class Brief(EmptyRoot):
        def on_start(self) -> None:
            self.finish()

    system = ActorSystem(Brief)
    assert system.wait(PROBE_TIMEOUT_S)
    with pytest.raises(RuntimeError, match="has ended"):
        system.start(Echo)
    assert system.stop()


def test_starting_after_everything_has_ended_is_refused() -> None:
    system = ActorSystem()
    assert system.stop()
    with pytest.raises(RuntimeError, match="has ended"):
        system.start(Echo)


@echoes
@pytest.mark.parametrize("router", [Router, RouterOnThread])
def test_forwarding_keeps_the_sender(
    system: ActorSystem, peer: Probe, router: type[Router], echo: type[Echo]
) -> None:
    way = system.start(partial(router, system.start(echo)))
    peer.tell(way, Ping(text="round trip"))
    peer.expect(Observed(text="round trip"))


def test_the_receiver_sees_who_speaks(system: ActorSystem, peer: Probe) -> None:
    other = start_probe(system, "other")
    other.tell(peer.address, Ping())
    system.tell(peer.address, Ping())
    assert [peer.next_from() for _ in range(2)] == [(other.address, Ping()), (ROOT, Ping())]


def test_what_many_threads_say_at_once_arrives_and_in_the_order_of_each(
    system: ActorSystem,
) -> None:
    """They wake the event loop once for all that is there by then."""
    threads, each_says = 4, 500
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    listener = system.start(partial(ReportRecorder, heard))

    def speak(name: int) -> None:
        for number in range(each_says):
            system.tell(listener, Observed(text=f"{name} {number}"))

    with ThreadPoolExecutor(threads) as speakers:
        list(speakers.map(speak, range(threads)))
    arrived = [heard.get(timeout=PROBE_TIMEOUT_S) for _ in range(threads * each_says)]
    for name in range(threads):
        own = [word for word in arrived if word.startswith(f"{name} ")]
        assert own == [f"{name} {number}" for number in range(each_says)]


@echoes
def test_asking_brings_the_answer(system: ActorSystem, echo: type[Echo]) -> None:
    asked = system.start(echo)
    answers = [system.ask(asked, Ping(text=word), PROBE_TIMEOUT_S) for word in ("a", "b")]
    assert answers == [Observed(text="a"), Observed(text="b")]


def test_a_second_answer_is_a_dead_letter_and_no_fault_of_whoever_sends_it() -> None:
    mailbox = ReplySlot()
    first, second = (
        Envelope(UNKNOWN_ADDRESS, ROOT, Observed(text=word)) for word in ("first", "second")
    )
    assert mailbox.post(first)
    assert not mailbox.post(second)
    assert mailbox.reply.result(0) == Observed(text="first")


def test_an_answer_that_never_comes_is_a_timeout(system: ActorSystem, peer: Probe) -> None:
    with pytest.raises(TimeoutError):
        system.ask(peer.address, Ping(), timeout_s=0.01)
    asker, message = peer.next_from()
    assert message == Ping()
    assert asker not in system.addresses


def test_an_answer_that_comes_too_late_is_a_dead_letter(system: ActorSystem, peer: Probe) -> None:
    with pytest.raises(TimeoutError):
        system.ask(peer.address, Ping(), timeout_s=0.01)
    asker, _ = peer.next_from()
    peer.tell(asker, Observed(text="sorry"))
    assert system.dead_letter_count == 1


def test_a_handler_that_asks_fails_instead_of_waiting_for_itself(
    system: ActorSystem, root: Probe
) -> None:
    child = system.start(partial(SelfAskingActor, system))
    system.tell(child, Ping())
    detail = "RuntimeError: the event loop cannot wait for itself"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_the_end_is_told_to_whoever_wants_to_know() -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    system = ActorSystem(SilentFinisher)

    def fail(_: ChildEnded) -> None:
        raise SystemExit

    system.add_end_callback(fail)
    system.add_end_callback(ends.put)
    system.tell(ROOT, Ping(text="by itself"))
    assert ends.get(timeout=PROBE_TIMEOUT_S) == ChildCompleted(child=ROOT, result="by itself")
    assert system.wait(PROBE_TIMEOUT_S)
    system.add_end_callback(ends.put)
    assert ends.get_nowait() == ChildCompleted(child=ROOT, result="by itself")
    assert system.stop()
    assert ends.empty()


def test_the_root_cannot_live_on_a_thread_of_its_own() -> None:
    with pytest.raises(TypeError, match="loop actor"):
        ActorSystem(EchoOnThread)
