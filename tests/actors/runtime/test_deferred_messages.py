"""Mail that waits: until its receiver is ready, until its time, or for nobody."""

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.child_lifecycle import ChildCancelled
from messages.supervision import Undelivered
from tests.actors.runtime.sample_actors import Echo, Observed, Ping, TrackedPing
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick


class StashingActor(Actor[Ping | Observed]):
    """Takes nothing before it has heard `Said`."""

    def on_start(self) -> None:
        self.stash(Observed)

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Observed():
                self.tell(ROOT, message)
                self.unstash()
            case Ping():
                self.tell(ROOT, Observed(text=message.text))


class StashingActorOnThread(StashingActor):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [StashingActor, StashingActorOnThread])
def test_held_mail_waits_in_its_order_for_what_may_pass(
    system: ActorSystem, root: Probe, kind: type[StashingActor]
) -> None:
    child = system.start(kind)
    for word in ("a", "b"):
        system.tell(child, Ping(text=word))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    system.tell(child, Observed(text="now"))
    system.tell(child, Ping(text="c"))
    root.expect(*(Observed(text=word) for word in ("now", "a", "b", "c")))


def test_held_mail_bounces_when_its_holder_ends(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    class Holding(Actor[TrackedPing]):
        def on_start(self) -> None:
            self.stash()

        def on_receive(self, message: TrackedPing) -> None:
            self.tell(ROOT, message)

    child = system.start(Holding)
    peer.tell(child, TrackedPing())
    assert system.ask(
        system.start(Echo), Ping(), PROBE_TIMEOUT_S
    )  # so it is held, and not in the lane
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=TrackedPing(), reason="ended"))


def test_a_message_to_nobody_comes_back_if_its_class_says_so(
    system: ActorSystem, peer: Probe
) -> None:
    nobody = ROOT.child("nobody")
    peer.tell(nobody, Ping())
    peer.tell(nobody, TrackedPing())
    peer.expect(Undelivered(to=nobody, message=TrackedPing(), reason="ended"))
    assert system.dead_letter_count == 2


def test_a_bounce_goes_only_to_who_can_take_it(system: ActorSystem, root: Probe) -> None:
    class Unaware(Actor[Ping]):
        def on_receive(self, message: Ping) -> None:
            self.tell(ROOT.child("nobody"), TrackedPing(text=message.text))

    unaware = system.start(Unaware)
    system.tell(unaware, Ping())
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    assert system.dead_letter_count == 1


def test_asking_nobody_brings_the_question_back(system: ActorSystem) -> None:
    nobody = ROOT.child("nobody")
    answer = system.ask(nobody, TrackedPing(), PROBE_TIMEOUT_S)
    assert answer == Undelivered(to=nobody, message=TrackedPing(), reason="ended")


class SchedulingActor(Actor[Ping | Observed]):
    """Wakes itself up once."""

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Ping():
                self.schedule(float(message.text), Observed(text="awake"))
            case Observed():
                self.tell(ROOT, message)


class SchedulingActorOnThread(SchedulingActor):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [SchedulingActor, SchedulingActorOnThread])
def test_a_message_to_oneself_comes_after_its_time(
    system: ActorSystem, root: Probe, kind: type[SchedulingActor]
) -> None:
    child = system.start(kind)
    began_s = system.event_loop.now_s()
    system.tell(child, Ping(text="0.02"))
    root.expect(Observed(text="awake"))
    assert system.event_loop.now_s() - began_s >= 0.02


def test_a_message_for_later_ends_with_its_actor(system: ActorSystem, root: Probe) -> None:
    child = system.start(SchedulingActor)
    system.tell(child, Ping(text="3600"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
