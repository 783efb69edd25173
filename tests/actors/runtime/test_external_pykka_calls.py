"""Effects of direct pykka calls on our cells."""

import queue
from functools import partial

import pykka
import pytest
from pykka._envelope import Envelope as PykkaEnvelope

from actors.runtime.event_loop import EventLoopThread
from actors.runtime.registry import ActorRegistry
from actors.runtime.system import ActorSystem
from messages.address import ROOT
from messages.child_lifecycle import ChildCancelled, ChildEnded
from messages.envelope import Envelope
from tests.actors.runtime.sample_actors import Echo, EchoOnThread, Observed, Ping, SampleParent
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick


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
