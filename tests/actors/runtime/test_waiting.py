"""Mail that waits: until its receiver is ready, until its time, or for nobody."""

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.agents import ChildCancelled
from messages.supervision import Undelivered
from tests.actors.runtime.behaviours import (
    Echo,
    Please,
    Poke,
    Said,
)
from tests.probe import PATIENCE_S, Probe

pytestmark = pytest.mark.quick


class Remembering(Actor[Poke | Said]):
    """Takes nothing before it has heard `Said`."""

    def on_start(self) -> None:
        self.hold_mail(Said)

    def on_receive(self, message: Poke | Said) -> None:
        match message:
            case Said():
                self.tell(ROOT, message)
                self.release_mail()
            case Poke():
                self.tell(ROOT, Said(word=message.word))


class RememberingOnThread(Remembering):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [Remembering, RememberingOnThread])
def test_held_mail_waits_in_its_order_for_what_may_pass(
    system: ActorSystem, root: Probe, kind: type[Remembering]
) -> None:
    child = system.start(kind)
    for word in ("a", "b"):
        system.tell(child, Poke(word=word))
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    system.tell(child, Said(word="now"))
    system.tell(child, Poke(word="c"))
    root.expect(*(Said(word=word) for word in ("now", "a", "b", "c")))


def test_held_mail_bounces_when_its_holder_ends(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    class Holding(Actor[Please]):
        def on_start(self) -> None:
            self.hold_mail()

        def on_receive(self, message: Please) -> None:
            self.tell(ROOT, message)

    child = system.start(Holding)
    peer.tell(child, Please())
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)  # so it is held, and not in the lane
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    peer.expect(Undelivered(to=child, message=Please(), reason="ended"))


def test_a_message_to_nobody_comes_back_if_its_class_says_so(
    system: ActorSystem, peer: Probe
) -> None:
    nobody = ROOT.child("nobody")
    peer.tell(nobody, Poke())
    peer.tell(nobody, Please())
    peer.expect(Undelivered(to=nobody, message=Please(), reason="ended"))
    assert system.dead_letters == 2


def test_a_bounce_goes_only_to_who_can_take_it(system: ActorSystem, root: Probe) -> None:
    class Unaware(Actor[Poke]):
        def on_receive(self, message: Poke) -> None:
            self.tell(ROOT.child("nobody"), Please(word=message.word))

    unaware = system.start(Unaware)
    system.tell(unaware, Poke())
    assert system.ask(system.start(Echo), Poke(), PATIENCE_S)
    root.expect_nothing_more()
    assert system.dead_letters == 1


def test_asking_nobody_brings_the_question_back(system: ActorSystem) -> None:
    nobody = ROOT.child("nobody")
    answer = system.ask(nobody, Please(), PATIENCE_S)
    assert answer == Undelivered(to=nobody, message=Please(), reason="ended")


class Dozing(Actor[Poke | Said]):
    """Wakes itself up once."""

    def on_receive(self, message: Poke | Said) -> None:
        match message:
            case Poke():
                self.after(float(message.word), Said(word="awake"))
            case Said():
                self.tell(ROOT, message)


class DozingOnThread(Dozing):
    dispatcher = "thread"


@pytest.mark.parametrize("kind", [Dozing, DozingOnThread])
def test_a_message_to_oneself_comes_after_its_time(
    system: ActorSystem, root: Probe, kind: type[Dozing]
) -> None:
    child = system.start(kind)
    began_s = system.event_loop.now()
    system.tell(child, Poke(word="0.02"))
    root.expect(Said(word="awake"))
    assert system.event_loop.now() - began_s >= 0.02


def test_a_message_for_later_ends_with_its_actor(system: ActorSystem, root: Probe) -> None:
    child = system.start(Dozing)
    system.tell(child, Poke(word="3600"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
