"""An actor system for each test, with a check that nothing is left running afterward."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from actors.runtime.system import ActorSystem
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe


@dataclass(frozen=True)
class RunningSystem:
    system: ActorSystem
    root: Probe


@pytest.fixture
def running_system() -> Iterator[RunningSystem]:
    before = set(threading.enumerate())
    started: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    system = ActorSystem(partial(Probe, started))
    yield RunningSystem(system, started.get(timeout=PROBE_TIMEOUT_S))
    assert system.stop(), "an actor did not stop in time"
    assert system.addresses == ()
    for thread in set(threading.enumerate()) - before:
        thread.join(PROBE_TIMEOUT_S)
        assert not thread.is_alive(), thread.name


@pytest.fixture
def system(running_system: RunningSystem) -> ActorSystem:
    """A running system; all actors are stopped when the test ends."""
    return running_system.system


@pytest.fixture
def root(running_system: RunningSystem) -> Probe:
    """The probe at `/`: the parent of the actors that the test starts."""
    return running_system.root


@pytest.fixture
def peer(system: ActorSystem) -> Probe:
    """A probe that can exchange messages with the tested actor."""
    return start_probe(system, "peer")
