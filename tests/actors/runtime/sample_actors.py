"""Small actors for the tests of the runtime."""

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
from messages.child_lifecycle import ChildEnded
from tests.probe import PROBE_TIMEOUT_S

SHORT_TIMEOUT_S = 0.05
"""A deadline that a test expects to pass."""


class Ping(Message):
    """A message; its effect depends on the receiver."""

    text: str = ""


class PriorityPing(Message):
    """A message with high priority."""

    high_priority = True
    text: str = ""


class TrackedPing(Message):
    """A message that comes back to its sender if it is not handled."""

    notify_undelivered: ClassVar[bool] = True
    text: str = ""


class Observed(Message):
    """A report of what happened."""

    text: str


ReportJob = Callable[[], Awaitable[Observed]]


class Echo(Actor[Ping]):
    """Replies with the text it receives."""

    def on_receive(self, message: Ping) -> None:
        self.tell(self.sender, Observed(text=message.text))


class EchoOnThread(Echo):
    dispatcher = "thread"


class Finisher(Actor[Ping]):
    """Sends a last message and finishes."""

    def on_receive(self, message: Ping) -> None:
        self.tell(ROOT, Observed(text="last message"))
        self.finish(message.text)


class FinisherOnThread(Finisher):
    dispatcher = "thread"


class JobRunner(Actor[Ping | PriorityPing | Observed]):
    """Starts its job on `Ping`, cancels it on `PriorityPing`, and reports outcomes to the root."""

    def __init__(self, job: Callable[[Callable[[Observed], None]], Awaitable[Observed]]) -> None:
        self._job = job
        self._job_ids: list[JobId] = []

    def on_receive(self, message: Ping | PriorityPing | Observed) -> None:
        match message:
            case Observed():
                self.tell(ROOT, message)
            case Ping(text=text):
                self._job_ids.append(
                    self.start_job(partial(self._job, self.message_sink()), report_failure)
                )
                if text == "and cancel":
                    self.cancel_job(self._job_ids[-1])
            case PriorityPing():
                self.cancel_job(self._job_ids[-1])


class JobRunnerOnThread(JobRunner):
    dispatcher = "thread"


def report_failure(failure: JobFailure) -> Observed:
    return Observed(text=f"{failure.kind} {failure.detail}".strip())


class GatedActor(Actor[Ping | PriorityPing]):
    """Reports each message to the root, but only once the test has opened the gate."""

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
    """Blocks a thread until the test opens the gate."""

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
    """Starts named children, calls `on_ping` for each `Ping`, and reports all else to the root."""

    def __init__(
        self,
        *children: tuple[str, Callable[[], Actor[Any]]],
        on_ping: Callable[["SampleParent"], None] = lambda _: None,
    ) -> None:
        self._children = children
        self._on_ping = on_ping

    def on_start(self) -> None:
        for name, make in self._children:
            self.start(make, name)

    def on_receive(self, message: Message) -> None:
        if isinstance(message, Ping):
            self._on_ping(self)
        else:
            self.tell(ROOT, message)

    def ping_children(self) -> None:
        for name, _ in self._children:
            self.tell(self.address.child(name), Ping())


class StopRecorder(Actor[ChildEnded | Observed]):
    """Records its stop, and runs a job."""

    def __init__(self, records: "queue.SimpleQueue[str]", job: ReportJob | None = None) -> None:
        self._records = records
        self._job = job

    def on_start(self) -> None:
        if self._job is not None:
            self.start_job(self._job, report_failure)

    def on_receive(self, message: ChildEnded | Observed) -> None:
        """Ignore the message."""

    def on_stop(self) -> None:
        self._records.put(f"{self.address} stops")


def drain_queue(entries: "queue.SimpleQueue[str]") -> list[str]:
    """Take everything that the queue holds now."""
    return [entries.get() for _ in range(entries.qsize())]


def new_future() -> "Future[None]":
    return Future()


def make_slow_cleanup_job(records: "queue.SimpleQueue[str]", name: str) -> ReportJob:
    async def job() -> Observed:
        try:
            records.put(f"{name} running")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            records.put(f"{name} cleaned up")
        return Observed(text="never")

    return job
