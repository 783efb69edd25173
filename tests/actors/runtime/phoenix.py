"""An actor that crashes when it is told to, and says which life it lives."""

from collections.abc import Callable

import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.agents import ChildEnded
from tests.actors.runtime.behaviours import (
    Gate,
    Hurry,
    Job,
    Please,
    Poke,
    Said,
    said_of,
)
from tests.probe import Probe

OFTEN = Restart(limit=100, window_s=3600.0, backoff_s=0.0)


ONCE = Restart(limit=1, window_s=3600.0, backoff_s=0.0)


class Phoenix(Actor[Poke | Please | Hurry | Said | ChildEnded]):
    """Crashes when told so; says who it is when asked, and when it starts."""

    def __init__(
        self, gate: Gate | None = None, first: Callable[["Phoenix"], object] | None = None
    ) -> None:
        """`first` is done at the first start."""
        self._heard = 0
        self._gate = gate
        self._first = first

    def on_start(self) -> None:
        self.tell(ROOT, Said(word=f"life {self.incarnation}"))
        if self.incarnation == 1 and self._first:
            self._first(self)

    def on_receive(self, message: Poke | Please | Hurry | Said | ChildEnded) -> None:
        self._heard += 1
        word = getattr(message, "word", "")
        match word:
            case "crash":
                raise RuntimeError(word)
            case "crash after a word to itself":
                self.tell(self.address, Said(word="note to self"))
                raise RuntimeError(word)
            case "crash at the gate":
                assert self._gate
                self._gate.pass_through()
                raise RuntimeError(word)
            case "finish and crash":
                self.finish()
                raise RuntimeError(word)
            case "finish":
                self.finish(word)
            case _:
                self.tell(ROOT, Said(word=f"{word} {self._heard} in life {self.incarnation}"))


class PhoenixOnThread(Phoenix):
    dispatcher = "thread"


class DrainingPhoenix(Phoenix):
    drains = True


phoenixes = pytest.mark.parametrize("phoenix", [Phoenix, PhoenixOnThread])


MakePhoenix = Callable[..., Phoenix]


def born(system: ActorSystem, root: Probe, make: MakePhoenix, restart: Restart = OFTEN) -> Address:
    child = system.start(make, "phoenix", restart)
    root.expect(Said(word="life 1"))
    return child


def working(job: Job) -> Callable[[Phoenix], object]:
    return lambda phoenix: phoenix.work(job, said_of)
