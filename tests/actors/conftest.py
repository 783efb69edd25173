"""An actor system for each test, and proof that nothing of it is left afterwards."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from actors.runtime.system import ActorSystem
from tests.probe import PATIENCE_S, Probe, new_probe


@dataclass(frozen=True)
class Stage:
    system: ActorSystem
    root: Probe


@pytest.fixture
def stage() -> Iterator[Stage]:
    before = set(threading.enumerate())
    born: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    system = ActorSystem(partial(Probe, born))
    yield Stage(system, born.get(timeout=PATIENCE_S))
    assert system.stop(), "something did not stop in time"
    assert system.addresses == ()
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), thread.name


@pytest.fixture
def system(stage: Stage) -> ActorSystem:
    """A running system whose every actor ends in order when the test does."""
    return stage.system


@pytest.fixture
def root(stage: Stage) -> Probe:
    """The actor at `/`: what the test starts are its children, and it hears their ends."""
    return stage.root


@pytest.fixture
def peer(system: ActorSystem) -> Probe:
    """Somebody to talk to."""
    return new_probe(system, "peer")
