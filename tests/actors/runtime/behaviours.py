"""Small actors that the tests of the runtime share."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar

from actors.runtime.actor import Actor, Failure, JobId
from messages.address import ROOT
from messages.agents import ChildCancelled, ChildCompleted, ChildFailed
from messages.base import Message
from tests.probe import PATIENCE_S

SOON_S = 0.05
"""A deadline that a test lets pass."""


class Poke(Message):
    """Do what you are there for."""

    word: str = ""


class Hurry(Message):
    """Overtakes the mail."""

    high_priority = True
    word: str = ""


class Please(Message):
    """Something its sender wants to hear of."""

    notify_undelivered: ClassVar[bool] = True
    word: str = ""


class Said(Message):
    """Something that happened, told to whoever listens."""

    word: str


Ends = ChildCompleted | ChildCancelled | ChildFailed
Job = Callable[[], Awaitable[Said]]


class Echo(Actor[Poke]):
    """Answers whoever speaks to it."""

    def on_receive(self, message: Poke) -> None:
        self.tell(self.sender, Said(word=message.word))


class EchoOnThread(Echo):
    dispatcher = "thread"


class Finisher(Actor[Poke]):
    """Speaks its last words and ends."""

    def on_receive(self, message: Poke) -> None:
        self.tell(ROOT, Said(word="last words"))
        self.finish(message.word)


class FinisherOnThread(Finisher):
    dispatcher = "thread"


class Worker(Actor[Poke | Hurry | Said]):
    """Does its job when poked, cancels it when hurried, and tells the root what is said."""

    def __init__(self, job: Callable[[Callable[[Said], None]], Awaitable[Said]]) -> None:
        self._job = job
        self._works: list[JobId] = []

    def on_receive(self, message: Poke | Hurry | Said) -> None:
        match message:
            case Said():
                self.tell(ROOT, message)
            case Poke(word=word):
                self._works.append(self.work(partial(self._job, self.inlet()), said_of))
                if word == "and cancel":
                    self.cancel(self._works[-1])
            case Hurry():
                self.cancel(self._works[-1])


class WorkerOnThread(Worker):
    dispatcher = "thread"


def said_of(failure: Failure) -> Said:
    return Said(word=f"{failure.kind} {failure.detail}".strip())


class Busy(Actor[Poke | Hurry]):
    """Reports each message; the first one keeps it until the test opens the gate."""

    dispatcher = "thread"

    def __init__(self, gate: "Gate") -> None:
        self._gate = gate

    def on_receive(self, message: Poke | Hurry) -> None:
        self._gate.pass_through()
        self.tell(ROOT, Said(word=message.word))

    def on_stop(self) -> None:
        self._gate.passed.put("stopped")


class BusyAndDraining(Busy):
    drains = True


class Gate:
    """Holds a thread until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.passed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        assert self._open.wait(PATIENCE_S)

    def await_arrival(self) -> None:
        assert self.reached.wait(PATIENCE_S)

    def open(self) -> None:
        self._open.set()


class Parent(Actor[Message]):
    """Starts children under given names; does what it is told when poked; reports their ends."""

    def __init__(
        self,
        *children: tuple[str, Callable[[], Actor[Any]]],
        when_poked: Callable[["Parent"], None] = lambda _: None,
    ) -> None:
        self._children = children
        self._when_poked = when_poked

    def on_start(self) -> None:
        for name, make in self._children:
            self.start(make, name)

    def on_receive(self, message: Message) -> None:
        if isinstance(message, Poke):
            self._when_poked(self)
        else:
            self.tell(ROOT, message)

    def poke_children(self) -> None:
        for name, _ in self._children:
            self.tell(self.address.child(name), Poke())


class Chronicler(Actor[Ends | Said]):
    """Writes down its stop, and the end of a job that takes its time to clean up."""

    def __init__(self, chronicle: "queue.SimpleQueue[str]", job: Job | None = None) -> None:
        self._chronicle = chronicle
        self._job = job

    def on_start(self) -> None:
        if self._job is not None:
            self.work(self._job, said_of)

    def on_receive(self, message: Ends | Said) -> None:
        """Not care."""

    def on_stop(self) -> None:
        self._chronicle.put(f"{self.address} stops")


def taken(entries: "queue.SimpleQueue[str]") -> list[str]:
    """Take what has been written so far."""
    return [entries.get() for _ in range(entries.qsize())]


def new_future() -> "Future[None]":
    return Future()


def slow_to_clean_up(chronicle: "queue.SimpleQueue[str]", name: str) -> Job:
    async def job() -> Said:
        try:
            chronicle.put(f"{name} at work")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            chronicle.put(f"{name} cleaned up")
        return Said(word="never")

    return job
