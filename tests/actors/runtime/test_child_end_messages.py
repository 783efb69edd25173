"""A child's end is exactly one message to its parent, and says what kind of end it was."""

import asyncio
import gc
import threading
import weakref
from functools import partial

import pykka
import pytest

from actors.runtime.actor import Actor
from actors.runtime.runtime_port import CellHandle
from actors.runtime.registry import ActorRegistry
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from tests.actors.runtime.sample_actors import (
    Echo,
    EchoOnThread,
    Finisher,
    FinisherOnThread,
    Observed,
    Ping,
    SampleParent,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick


class FinishingOnStart(Actor[Ping]):
    """Has finished before its first message."""

    def on_start(self) -> None:
        self.finish("no time")
        self.finish("this comes too late")

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, message)


class FinishingThenCrashing(Actor[Ping]):
    """Finishes, then crashes in the same handler."""

    def on_receive(self, message: Ping) -> None:
        self.finish("done")
        raise RuntimeError(message.text)


class StartingChildOnStop(Actor[Message]):
    """Starts a child in its clean-up."""

    def on_receive(self, message: Message) -> None:
        """Not care."""

    def on_stop(self) -> None:
        self.start(Echo, "late")


@pytest.mark.parametrize("finisher", [Finisher, FinisherOnThread])
def test_an_orderly_end_carries_its_result_behind_the_last_words(
    system: ActorSystem, root: Probe, finisher: type[Finisher]
) -> None:
    child = system.start(finisher)
    system.tell(child, Ping(text="42"))
    root.expect(Observed(text="last words"), ChildCompleted(child=child, result="42"))
    root.expect_nothing_more()


def test_a_stopped_child_was_cancelled(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_stopping_twice_is_one_end(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo)
    system.stop_child(child)
    system.stop_child(child)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_finishing_before_the_first_message_is_an_orderly_end(
    system: ActorSystem, root: Probe
) -> None:
    child = system.start(FinishingOnStart)
    root.expect(ChildCompleted(child=child, result="no time"))
    root.expect_nothing_more()


def test_a_crash_outweighs_a_finish_of_the_same_handler(system: ActorSystem, root: Probe) -> None:
    child = system.start(FinishingThenCrashing)
    system.tell(child, Ping(text="oh"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: oh"))
    root.expect_nothing_more()


def test_a_child_started_in_clean_up_ends_before_its_parent(
    system: ActorSystem, root: Probe
) -> None:
    child = system.start(StartingChildOnStop)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    assert system.addresses == (ROOT,)


def test_a_taken_name_is_the_starters_fault(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo, "same")
    with pytest.raises(ValueError, match="/same is already in use"):
        system.start(Echo, "same")
    root.expect_nothing_more()
    assert child in system.addresses


def test_a_name_is_taken_until_its_end_has_been_heard_of(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the end that is on its way would be taken for that of the next one."""
    forget, forgotten = ActorRegistry.unregister, threading.Event()

    def and_tell(self: ActorRegistry, cell: CellHandle) -> bool:
        ended_by_itself = forget(self, cell)
        forgotten.set()
        return ended_by_itself

    class Hurrying(Actor[Message]):
        dispatcher = "thread"

        def on_receive(self, message: Message) -> None:
            if isinstance(message, Ping):
                child = self.start(Echo, "child")
                self.stop(child)
                assert forgotten.wait(PROBE_TIMEOUT_S)
                with pytest.raises(ValueError, match="already in use"):
                    self.start(Echo, "child")
            else:
                self.start(Echo, "child")
            self.tell(ROOT, message)

    monkeypatch.setattr(ActorRegistry, "unregister", and_tell)
    parent = system.start(Hurrying)
    system.tell(parent, Ping())
    root.expect(Ping(), ChildCancelled(child=parent.child("child")))
    root.expect_nothing_more()
    assert parent.child("child") in system.addresses


def test_the_name_of_an_ended_child_is_free(system: ActorSystem, root: Probe) -> None:
    for _ in range(2):
        system.tell(system.start(Finisher, "same"), Ping())
        root.expect_kind(Observed)
        root.expect_kind(ChildCompleted)


def test_an_actor_that_gets_no_thread_has_failed_to_start(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(_: object) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr(pykka.ThreadingActor, "_start_actor_loop", no_thread)
    child = system.start(EchoOnThread)
    detail = "RuntimeError: can't start new thread"
    root.expect(ChildFailed(child=child, cause="start", detail=detail))
    root.expect_nothing_more()
    assert child not in system.addresses


def test_made_up_names_are_never_the_same(system: ActorSystem) -> None:
    assert [system.start(Echo).name for _ in range(2)] == ["echo-1", "echo-2"]


def test_who_cannot_hear_of_an_end_cannot_start_a_child(system: ActorSystem, root: Probe) -> None:
    class Careless(Actor[Ping | ChildCompleted]):
        def on_receive(self, message: Ping | ChildCompleted) -> None:
            self.start(Echo, f"after-{type(message).__name__.lower()}")

    child = system.start(Careless)
    system.tell(child, Ping())
    failed = root.expect_kind(ChildFailed)
    assert failed.cause == "crash"
    assert "its inbox must include all of ChildEnded" in failed.detail


def test_what_is_no_actor_cannot_be_started(system: ActorSystem) -> None:
    with pytest.raises(TypeError, match="not an actor class"):
        system.start(lambda: Echo())  # noqa: PLW0108  (the point)


def test_a_parent_hears_of_each_child_once(system: ActorSystem, root: Probe) -> None:
    def poke_all(parent: SampleParent) -> None:
        for name in ("a", "b"):
            parent.tell(parent.address.child(name), Ping(text=name))
            parent.stop(parent.address.child(name))

    parent = system.start(partial(SampleParent, ("a", Finisher), ("b", Finisher), on_ping=poke_all))
    system.tell(parent, Ping())
    ends = [ChildCancelled(child=parent.child(name)) for name in ("a", "b")]
    root.expect(*ends)
    root.expect_nothing_more()


class Token:
    """Something that an actor was made with."""


class ReferencedActor(Actor[Ping]):
    """Has work, so that its stop sets an alarm for the deadline."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def on_start(self) -> None:
        self.start_job(wait_forever, lambda failure: Ping(text=failure.kind))

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, message)


class ReferencedActorOnThread(ReferencedActor):
    dispatcher = "thread"


async def wait_forever() -> Ping:
    await asyncio.Event().wait()
    return Ping()


@pytest.mark.parametrize("mortal", [ReferencedActor, ReferencedActorOnThread])
def test_nothing_keeps_an_ended_actor_and_what_it_was_made_with(
    system: ActorSystem, root: Probe, mortal: type[ReferencedActor]
) -> None:
    """Least of all the alarm for a deadline that it has met."""
    token = Token()
    trace = weakref.ref(token)
    child = system.start(partial(mortal, token))
    system.stop_child(child, timeout_s=3600)
    root.expect(ChildCancelled(child=child))
    del token
    for thread in threading.enumerate():
        if thread.name == f"greenroom {child}":
            thread.join(PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    gc.collect()
    assert trace() is None
