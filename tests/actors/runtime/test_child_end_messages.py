"""A child's end is exactly one message to its parent, which names the type of end."""

import asyncio
import gc
import threading
import weakref
from functools import partial

import pykka
import pytest

from actors.runtime.actor import Actor
from actors.runtime.registry import ActorRegistry
from actors.runtime.runtime_port import CellHandle
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
    """Finishes before its first message."""

    def on_start(self) -> None:
        self.finish("done at the start")
        self.finish("too late")

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, message)


class FinishingThenCrashing(Actor[Ping]):
    """Finishes, then crashes in the same handler."""

    def on_receive(self, message: Ping) -> None:
        self.finish("done")
        raise RuntimeError(message.text)


class StartingChildOnStop(Actor[Message]):
    """Starts a child in `on_stop`."""

    def on_receive(self, message: Message) -> None:
        """Ignore the message."""

    def on_stop(self) -> None:
        self.start(Echo, "late")


@pytest.mark.parametrize("finisher", [Finisher, FinisherOnThread])
def test_a_result_arrives_after_the_childs_last_message(
    system: ActorSystem, root: Probe, finisher: type[Finisher]
) -> None:
    child = system.start(finisher)
    system.tell(child, Ping(text="42"))
    root.expect(Observed(text="last message"), ChildCompleted(child=child, result="42"))
    root.expect_nothing_more()


def test_a_stopped_child_is_reported_as_cancelled(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_stopping_a_child_repeatedly_reports_one_end(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo)
    system.stop_child(child)
    system.stop_child(child)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()


def test_finishing_on_start_reports_a_completed_child(system: ActorSystem, root: Probe) -> None:
    child = system.start(FinishingOnStart)
    root.expect(ChildCompleted(child=child, result="done at the start"))
    root.expect_nothing_more()


def test_a_crash_overrides_a_finish_in_the_same_handler(system: ActorSystem, root: Probe) -> None:
    child = system.start(FinishingThenCrashing)
    system.tell(child, Ping(text="oh"))
    root.expect(ChildFailed(child=child, cause="crash", detail="RuntimeError: oh"))
    root.expect_nothing_more()


def test_a_child_started_in_on_stop_ends_before_its_parent(
    system: ActorSystem, root: Probe
) -> None:
    child = system.start(StartingChildOnStop)
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    assert system.addresses == (ROOT,)


def test_a_duplicate_name_raises_in_the_starter(system: ActorSystem, root: Probe) -> None:
    child = system.start(Echo, "same")
    with pytest.raises(ValueError, match="/same is already in use"):
        system.start(Echo, "same")
    root.expect_nothing_more()
    assert child in system.addresses


def test_a_name_is_in_use_until_the_end_has_arrived(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the end in the mailbox would be mistaken for that of the next child."""
    unregister, unregistered = ActorRegistry.unregister, threading.Event()

    def unregister_then_signal(self: ActorRegistry, cell: CellHandle) -> bool:
        was_registered = unregister(self, cell)
        unregistered.set()
        return was_registered

    class Restarting(Actor[Message]):
        dispatcher = "thread"

        def on_receive(self, message: Message) -> None:
            if isinstance(message, Ping):
                child = self.start(Echo, "child")
                self.stop(child)
                assert unregistered.wait(PROBE_TIMEOUT_S)
                with pytest.raises(ValueError, match="already in use"):
                    self.start(Echo, "child")
            else:
                self.start(Echo, "child")
            self.tell(ROOT, message)

    monkeypatch.setattr(ActorRegistry, "unregister", unregister_then_signal)
    parent = system.start(Restarting)
    system.tell(parent, Ping())
    root.expect(Ping(), ChildCancelled(child=parent.child("child")))
    root.expect_nothing_more()
    assert parent.child("child") in system.addresses


def test_the_name_of_an_ended_child_can_be_reused(system: ActorSystem, root: Probe) -> None:
    for _ in range(2):
        system.tell(system.start(Finisher, "same"), Ping())
        root.expect_kind(Observed)
        root.expect_kind(ChildCompleted)


def test_an_actor_without_a_thread_fails_to_start(
    system: ActorSystem, root: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_start_thread(_: object) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr(pykka.ThreadingActor, "_start_actor_loop", fail_to_start_thread)
    child = system.start(EchoOnThread)
    detail = "RuntimeError: can't start new thread"
    root.expect(ChildFailed(child=child, cause="start", detail=detail))
    root.expect_nothing_more()
    assert child not in system.addresses


def test_generated_actor_names_are_unique(system: ActorSystem) -> None:
    assert [system.start(Echo).name for _ in range(2)] == ["echo-1", "echo-2"]


def test_starting_a_child_requires_all_end_messages(system: ActorSystem, root: Probe) -> None:
    class IncompleteInbox(Actor[Ping | ChildCompleted]):
        def on_receive(self, message: Ping | ChildCompleted) -> None:
            self.start(Echo, f"after-{type(message).__name__.lower()}")

    child = system.start(IncompleteInbox)
    system.tell(child, Ping())
    failed = root.expect_kind(ChildFailed)
    assert failed.cause == "crash"
    assert "its inbox must include all of ChildEnded" in failed.detail


def test_only_an_actor_class_can_be_started(system: ActorSystem) -> None:
    with pytest.raises(TypeError, match="not an actor class"):
        system.start(lambda: Echo())  # noqa: PLW0108  (the point)


def test_a_parent_gets_one_end_per_child(system: ActorSystem, root: Probe) -> None:
    def ping_and_stop_all(parent: SampleParent) -> None:
        for name in ("a", "b"):
            parent.tell(parent.address.child(name), Ping(text=name))
            parent.stop(parent.address.child(name))

    parent = system.start(
        partial(SampleParent, ("a", Finisher), ("b", Finisher), on_ping=ping_and_stop_all)
    )
    system.tell(parent, Ping())
    ends = [ChildCancelled(child=parent.child(name)) for name in ("a", "b")]
    root.expect(*ends)
    root.expect_nothing_more()


class Token:
    """An object that an actor holds."""


class ReferencedActor(Actor[Ping]):
    """Has a job, so that its stop sets a timer for the deadline."""

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


@pytest.mark.parametrize("actor_class", [ReferencedActor, ReferencedActorOnThread])
def test_an_ended_actor_and_its_arguments_are_freed(
    system: ActorSystem, root: Probe, actor_class: type[ReferencedActor]
) -> None:
    """The timer for its stop deadline must not keep it alive."""
    token = Token()
    reference = weakref.ref(token)
    child = system.start(partial(actor_class, token))
    system.stop_child(child, timeout_s=3600)
    root.expect(ChildCancelled(child=child))
    del token
    for thread in threading.enumerate():
        if thread.name == f"greenroom {child}":
            thread.join(PROBE_TIMEOUT_S)
    root.expect_nothing_more()
    gc.collect()
    assert reference() is None
