"""`EventLoopActor` beyond pykka's own tests, which `test_pykka_suite.py` runs."""

import contextlib
import queue
import threading
from collections.abc import Generator
from itertools import groupby
from typing import Any

import pykka
import pytest

from actors.runtime.event_loop import EventLoopThread
from actors.runtime.event_loop_actor import EventLoopActor
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick


class Calculator(EventLoopActor):
    """Does what its proxy calls, and records messages."""

    def __init__(self, records: "queue.SimpleQueue[Any] | None" = None) -> None:
        super().__init__()
        self._records: queue.SimpleQueue[Any] = records or queue.SimpleQueue()

    def double(self, number: int) -> int:
        return 2 * number

    def double_by(self, other: "pykka.ActorRef[Any]", number: int) -> int:
        reply: int = other.proxy().double(number).get()
        return reply

    def double_by_itself(self, number: int) -> int:
        return self.double_by(self.actor_ref, number)

    def thread_id(self) -> int:
        return threading.get_ident()

    def on_receive(self, message: object) -> object:
        self._records.put(message)
        if message == "exit":
            raise SystemExit
        return message

    def on_stop(self) -> None:
        self._records.put("stopped")


@pytest.fixture(autouse=True)
def _all_stopped() -> Generator[None]:
    yield
    pykka.ActorRegistry.stop_all(timeout=PROBE_TIMEOUT_S)


def test_two_actors_share_one_thread_started_on_demand() -> None:
    first, second = Calculator.start(), Calculator.start()
    reply = first.proxy().double_by(second, 21)
    assert reply.get(timeout=PROBE_TIMEOUT_S) == 42
    loops = [thread for thread in threading.enumerate() if thread.name == "greenroom-loop"]
    assert all(thread.daemon for thread in loops)


def test_an_actor_that_waits_for_itself_fails_at_once() -> None:
    """`ThreadingActor` waits forever."""
    calculator = Calculator.start().proxy()
    with pytest.raises(RuntimeError, match="cannot wait for its own reply"):
        calculator.double_by_itself(1).get(timeout=PROBE_TIMEOUT_S)
    assert calculator.double(2).get(timeout=PROBE_TIMEOUT_S) == 4


def test_two_actors_that_wait_for_each_other_fail_at_once() -> None:
    class AskingBack(Calculator):
        def double_by(self, other: "pykka.ActorRef[Any]", number: int) -> int:
            reply: int = other.proxy().double_by(self.actor_ref, number).get()
            return reply

    first, second = AskingBack.start(), AskingBack.start()
    with pytest.raises(RuntimeError, match="cannot wait for its own reply"):
        first.proxy().double_by(second, 1).get(timeout=PROBE_TIMEOUT_S)


def test_an_actor_is_started_before_it_is_asked_from_the_loop() -> None:
    class AskingAnUnstarted(Calculator):
        def double(self, number: int) -> int:
            return self.double_by(Calculator.start(), number)

    assert AskingAnUnstarted.start().proxy().double(3).get(timeout=PROBE_TIMEOUT_S) == 6


def test_messages_sent_before_the_start_wait_for_on_start() -> None:
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()

    class TellingItself(Calculator):
        def __init__(self) -> None:
            super().__init__(records)
            self.actor_ref.tell("early")

        def on_start(self) -> None:
            self._records.put("started")

    TellingItself.start().ask("late", timeout=PROBE_TIMEOUT_S)
    assert [records.get_nowait() for _ in range(3)] == ["started", "early", "late"]


def test_a_full_inbox_does_not_starve_other_actors() -> None:
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()
    gate = threading.Event()

    class Waiting(Calculator):
        def on_start(self) -> None:
            gate.wait(PROBE_TIMEOUT_S)

    first, second = Waiting.start(records), Calculator.start(records)
    for _ in range(3 * Calculator.batch_size):
        first.tell("first")
        second.tell("second")
    gate.set()
    for actor in (first, second):
        actor.stop(timeout=PROBE_TIMEOUT_S)
    order = [records.get_nowait() for _ in range(2 * 3 * Calculator.batch_size)]
    runs = [len(tuple(messages)) for _, messages in groupby(order)]
    assert max(runs) <= 2 * Calculator.batch_size


def test_every_ask_during_a_stop_is_answered_or_rejected() -> None:
    """pykka checks that the actor is alive, then puts; the actor may end in between."""
    for number in range(200):
        actor = Calculator.start()
        stopping = threading.Thread(target=actor.stop)
        stopping.start()
        with contextlib.suppress(pykka.ActorDeadError):
            assert actor.ask(number, timeout=PROBE_TIMEOUT_S) == number
        stopping.join(PROBE_TIMEOUT_S)


def test_no_message_is_lost_when_many_threads_tell() -> None:
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()
    actor = Calculator.start(records)

    def tell_many(sender: int) -> None:
        for number in range(500):
            actor.tell((sender, number))

    threads = [threading.Thread(target=tell_many, args=(sender,)) for sender in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PROBE_TIMEOUT_S)
    actor.stop(timeout=PROBE_TIMEOUT_S)
    received = [records.get_nowait() for _ in range(4 * 500)]
    for sender in range(4):
        assert [message for message in received if message[0] == sender] == [
            (sender, number) for number in range(500)
        ]


def test_system_exit_stops_all_actors_as_pykka_does() -> None:
    """pykka stops all actors one by one and waits for each, in this case on the loop's thread."""
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()
    others = [Calculator.start(records) for _ in range(3)]
    Calculator.start(records).tell("exit")
    for _ in others:
        assert records.get(timeout=PROBE_TIMEOUT_S)
    for other in others:
        other.actor_stopped.wait(PROBE_TIMEOUT_S)
    assert not any(other.is_alive() for other in others)


def test_an_actor_can_have_a_loop_of_its_own() -> None:
    own_loop = EventLoopThread()
    own_loop.start()

    class OnOwnLoop(Calculator):
        event_loop = own_loop

    actor, other = OnOwnLoop.start(), Calculator.start()
    assert actor.proxy().thread_id().get(timeout=PROBE_TIMEOUT_S) == own_loop.thread_id
    assert actor.proxy().double_by(other, 2).get(timeout=PROBE_TIMEOUT_S) == 4
    assert actor.stop(timeout=PROBE_TIMEOUT_S)
    own_loop.stop()


def test_a_start_on_an_ended_loop_leaves_a_dead_actor() -> None:
    ended_loop = EventLoopThread()
    ended_loop.start()
    ended_loop.stop()

    class OnEndedLoop(Calculator):
        event_loop = ended_loop

    actor = OnEndedLoop.start()
    with pytest.raises(pykka.ActorDeadError):
        actor.ask("anyone?", timeout=PROBE_TIMEOUT_S)
    assert pykka.ActorRegistry.get_all() == []
