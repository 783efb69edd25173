"""The eleven traps of pykka, in the order of its list: each shown there where that is cheap, and
shown not to be ours. What a test of another module proves in full is proved here once, plainly.
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
    """Wants an answer, and to know when there will be none."""

    notify_undelivered: ClassVar[bool] = True
    text: str = ""


class AnsweringActor(Actor[TrackedQuestion | Ping]):
    """Answers, crashes or raises what ends programs, as it is told."""

    def __init__(self, left: "queue.SimpleQueue[str] | None" = None) -> None:
        self._left = left

    def on_receive(self, message: TrackedQuestion | Ping) -> None:
        if message.text == "crash":
            raise ValueError(message.text)
        if message.text == "exit":
            raise SystemExit
        self.tell(self.sender, Observed(text=message.text))

    def on_stop(self) -> None:
        if self._left is not None:
            self._left.put("cleaned up")


class StockPykkaActor(pykka.ThreadingActor):
    """Stock pykka, to show that the trap is there."""

    use_daemon_thread = True

    def __init__(self, left: "queue.SimpleQueue[str]", *, stillborn: bool = False) -> None:
        super().__init__()
        self._left = left
        self._stillborn = stillborn

    def on_start(self) -> None:
        if self._stillborn:
            raise ValueError

    def on_receive(self, message: str) -> str:
        if message == "crash":
            raise ValueError(message)
        return message

    def on_stop(self) -> None:
        self._left.put("on_stop")

    def on_failure(
        self,
        exception_type: type[BaseException] | None,  # noqa: ARG002  (pykka's signature)
        exception_value: BaseException | None,  # noqa: ARG002  (as above)
        traceback: TracebackType | None,  # noqa: ARG002  (as above)
    ) -> None:
        self._left.put("on_failure")


def test_an_ask_in_a_race_with_a_stop_is_answered_or_comes_back(
    system: ActorSystem, root: Probe
) -> None:
    """1. pykka checks that the actor lives, then puts: in between it may end without a trace."""
    rounds = 200
    for number in range(rounds):
        asked = system.start(AnsweringActor, f"asked-{number}")
        stopping = threading.Thread(target=system.stop_child, args=(asked,))
        stopping.start()
        answer = system.ask(asked, TrackedQuestion(text="?"), PROBE_TIMEOUT_S)
        back = Undelivered(to=asked, message=TrackedQuestion(text="?"), reason="ended")
        assert answer in (Observed(text="?"), back)
        stopping.join(PROBE_TIMEOUT_S)
        root.expect(ChildCancelled(child=asked))


def test_an_answer_after_the_asker_gave_up_is_a_dead_letter_and_reaches_no_other_question(
    system: ActorSystem, peer: Probe
) -> None:
    """2. In pykka, too, what was asked is carried out later: so effects ask again, by id."""
    with pytest.raises(TimeoutError):
        system.ask(peer.address, TrackedQuestion(text="slow"), timeout_s=0.01)
    asker, _ = peer.next_from()
    peer.tell(asker, Observed(text="too late"))
    echo = system.start(AnsweringActor)
    assert system.ask(echo, TrackedQuestion(text="other"), PROBE_TIMEOUT_S) == Observed(
        text="other"
    )
    assert system.dead_letter_count == 1


def test_a_crash_is_the_parents_to_hear_whether_somebody_asked_or_told(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    """3. pykka gives the exception to the asker, and the actor lives on as if nothing had been."""
    left: queue.SimpleQueue[str] = queue.SimpleQueue()
    plain = StockPykkaActor.start(left)
    with pytest.raises(ValueError, match="crash"):
        plain.ask("crash", timeout=PROBE_TIMEOUT_S)
    assert plain.ask("still here", timeout=PROBE_TIMEOUT_S) == "still here"
    plain.stop(timeout=PROBE_TIMEOUT_S)

    for said in (TrackedQuestion(text="crash"), Ping(text="crash")):
        child = system.start(AnsweringActor)
        peer.tell(child, said)
        root.expect(ChildFailed(child=child, cause="crash", detail="ValueError: crash"))
    peer.expect_kind(Undelivered)
    peer.expect_nothing_more()
    root.expect_nothing_more()


def test_a_crash_cleans_up(system: ActorSystem, root: Probe) -> None:
    """4. pykka calls `on_failure` alone when what was told crashes, and never `on_stop`."""
    left: queue.SimpleQueue[str] = queue.SimpleQueue()
    plain = StockPykkaActor.start(left)
    plain.tell("crash")
    assert left.get(timeout=PROBE_TIMEOUT_S) == "on_failure"
    assert left.empty()

    child = system.start(partial(AnsweringActor, left))
    system.tell(child, Ping(text="crash"))
    root.expect_kind(ChildFailed)
    assert left.get_nowait() == "cleaned up"


@pytest.mark.parametrize("restart", [NO_RESTART, Restart(limit=1, window_s=60.0)])
def test_what_would_end_a_program_ends_one_actor_and_its_asker_hears(
    system: ActorSystem, root: Probe, restart: Restart
) -> None:
    """5. pykka stops all actors of the process, and the asker waits for ever."""
    sibling = system.start(Echo)
    child = system.start(AnsweringActor, restart=restart)
    answer = system.ask(child, TrackedQuestion(text="exit"), PROBE_TIMEOUT_S)
    reason: UndeliveredReason = "ended" if restart is NO_RESTART else "crashed"
    assert answer == Undelivered(to=child, message=TrackedQuestion(text="exit"), reason=reason)
    assert system.ask(sibling, Ping(text="well"), PROBE_TIMEOUT_S) == Observed(text="well")
    if restart is NO_RESTART:
        root.expect(ChildFailed(child=child, cause="crash", detail="SystemExit"))
    root.expect_nothing_more()


def test_a_failed_start_is_told_by_its_own_name(system: ActorSystem, root: Probe) -> None:
    """6. pykka has returned a reference by then, to an actor of which nothing more is heard."""
    left: queue.SimpleQueue[str] = queue.SimpleQueue()
    plain = StockPykkaActor.start(left, stillborn=True)
    plain.actor_stopped.wait(PROBE_TIMEOUT_S)
    assert left.empty()

    class Stillborn(Echo):
        def on_start(self) -> None:
            raise ValueError

    child = system.start(Stillborn)
    root.expect(ChildFailed(child=child, cause="start", detail="ValueError"))
    root.expect_nothing_more()


def test_a_failed_start_a_crash_a_stop_and_an_orderly_end_are_four_messages(
    system: ActorSystem, root: Probe
) -> None:
    """6, too: one of them, and one only, for each child."""

    class Stillborn(Echo):
        def on_start(self) -> None:
            raise ValueError

    failed = system.start(Stillborn)
    crashed, finished, stopped = (system.start(each) for each in (AnsweringActor, Finisher, Echo))
    system.tell(crashed, Ping(text="crash"))
    system.tell(finished, Ping(text="42"))
    system.stop_child(stopped)
    heard = [root.next() for _ in range(5)]
    assert ChildFailed(child=failed, cause="start", detail="ValueError") in heard
    assert ChildFailed(child=crashed, cause="crash", detail="ValueError: crash") in heard
    assert ChildCompleted(child=finished, result="42") in heard
    assert ChildCancelled(child=stopped) in heard
    assert Observed(text="last words") in heard
    root.expect_nothing_more()


def test_stop_and_cancel_overtake_the_mail(system: ActorSystem, root: Probe) -> None:
    """7. In pykka a stop waits behind all that was told before; so would a cancel."""
    gate = ThreadGate()
    busy = system.start(partial(GatedActor, gate))
    system.tell(busy, Ping(text="in hand"))
    gate.wait_until_reached()
    system.tell(busy, Ping(text="waits"))
    system.tell(busy, PriorityPing(text="cancel"))
    system.stop_child(busy)
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)  # so the stop has been posted
    gate.open()
    root.expect(Observed(text="in hand"), Observed(text="cancel"), ChildCancelled(child=busy))
    assert system.dead_letter_count == 1


def test_an_end_is_told_after_the_clean_up(system: ActorSystem, root: Probe) -> None:
    """8. pykka's actor counts as dead while its `on_stop` still runs."""
    gate = ThreadGate()

    class Leaving(GatedActor):
        def on_stop(self) -> None:
            self._gate.wait_until_open()
            super().on_stop()

    child = system.start(partial(Leaving, gate))
    system.stop_child(child)
    gate.wait_until_reached()
    root.expect_nothing_more()
    assert child in system.addresses
    gate.open()
    root.expect(ChildCancelled(child=child))
    assert gate.recorded.get_nowait() == "stopped"


def test_a_whole_tree_ends_within_its_own_deadline_and_pykkas_registry_knows_none_of_it(
    system: ActorSystem, root: Probe
) -> None:
    """9. pykka's `stop_all` blocks without a deadline, and knows no children."""
    parent = system.start(
        partial(SampleParent, ("child", partial(SampleParent, ("grandchild", Echo))))
    )
    assert pykka.ActorRegistry.get_all() == []
    system.stop_child(parent, timeout_s=3600)
    root.expect(ChildCancelled(child=parent))
    assert [each for each in system.addresses if each.is_under(parent)] == []


def test_who_asks_itself_is_refused_instead_of_waiting_for_ever(
    system: ActorSystem, root: Probe
) -> None:
    """10. In pykka it is a deadlock, and so is a circle of asks."""

    class Introvert(Actor[Ping]):
        def on_receive(self, message: Ping) -> None:
            system.ask(self.address, message, PROBE_TIMEOUT_S)

    child = system.start(Introvert)
    system.tell(child, Ping())
    detail = "RuntimeError: the event loop cannot wait for itself"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_no_thread_of_ours_can_hold_the_process(system: ActorSystem, root: Probe) -> None:
    """11. pykka's threads are none that the interpreter leaves behind, so one holds the process."""
    assert not pykka.ThreadingActor.use_daemon_thread
    release: Future[None] = Future()

    async def blocking(say: object) -> Observed:
        assert callable(say)
        say(Observed(text="at work"))
        return await _in_a_thread(release)

    gate = ThreadGate()
    stuck = system.start(partial(GatedActor, gate))
    system.tell(stuck, Ping())
    gate.wait_until_reached()
    worker = system.start(partial(JobRunner, blocking))
    system.tell(worker, Ping())
    root.expect(Observed(text="at work"))
    ours = [each for each in threading.enumerate() if each.name.startswith("greenroom")]
    assert len(ours) >= 3
    assert all(each.daemon for each in ours)
    system.stop_child(worker, timeout_s=3600)
    root.expect(ChildCancelled(child=worker))  # and it did not wait for what blocks
    gate.open()
    release.set_result(None)
    root.expect_kind(Observed)


async def _in_a_thread(release: "Future[None]") -> Observed:
    await asyncio.to_thread(release.result)
    return Observed(text="never")
