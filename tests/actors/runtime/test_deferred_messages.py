"""Messages that wait: stashed, scheduled, or undeliverable."""

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
    """Stashes everything until it receives `Observed`."""

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


@pytest.mark.parametrize("actor_class", [StashingActor, StashingActorOnThread])
def test_stashed_messages_keep_their_order_until_unstash(
    system: ActorSystem, root: Probe, actor_class: type[StashingActor]
) -> None:
    child = system.start(actor_class)
    for text in ("a", "b"):
        system.tell(child, Ping(text=text))
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    system.tell(child, Observed(text="now"))
    system.tell(child, Ping(text="c"))
    root.expect(*(Observed(text=text) for text in ("now", "a", "b", "c")))


def test_stashed_messages_come_back_when_their_receiver_ends(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    class StashingAll(Actor[TrackedPing]):
        def on_start(self) -> None:
            self.stash()

        def on_receive(self, message: TrackedPing) -> None:
            self.tell(ROOT, message)

    child = system.start(StashingAll)
    peer.tell(child, TrackedPing())
    # The reply comes after the message has been stashed.
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=TrackedPing(), reason="ended"))


def test_a_tracked_message_to_an_unknown_address_comes_back(
    system: ActorSystem, peer: Probe
) -> None:
    unknown = ROOT.child("unknown")
    peer.tell(unknown, Ping())
    peer.tell(unknown, TrackedPing())
    peer.expect(Undelivered(to=unknown, message=TrackedPing(), reason="ended"))
    assert system.dead_letter_count == 2


def test_undelivered_is_sent_only_to_inboxes_that_have_it(system: ActorSystem, root: Probe) -> None:
    class Unaware(Actor[Ping]):
        def on_receive(self, message: Ping) -> None:
            self.tell(ROOT.child("unknown"), TrackedPing(text=message.text))

    unaware = system.start(Unaware)
    system.tell(unaware, Ping())
    assert system.ask(system.start(Echo), Ping(), PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    assert system.dead_letter_count == 1


def test_asking_an_unknown_address_returns_undelivered(system: ActorSystem) -> None:
    unknown = ROOT.child("unknown")
    answer = system.ask(unknown, TrackedPing(), PROBE_TIMEOUT_S)
    assert answer == Undelivered(to=unknown, message=TrackedPing(), reason="ended")


class SchedulingActor(Actor[Ping | Observed]):
    """Sends itself one delayed message."""

    def on_receive(self, message: Ping | Observed) -> None:
        match message:
            case Ping():
                self.schedule(float(message.text), Observed(text="due"))
            case Observed():
                self.tell(ROOT, message)


class SchedulingActorOnThread(SchedulingActor):
    dispatcher = "thread"


@pytest.mark.parametrize("actor_class", [SchedulingActor, SchedulingActorOnThread])
def test_a_scheduled_message_arrives_after_its_delay(
    system: ActorSystem, root: Probe, actor_class: type[SchedulingActor]
) -> None:
    child = system.start(actor_class)
    started_s = system.event_loop.now_s()
    system.tell(child, Ping(text="0.02"))
    root.expect(Observed(text="due"))
    assert system.event_loop.now_s() - started_s >= 0.02


def test_a_scheduled_message_is_dropped_with_its_actor(system: ActorSystem, root: Probe) -> None:
    child = system.start(SchedulingActor)
    system.tell(child, Ping(text="3600"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
