"""An actor that crashes when it is told to, and says which life it lives."""

from collections.abc import Callable

import pytest

from actors.runtime.actor import Actor
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildEnded
from tests.actors.runtime.sample_actors import (
    Observed,
    Ping,
    PriorityPing,
    ReportJob,
    ThreadGate,
    TrackedPing,
    report_failure,
)
from tests.probe import Probe

MANY_RESTARTS = Restart(limit=100, window_s=3600.0, backoff_s=0.0)


ONE_RESTART = Restart(limit=1, window_s=3600.0, backoff_s=0.0)


class CrashingActor(Actor[Ping | TrackedPing | PriorityPing | Observed | ChildEnded]):
    """Crashes when told so; says who it is when asked, and when it starts."""

    def __init__(
        self,
        gate: ThreadGate | None = None,
        on_first_start: Callable[["CrashingActor"], object] | None = None,
    ) -> None:
        """`first` is done at the first start."""
        self._heard = 0
        self._gate = gate
        self._first = on_first_start

    def on_start(self) -> None:
        self.tell(ROOT, Observed(text=f"life {self.incarnation}"))
        if self.incarnation == 1 and self._first:
            self._first(self)

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        self._heard += 1
        word = getattr(message, "text", "")
        match word:
            case "crash":
                raise RuntimeError(word)
            case "crash after a word to itself":
                self.tell(self.address, Observed(text="note to self"))
                raise RuntimeError(word)
            case "crash at the gate":
                assert self._gate
                self._gate.wait_until_open()
                raise RuntimeError(word)
            case "finish and crash":
                self.finish()
                raise RuntimeError(word)
            case "finish":
                self.finish(word)
            case _:
                self.tell(ROOT, Observed(text=f"{word} {self._heard} in life {self.incarnation}"))


class CrashingActorOnThread(CrashingActor):
    dispatcher = "thread"


class DrainingCrashingActor(CrashingActor):
    drains_before_stop = True


on_each_dispatcher = pytest.mark.parametrize("phoenix", [CrashingActor, CrashingActorOnThread])


MakeCrashingActor = Callable[..., CrashingActor]


def start_crashing_actor(
    system: ActorSystem, root: Probe, make: MakeCrashingActor, restart: Restart = MANY_RESTARTS
) -> Address:
    child = system.start(make, "phoenix", restart)
    root.expect(Observed(text="life 1"))
    return child


def start_job_with(job: ReportJob) -> Callable[[CrashingActor], object]:
    return lambda phoenix: phoenix.start_job(job, report_failure)
