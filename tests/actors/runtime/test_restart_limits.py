"""Limits of restarts: spent budgets, failed starts and quarantined messages."""

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
def test_a_crash_without_a_restart_budget_is_the_end(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    child = system.start(actor_class)
    system.tell(child, Ping(text="crash"))
    root.expect(
        Observed(text="incarnation 1"),
        ChildFailed(child=child, cause="crash", detail="RuntimeError: crash"),
    )
    root.expect_nothing_more()


@on_each_dispatcher
def test_a_spent_budget_ends_the_actor_and_returns_messages(
    system: ActorSystem, root: Probe, peer: Probe, actor_class: MakeCrashingActor
) -> None:
    gate = ThreadGate()
    child = start_crashing_actor(system, root, partial(actor_class, gate), ONE_RESTART)
    system.tell(child, Ping(text="crash"))
    root.expect(Observed(text="incarnation 2"))
    if actor_class is CrashingActorOnThread:  # only then can the test post behind it
        system.tell(child, Ping(text="crash at the gate"))
        gate.wait_until_reached()
    else:
        system.tell(child, Ping(text="crash"))
    peer.tell(child, TrackedPing(text="waits"))
    peer.tell(child, Ping(text="not tracked"))
    gate.open()
    assert root.expect_kind(ChildFailed).cause == "crash"
    peer.expect(Undelivered(to=child, message=TrackedPing(text="waits"), reason="ended"))
    peer.expect_nothing_more()
    root.expect_nothing_more()


@on_each_dispatcher
def test_only_a_crash_causes_a_restart(
    system: ActorSystem, root: Probe, actor_class: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, actor_class)
    system.tell(child, Ping(text="finish"))
    root.expect(ChildCompleted(child=child, result="finish"))
    child = start_crashing_actor(system, root, actor_class)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_a_crash_after_finish_causes_a_restart(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, CrashingActor)
    system.tell(child, Ping(text="finish and crash"))
    root.expect(Observed(text="incarnation 2"))
    system.tell(child, Ping(text="hello"))
    root.expect(Observed(text="hello 1 in incarnation 2"))


class FailingToStart(CrashingActor):
    """Starts in its first incarnation, and not again before `next_start`."""

    def __init__(self, next_start: int) -> None:
        super().__init__()
        self._next_start = next_start

    def on_start(self) -> None:
        if 1 < self.incarnation < self._next_start:
            self.finish("ignored")
            raise RuntimeError(str(self.incarnation))
        super().on_start()


def test_a_failed_restart_is_tried_again_within_the_budget(
    system: ActorSystem, root: Probe
) -> None:
    child = start_crashing_actor(system, root, partial(FailingToStart, 4))
    system.tell(child, Ping(text="crash"))
    system.tell(child, Ping(text="waited"))
    root.expect(Observed(text="incarnation 4"), Observed(text="waited 1 in incarnation 4"))


def test_a_restart_that_never_succeeds_is_a_crash(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, partial(FailingToStart, 9), Restart(3, 3600.0, 0.0))
    system.tell(child, Ping(text="crash"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: 4"))
    root.expect_nothing_more()


def test_a_failed_first_start_is_not_tried_again(system: ActorSystem, root: Probe) -> None:
    class FailingFirstStart(Echo):
        def on_start(self) -> None:
            raise RuntimeError

    child = system.start(FailingFirstStart, restart=MANY_RESTARTS)
    root.expect(ChildFailed(child=child, cause="start", detail="RuntimeError"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_the_message_of_a_crash_comes_back_to_its_sender(
    system: ActorSystem, root: Probe, peer: Probe, actor_class: MakeCrashingActor
) -> None:
    child = start_crashing_actor(system, root, actor_class)
    peer.tell(child, TrackedPing(text="crash"))
    peer.expect(Undelivered(to=child, message=TrackedPing(text="crash"), reason="crashed"))
    root.expect(Observed(text="incarnation 2"))
    root.expect_nothing_more()


@on_each_dispatcher
def test_a_message_is_quarantined_after_repeated_crashes(
    system: ActorSystem,
    root: Probe,
    peer: Probe,
    caplog: pytest.LogCaptureFixture,
    actor_class: MakeCrashingActor,
) -> None:
    child = start_crashing_actor(system, root, actor_class)
    poison = TrackedPing(text="crash")
    for incarnation in range(2, MAX_CRASHES_PER_MESSAGE + 2):
        peer.tell(child, poison)
        peer.expect(Undelivered(to=child, message=poison, reason="crashed"))
        root.expect(Observed(text=f"incarnation {incarnation}"))
    peer.tell(child, poison)
    peer.tell(child, TrackedPing(text="harmless"))
    peer.expect(Undelivered(to=child, message=poison, reason="quarantined"))
    root.expect(Observed(text=f"harmless 1 in incarnation {MAX_CRASHES_PER_MESSAGE + 1}"))
    root.expect_nothing_more()
    assert system.dead_letter_count == 1
    description = f"TrackedPing from {peer.address} to {child}"
    report = f"quarantined after {MAX_CRASHES_PER_MESSAGE} crashes: {description}"
    assert [message for message in caplog.messages if "quarantined" in message] == [report]


class CrashingOnScript(CrashingActor):
    """Crashes or succeeds as its list says, across all incarnations."""

    def __init__(self, outcomes: list[str]) -> None:
        super().__init__()
        self._outcomes = outcomes

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        if self._outcomes.pop() == "crash":
            raise RuntimeError
        super().on_receive(message)


def test_a_success_in_between_prevents_quarantine(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    child = start_crashing_actor(
        system,
        root,
        partial(CrashingOnScript, ["succeed", "crash"] * (MAX_CRASHES_PER_MESSAGE + 1)),
    )
    harmless = TrackedPing(text="harmless")
    for incarnation in range(2, MAX_CRASHES_PER_MESSAGE + 3):
        peer.tell(child, harmless)
        peer.expect(Undelivered(to=child, message=harmless, reason="crashed"))
        peer.tell(child, harmless)
        root.expect(
            Observed(text=f"incarnation {incarnation}"),
            Observed(text=f"harmless 1 in incarnation {incarnation}"),
        )


class SelfMessagingActor(CrashingActor):
    """Sends itself a message that crashes it."""

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        if isinstance(message, Ping):
            self.tell(self.address, Observed(text="crash"))
        else:
            super().on_receive(message)


def test_messages_to_itself_are_never_quarantined(system: ActorSystem, root: Probe) -> None:
    child = start_crashing_actor(system, root, SelfMessagingActor)
    for incarnation in range(2, MAX_CRASHES_PER_MESSAGE + 4):
        system.tell(child, Ping())
        root.expect(Observed(text=f"incarnation {incarnation}"))
