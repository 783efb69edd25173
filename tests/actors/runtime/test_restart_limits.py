"""When a crash is the end after all, and what is not tried again."""

from functools import partial

import pytest

from actors.runtime.supervision import MAX_CRASHES_PER_MESSAGE, Restart
from actors.runtime.system import ActorSystem
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.supervision import Undelivered
from tests.actors.runtime.crashing_actor import (
    MANY_RESTARTS,
    ONE_RESTART,
    CrashingActor,
    CrashingActorOnThread,
    MakeCrashingActor,
    on_each_dispatcher,
    start_crashing_actor,
)
from tests.actors.runtime.sample_actors import (
    Echo,
    Observed,
    Ping,
    PriorityPing,
    ThreadGate,
    TrackedPing,
)
from tests.probe import Probe

pytestmark = pytest.mark.quick


@on_each_dispatcher
def test_without_a_budget_a_crash_is_the_end(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    child = system.start(phoenix)
    system.tell(child, Ping(text="crash"))
    root.expect(
        Observed(text="life 1"),
        ChildFailed(child=child, cause="crash", detail="RuntimeError: crash"),
    )
    root.expect_nothing_more()


@on_each_dispatcher
def test_when_the_budget_is_spent_the_parent_hears_of_one_failure_and_the_mail_bounces(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakeCrashingActor
) -> None:
    gate = ThreadGate()
    child = start_crashing_actor(system, root, partial(phoenix, gate), ONE_RESTART)
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="life 2"))
    if phoenix is CrashingActorOnThread:  # else the test could not put mail behind it
        system.tell(child, Ping(text="crash at the gate"))
        gate.wait_until_reached()
    else:
        system.tell(child, Ping(text="crash"))
    peer.tell(child, TrackedPing(text="waits"))
    peer.tell(child, Ping(text="nobody asks for it back"))
    gate.open()
    assert root.expect_kind(ChildFailed).cause == "crash"
    peer.expect(Undelivered(to=child, message=TrackedPing(text="waits"), reason="ended"))
    peer.expect_nothing_more()
    root.expect_nothing_more()


@on_each_dispatcher
def test_only_a_crash_restarts(
    system: ActorSystem, root: Probe, phoenix: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, phoenix)
    system.tell(child, Ping(text="finish"))
    root.expect(ChildCompleted(child=child, result="finish"))
    child = start_crashing_actor(system, root, phoenix)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_a_crash_outweighs_a_finish_of_the_same_handler_and_restarts(
    system: ActorSystem, root: Probe
) -> None:
    child = start_crashing_actor(system, root, CrashingActor)
    system.tell(child, Ping(text="finish and crash"))
    root.expect(Observed(text="life 2"))
    system.tell(child, Ping(text="well?"))
    root.expect(Observed(text="well? 1 in life 2"))


class FailingToStart(CrashingActor):
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
    child = start_crashing_actor(system, root, partial(FailingToStart, 4))
    system.tell(child, Ping(text="crash"))
    system.tell(child, Ping(text="waited"))
    root.expect(Observed(text="life 4"), Observed(text="waited 1 in life 4"))


def test_when_no_restart_succeeds_it_is_a_crash_and_not_a_failed_start(
    system: ActorSystem, root: Probe
) -> None:
    child = start_crashing_actor(system, root, partial(FailingToStart, 9), Restart(3, 3600.0, 0.0))
    system.tell(child, Ping(text="crash"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: 4"))
    root.expect_nothing_more()


def test_a_first_start_that_fails_is_not_tried_again(system: ActorSystem, root: Probe) -> None:
    class Stillborn(Echo):
        def on_start(self) -> None:
            raise RuntimeError

    child = system.start(Stillborn, restart=MANY_RESTARTS)
    root.expect(ChildFailed(child=child, cause="start", detail="RuntimeError"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_what_was_in_hand_comes_back_as_crashed_and_is_not_retried(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, phoenix)
    peer.tell(child, TrackedPing(text="crash"))
    peer.expect(Undelivered(to=child, message=TrackedPing(text="crash"), reason="crashed"))
    root.expect(Observed(text="life 2"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_poison_is_set_aside_after_enough_crashes_and_only_the_poison(
    system: ActorSystem,
    root: Probe,
    peer: Probe,
    caplog: pytest.LogCaptureFixture,
    phoenix: MakeCrashingActor,
) -> None:
    child = start_crashing_actor(system, root, phoenix)
    poison = TrackedPing(text="crash")
    for life in range(2, MAX_CRASHES_PER_MESSAGE + 2):
        peer.tell(child, poison)
        peer.expect(Undelivered(to=child, message=poison, reason="crashed"))
        root.expect(Observed(text=f"life {life}"))
    peer.tell(child, poison)
    peer.tell(child, TrackedPing(text="food"))
    peer.expect(Undelivered(to=child, message=poison, reason="quarantined"))
    root.expect(Observed(text=f"food 1 in life {MAX_CRASHES_PER_MESSAGE + 1}"))
    root.expect_nothing_more()
    assert system.dead_letter_count == 1
    description = f"TrackedPing from {peer.address} to {child}"
    report = f"quarantined after {MAX_CRASHES_PER_MESSAGE} crashes: {description}"
    assert [each for each in caplog.messages if "quarantined" in each] == [report]


class CrashingOnScript(CrashingActor):
    """Takes every other message badly, over all its lives."""

    def __init__(self, moods: list[str]) -> None:
        super().__init__()
        self._moods = moods

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        if self._moods.pop() == "bad":
            raise RuntimeError
        super().on_receive(message)


def test_what_was_handled_well_between_is_no_poison(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    child = start_crashing_actor(
        system, root, partial(CrashingOnScript, ["good", "bad"] * (MAX_CRASHES_PER_MESSAGE + 1))
    )
    food = TrackedPing(text="food")
    for life in range(2, MAX_CRASHES_PER_MESSAGE + 3):
        peer.tell(child, food)
        peer.expect(Undelivered(to=child, message=food, reason="crashed"))
        peer.tell(child, food)
        root.expect(Observed(text=f"life {life}"), Observed(text=f"food 1 in life {life}"))


class SelfMessagingActor(CrashingActor):
    """Tells itself the same thing, over which it crashes."""

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        if isinstance(message, Ping):
            self.tell(self.address, Observed(text="crash"))
        else:
            super().on_receive(message)


def test_what_an_actor_tells_itself_is_never_set_aside(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, SelfMessagingActor)
    for life in range(2, MAX_CRASHES_PER_MESSAGE + 4):
        system.tell(child, Ping())
        root.expect(Observed(text=f"life {life}"))
