"""Effects of direct pykka calls on our cells."""

import queue
from collections.abc import Callable, Generator
from functools import partial

import pykka
import pytest
from pykka._envelope import Envelope as PykkaEnvelope

from actors.runtime.actor import ActorFactory
from actors.runtime.cell import Cell
from actors.runtime.event_loop import EventLoopThread
from actors.runtime.pykka_envelope import NotACellMessageError
from actors.runtime.registry import ActorRegistry
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.envelope import Envelope
from tests.actors.runtime.sample_actors import Echo, EchoOnThread, Observed, Ping, SampleParent
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

RootCell = Callable[[ActorFactory], Cell]


@pytest.fixture
def root_cell() -> Generator[RootCell]:
    """Start the cell of a root actor, without an `ActorSystem`."""
    event_loop = EventLoopThread()
    event_loop.start()
    registry = ActorRegistry(lambda _: None, event_loop)
    yield lambda make: registry.start_cell(make, ROOT, None)
    event_loop.stop()


def test_pykkas_stop_all_does_not_stop_our_actors(system: ActorSystem, root: Probe) -> None:
    echoes = [system.start(Echo), system.start(EchoOnThread)]
    assert pykka.ActorRegistry.stop_all(timeout=PROBE_TIMEOUT_S) == []
    for echo in echoes:
        assert system.ask(echo, Ping(text="well"), PROBE_TIMEOUT_S) == Observed(text="well")
    root.expect_nothing_more()


@pytest.mark.parametrize("echo", [Echo, EchoOnThread])
def test_pykkas_own_stop_stops_a_cell_in_order(echo: type[Echo]) -> None:
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    event_loop = EventLoopThread()
    registry = ActorRegistry(ends.put, event_loop)
    event_loop.start()
    cell = registry.start_cell(partial(SampleParent, ("child", echo)), ROOT, None)
    assert cell.actor_ref.stop(timeout=PROBE_TIMEOUT_S)
    assert ends.get(timeout=PROBE_TIMEOUT_S) == ChildCancelled(child=ROOT)
    assert registry.addresses == ()
    assert not cell.actor_ref.is_alive()
    event_loop.stop()


@pytest.mark.parametrize("echo", [Echo, EchoOnThread])
def test_a_message_posted_during_the_end_is_a_dead_letter(
    echo: type[Echo],
) -> None:
    """pykka checks whether an actor is alive before it puts; the end may come in between."""
    ends: queue.SimpleQueue[ChildEnded] = queue.SimpleQueue()
    event_loop = EventLoopThread()
    registry = ActorRegistry(ends.put, event_loop)
    event_loop.start()
    cell = registry.start_cell(echo, ROOT, None)
    cell.actor_ref.stop(timeout=PROBE_TIMEOUT_S)
    ends.get(timeout=PROBE_TIMEOUT_S)
    cell.actor_inbox.put(PykkaEnvelope(Envelope(cell.address, ROOT, Ping())))
    event_loop.stop()
    assert registry.dead_letter_count == 1


@pytest.mark.parametrize("echo", [Echo, EchoOnThread])
def test_an_ask_through_pykka_fails_in_the_sender(echo: type[Echo], root_cell: RootCell) -> None:
    """A handler returns nothing, so the reply could only be waited for forever."""
    cell = root_cell(echo)
    question = Envelope(cell.address, ROOT, Ping())
    for block in (True, False):
        with pytest.raises(NotACellMessageError, match=r"use ActorSystem\.ask"):
            cell.actor_ref.ask(question, block=block, timeout=PROBE_TIMEOUT_S)
    with pytest.raises(NotACellMessageError, match=r"use ActorSystem\.ask"):
        _ = cell.actor_ref.proxy().address
    with pytest.raises(NotACellMessageError, match=r"use ActorSystem\.tell"):
        cell.actor_ref.tell("not an item")
    assert cell.actor_ref.stop(timeout=PROBE_TIMEOUT_S)
    assert cell.actor_ref.actor_stopped.wait(PROBE_TIMEOUT_S)
    with pytest.raises(pykka.ActorDeadError):
        cell.actor_ref.ask(question, timeout=PROBE_TIMEOUT_S)
