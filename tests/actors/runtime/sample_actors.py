"""Small actors that the tests of the runtime share."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar

from actors.runtime.actor import Actor, JobFailure, JobId
from messages.address import ROOT
from messages.base import Message
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from tests.probe import PROBE_TIMEOUT_S

SHORT_TIMEOUT_S = 0.05
"""A deadline that a test lets pass."""


class Ping(Message):
    """Do what you are there for."""

    text: str = ""


class PriorityPing(Message):
    """Overtakes the mail."""

    high_priority = True
    text: str = ""


class TrackedPing(Message):
    """Something its sender wants to hear of."""

    notify_undelivered: ClassVar[bool] = True
    text: str = ""


class Observed(Message):
    """Something that happened, told to whoever listens."""

    text: str


ChildEndMessage = ChildCompleted | ChildCancelled | ChildFailed
ReportJob = Callable[[], Awaitable[Observed]]


class Echo(Actor[Ping]):
    """Answers whoever speaks to it."""

    def on_receive(self, message: Ping) -> None:
        self.tell(self.sender, Observed(text=message.text))


class EchoOnThread(Echo):
    dispatcher = "thread"


class Finisher(Actor[Ping]):
    """Speaks its last words and ends."""

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, Observed(text="last words"))
        self.finish(message.text)


class FinisherOnThread(Finisher):
    dispatcher = "thread"


class JobRunner(Actor[Ping | PriorityPing | Observed]):
    """Does its job when poked, cancels it when hurried, and tells the root what is said."""

    def __init__(self, job: Callable[[Callable[[Observed], None]], Awaitable[Observed]]) -> None:
        self._job = job
        self._works: list[JobId] = []

    def on_receive(self, message: Ping | PriorityPing | Observed) -> None:
        match message:
            case Observed():
                self.tell(ROOT, message)
            case Ping(text=word):
                self._works.append(
                    self.start_job(partial(self._job, self.message_sink()), report_failure)
                )
                if word == "and cancel":
                    self.cancel_job(self._works[-1])
            case PriorityPing():
                self.cancel_job(self._works[-1])


class JobRunnerOnThread(JobRunner):
    dispatcher = "thread"


def report_failure(failure: JobFailure) -> Observed:
    return Observed(text=f"{failure.kind} {failure.detail}".strip())


class GatedActor(Actor[Ping | PriorityPing]):
    """Reports each message; the first one keeps it until the test opens the gate."""

    dispatcher = "thread"

    def __init__(self, gate: "ThreadGate") -> None:
        self._gate = gate

    def on_receive(self, message: Ping | PriorityPing) -> None:
        self._gate.wait_until_open()
        self.tell(ROOT, Observed(text=message.text))

    def on_stop(self) -> None:
        self._gate.recorded.put("stopped")


class DrainingGatedActor(GatedActor):
    drains_before_stop = True


class ThreadGate:
    """Holds a thread until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.recorded: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._open = threading.Event()

    def wait_until_open(self) -> None:
        self.reached.set()
        assert self._open.wait(PROBE_TIMEOUT_S)

    def wait_until_reached(self) -> None:
        assert self.reached.wait(PROBE_TIMEOUT_S)

    def open(self) -> None:
        self._open.set()


class SampleParent(Actor[Message]):
    """Starts children under given names; does what it is told when poked; reports their ends."""

    def __init__(
        self,
        *children: tuple[str, Callable[[], Actor[Any]]],
        on_ping: Callable[["SampleParent"], None] = lambda _: None,
    ) -> None:
        self._children = children
        self._when_poked = on_ping

    def on_start(self) -> None:
        for name, make in self._children:
            self.start(make, name)

    def on_receive(self, message: Message) -> None:
        if isinstance(message, Ping):
            self._when_poked(self)
        else:
            self.tell(ROOT, message)

    def ping_children(self) -> None:
        for name, _ in self._children:
            self.tell(self.address.child(name), Ping())


class StopRecorder(Actor[ChildEndMessage | Observed]):
    """Writes down its stop, and the end of a job that takes its time to clean up."""

    def __init__(self, record: "queue.SimpleQueue[str]", job: ReportJob | None = None) -> None:
        self._chronicle = record
        self._job = job

    def on_start(self) -> None:
        if self._job is not None:
            self.start_job(self._job, report_failure)

    def on_receive(self, message: ChildEndMessage | Observed) -> None:
        """Not care."""

    def on_stop(self) -> None:
        self._chronicle.put(f"{self.address} stops")


def drain_queue(entries: "queue.SimpleQueue[str]") -> list[str]:
    """Take what has been written so far."""
    return [entries.get() for _ in range(entries.qsize())]


def new_future() -> "Future[None]":
    return Future()


def make_slow_cleanup_job(record: "queue.SimpleQueue[str]", name: str) -> ReportJob:
    async def job() -> Observed:
        try:
            record.put(f"{name} at work")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            record.put(f"{name} cleaned up")
        return Observed(text="never")

    return job
