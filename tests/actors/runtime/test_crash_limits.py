"""When a crash is the end after all, and what is not tried again."""

from functools import partial

import pytest

from actors.runtime.supervision import MOST_CRASHES, Restart
from actors.runtime.system import ActorSystem
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.supervision import Undelivered
from tests.actors.runtime.behaviours import (
    Echo,
    Gate,
    Hurry,
    Please,
    Poke,
    Said,
)
from tests.actors.runtime.phoenix import (
    OFTEN,
    ONCE,
    MakePhoenix,
    Phoenix,
    PhoenixOnThread,
    born,
    phoenixes,
)
from tests.probe import Probe

pytestmark = pytest.mark.quick


@phoenixes
def test_without_a_budget_a_crash_is_the_end(
    system: ActorSystem, root: Probe, phoenix: MakePhoenix
) -> None:
    child = system.start(phoenix)
    system.tell(child, Poke(word="crash"))
    root.expect(
        Said(word="life 1"), ChildFailed(child=child, cause="crash", detail="RuntimeError: crash")
    )
    root.expect_nothing_more()


@phoenixes
def test_when_the_budget_is_spent_the_parent_hears_of_one_failure_and_the_mail_bounces(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakePhoenix
) -> None:
    gate = Gate()
    child = born(system, root, partial(phoenix, gate), ONCE)
    system.tell(child, Poke(word="crash"))
    root.expect(Said(word="life 2"))
    if phoenix is PhoenixOnThread:  # else the test could not put mail behind it
        system.tell(child, Poke(word="crash at the gate"))
        gate.await_arrival()
    else:
        system.tell(child, Poke(word="crash"))
    peer.tell(child, Please(word="waits"))
    peer.tell(child, Poke(word="nobody asks for it back"))
    gate.open()
    assert root.expect_kind(ChildFailed).cause == "crash"
    peer.expect(Undelivered(to=child, message=Please(word="waits"), reason="ended"))
    peer.expect_nothing_more()
    root.expect_nothing_more()


@phoenixes
def test_only_a_crash_restarts(system: ActorSystem, root: Probe, phoenix: MakePhoenix) -> None:
    child = born(system, root, phoenix)
    system.tell(child, Poke(word="finish"))
    root.expect(ChildCompleted(child=child, result="finish"))
    child = born(system, root, phoenix)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_a_crash_outweighs_a_finish_of_the_same_handler_and_restarts(
    system: ActorSystem, root: Probe
) -> None:
    child = born(system, root, Phoenix)
    system.tell(child, Poke(word="finish and crash"))
    root.expect(Said(word="life 2"))
    system.tell(child, Poke(word="well?"))
    root.expect(Said(word="well? 1 in life 2"))


class FailingToStart(Phoenix):
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
    child = born(system, root, partial(FailingToStart, 4))
    system.tell(child, Poke(word="crash"))
    system.tell(child, Poke(word="waited"))
    root.expect(Said(word="life 4"), Said(word="waited 1 in life 4"))


def test_when_no_restart_succeeds_it_is_a_crash_and_not_a_failed_start(
    system: ActorSystem, root: Probe
) -> None:
    child = born(system, root, partial(FailingToStart, 9), Restart(3, 3600.0, 0.0))
    system.tell(child, Poke(word="crash"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: 4"))
    root.expect_nothing_more()


def test_a_first_start_that_fails_is_not_tried_again(system: ActorSystem, root: Probe) -> None:
    class Stillborn(Echo):
        def on_start(self) -> None:
            raise RuntimeError

    child = system.start(Stillborn, restart=OFTEN)
    root.expect(ChildFailed(child=child, cause="start", detail="RuntimeError"))
    root.expect_nothing_more()


@phoenixes
def test_what_was_in_hand_comes_back_as_crashed_and_is_not_retried(
    system: ActorSystem, root: Probe, peer: Probe, phoenix: MakePhoenix
) -> None:
    child = born(system, root, phoenix)
    peer.tell(child, Please(word="crash"))
    peer.expect(Undelivered(to=child, message=Please(word="crash"), reason="crashed"))
    root.expect(Said(word="life 2"))
    root.expect_nothing_more()


@phoenixes
def test_poison_is_set_aside_after_enough_crashes_and_only_the_poison(
    system: ActorSystem,
    root: Probe,
    peer: Probe,
    caplog: pytest.LogCaptureFixture,
    phoenix: MakePhoenix,
) -> None:
    child = born(system, root, phoenix)
    poison = Please(word="crash")
    for life in range(2, MOST_CRASHES + 2):
        peer.tell(child, poison)
        peer.expect(Undelivered(to=child, message=poison, reason="crashed"))
        root.expect(Said(word=f"life {life}"))
    peer.tell(child, poison)
    peer.tell(child, Please(word="food"))
    peer.expect(Undelivered(to=child, message=poison, reason="quarantined"))
    root.expect(Said(word=f"food 1 in life {MOST_CRASHES + 1}"))
    root.expect_nothing_more()
    assert system.dead_letters == 1
    reported = f"set aside after {MOST_CRASHES} crashes: Please from {peer.address} to {child}"
    assert [each for each in caplog.messages if "aside" in each] == [reported]


class Moody(Phoenix):
    """Takes every other message badly, over all its lives."""

    def __init__(self, moods: list[str]) -> None:
        super().__init__()
        self._moods = moods

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        if self._moods.pop() == "bad":
            raise RuntimeError
        super().on_receive(message)


def test_what_was_handled_well_between_is_no_poison(
    system: ActorSystem, root: Probe, peer: Probe
) -> None:
    child = born(system, root, partial(Moody, ["good", "bad"] * (MOST_CRASHES + 1)))
    food = Please(word="food")
    for life in range(2, MOST_CRASHES + 3):
        peer.tell(child, food)
        peer.expect(Undelivered(to=child, message=food, reason="crashed"))
        peer.tell(child, food)
        root.expect(Said(word=f"life {life}"), Said(word=f"food 1 in life {life}"))


class Nagging(Phoenix):
    """Tells itself the same thing, over which it crashes."""

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        if isinstance(message, Poke):
            self.tell(self.address, Said(word="crash"))
        else:
            super().on_receive(message)


def test_what_an_actor_tells_itself_is_never_set_aside(system: ActorSystem, root: Probe) -> None:
    child = born(system, root, Nagging)
    for life in range(2, MOST_CRASHES + 4):
        system.tell(child, Poke())
        root.expect(Said(word=f"life {life}"))
