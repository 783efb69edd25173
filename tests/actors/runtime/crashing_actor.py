"""An actor that crashes on request and reports its incarnation."""

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
    """Does what the text of a message says; reports its starts and other messages to the root."""

    def __init__(
        self,
        gate: ThreadGate | None = None,
        on_first_start: Callable[["CrashingActor"], object] | None = None,
    ) -> None:
        """`on_first_start` runs in the first incarnation only."""
        self._received_count = 0
        self._gate = gate
        self._on_first_start = on_first_start

    def on_start(self) -> None:
        self.tell(ROOT, Observed(text=f"incarnation {self.incarnation}"))
        if self.incarnation == 1 and self._on_first_start:
            self._on_first_start(self)

    def on_receive(
        self, message: Ping | TrackedPing | PriorityPing | Observed | ChildEnded
    ) -> None:
        self._received_count += 1
        text = getattr(message, "text", "")
        match text:
            case "crash":
                raise RuntimeError(text)
            case "crash after a message to itself":
                self.tell(self.address, Observed(text="message to itself"))
                raise RuntimeError(text)
            case "crash at the gate":
                assert self._gate
                self._gate.wait_until_open()
                raise RuntimeError(text)
            case "finish and crash":
                self.finish()
                raise RuntimeError(text)
            case "finish":
                self.finish(text)
            case _:
                self.tell(
                    ROOT,
                    Observed(
                        text=f"{text} {self._received_count} in incarnation {self.incarnation}"
                    ),
                )


class CrashingActorOnThread(CrashingActor):
    dispatcher = "thread"


class DrainingCrashingActor(CrashingActor):
    drains_before_stop = True


on_each_dispatcher = pytest.mark.parametrize("actor_class", [CrashingActor, CrashingActorOnThread])
MakeCrashingActor = Callable[..., CrashingActor]


def start_crashing_actor(
    system: ActorSystem, root: Probe, make: MakeCrashingActor, restart: Restart = MANY_RESTARTS
) -> Address:
    child = system.start(make, "crashing", restart)
    root.expect(Observed(text="incarnation 1"))
    return child


def start_job_with(job: ReportJob) -> Callable[[CrashingActor], object]:
    return lambda actor: actor.start_job(job, report_failure)
