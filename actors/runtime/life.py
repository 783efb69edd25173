"""One actor's life, from its first step to its one end; the cells of `cell` run it.

Everything here happens in the cell's own context: its turns on the event loop, or its thread.
"""

import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from actors.runtime.actor import Actor, Factory, Failure, Host, UnexpectedMessageError
from actors.runtime.actor import behaviour_of, inbox_of
from actors.runtime.event_loop import EventLoop, describe
from actors.runtime.lanes import ChildGone, DeadlinePassed, Parcel, Post, StopOrder, WorkEnded
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed
from messages.base import Message

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger("greenroom.runtime")

UNTOLD_DEADLINE_S = 5.0
"""For winding down after a crash or `finish`, where nobody named a deadline."""
CHILD_SHARE = 0.9
"""A child's part of its parent's time, so that the deepest deadline passes first."""


class World(Protocol):
    """The system, as its cells see it."""

    event_loop: EventLoop

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, or count a dead letter."""
        ...

    def spawn(self, make: Factory, address: Address, parent: "Life | None") -> "Life":
        """Make a cell, enter it into the directory and schedule its first step."""
        ...

    def forget(self, address: Address) -> None:
        """Take an ended cell out of the directory."""
        ...

    def abandon(self, address: Address) -> None:
        """Fence a cell that missed its deadline, and all below it."""
        ...

    def count_dead(self, letters: int, to: Address) -> None:
        """Count messages that nobody will handle."""
        ...

    def ended(self, address: Address, end: ChildEnded) -> None:
        """Hear that the root has ended."""
        ...


class Stage(Enum):
    """Where in its life a cell is."""

    NEW = auto()
    RUNNING = auto()
    WINDING_DOWN = auto()
    ENDED = auto()


class Life(Host):
    """A behaviour with its children and its works; ends exactly once."""

    def __init__(self, world: World, address: Address, make: Factory, parent: "Life | None") -> None:
        """Prepare; nothing of the feature runs before `begin`."""
        self.address = address
        self.sender = address
        self.behaviour_class = behaviour_of(make)
        self.kinds = inbox_of(self.behaviour_class)
        self._world = world
        self._make = make
        self._parent = parent
        self._behaviour: Actor[Any] | None = None
        self._stage = Stage.NEW
        self._end: ChildEnded | None = None
        self._deadline_s = float("inf")
        self._children: dict[Address, Life] = {}
        self._works: dict[int, Callable[[Failure], Message]] = {}
        self._tasks: dict[int, asyncio.Task[Message]] = {}
        self._last_work = 0

    @abstractmethod
    def post(self, parcel: Parcel) -> bool:
        """Put a parcel into this cell's inbox, from any thread; False: it has ended."""

    @abstractmethod
    def close(self) -> list[Parcel]:
        """Close the inbox for good; what was left in it."""

    @property
    def over(self) -> bool:
        """Whether nothing will be handled any more."""
        return self._stage is Stage.ENDED

    def begin(self) -> None:
        """Take the first step: make the behaviour and start it."""
        if self._stage is not Stage.NEW:
            return
        self._stage = Stage.RUNNING
        try:
            behaviour = self._make()
            Actor.settle(behaviour, self)
            self._behaviour = behaviour
            behaviour.on_start()
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self._fail("start", error)
        self._finish_if_asked()

    def handle(self, parcel: Parcel) -> None:
        """Carry out one parcel; never raises."""
        match parcel:
            case _ if self._stage is Stage.ENDED:
                return
            case Post(sender, message):
                self._receive(message, sender)
            case StopOrder(deadline):
                self._wind_down(ChildCancelled(child=self.address), deadline)
            case DeadlinePassed():
                self._give_up()
            case WorkEnded(work, outcome):
                self._work_ended(work, outcome)
            case ChildGone(child, message):
                self._child_gone(child, message)

    def fence(self) -> None:
        """End without another word: the parent gave up waiting."""
        self._stage = Stage.ENDED
        self._count_left()

    # What the behaviour asks for.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, unless this cell was given up."""
        if not self.over:
            self._world.send(to, message, sender)

    def start_child(self, make: Factory, name: str) -> Address:
        """Start a child; names are not used twice."""
        address = self.address.child(name)
        self._children[address] = self._world.spawn(make, address, self)
        return address

    def stop_child(self, child: Address, within_s: float) -> None:
        """Begin to stop a child."""
        self._order_stop(child, self._world.event_loop.now() + within_s)

    def start_work(
        self, job: Callable[[], Awaitable[Message]], failed: Callable[[Failure], Message]
    ) -> int:
        """Launch a job on the event loop."""
        self._last_work += 1
        self._works[self._last_work] = failed
        self._world.event_loop.run(partial(self._launch, self._last_work, job))
        return self._last_work

    def cancel_work(self, work: int) -> None:
        """Cancel by id and behind the launch, which may not have happened yet."""
        self._world.event_loop.run(partial(self._cancel_task, work))

    def inlet(self) -> Callable[[Message], None]:
        """Speak to this cell as itself."""
        return lambda message: void(self.post(Post(self.address, message)))

    def finish(self, result: str) -> None:
        """End after the message in hand."""
        self._end = self._end or ChildCompleted(child=self.address, result=result)

    # How it goes on.

    def _receive(self, message: Message, sender: Address) -> None:
        if self._stage is not Stage.RUNNING or self._behaviour is None:
            self._world.count_dead(1, self.address)
            return
        self.sender = sender
        try:
            if self.kinds is not None and type(message) not in self.kinds:
                raise UnexpectedMessageError(type(message).__name__)
            self._behaviour.on_receive(message)
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self._fail("crash", error)
        self._finish_if_asked()

    def _work_ended(self, work: int, outcome: Message | BaseException | None) -> None:
        failed = self._works.pop(work, None)
        if self._stage is Stage.RUNNING and failed is not None:
            try:
                message = outcome if isinstance(outcome, Message) else failed(_failure(outcome))
            except BaseException as error:  # noqa: BLE001  (`failed` is the feature's)
                self._fail("crash", error)
            else:
                self._receive(message, self.address)
        self._end_if_done()

    def _child_gone(self, child: Address, message: Message) -> None:
        if self._children.pop(child, None) is None:
            return
        if self._stage is Stage.RUNNING:
            self._receive(message, child)
        elif self.address == ROOT:
            self._stop_last_child()
        self._end_if_done()

    def _fail(self, cause: "Any", error: BaseException) -> None:
        log.error("%s failed (%s)", self.address, cause, exc_info=error)
        end = ChildFailed(child=self.address, cause=cause, detail=describe(error))
        self._wind_down(end, self._world.event_loop.now() + UNTOLD_DEADLINE_S)

    def _finish_if_asked(self) -> None:
        if self._end is not None and self._stage is Stage.RUNNING:
            self._wind_down(self._end, self._world.event_loop.now() + UNTOLD_DEADLINE_S)

    # The one way out.

    def _wind_down(self, end: ChildEnded, deadline_s: float) -> None:
        """Clean up, cancel work, stop children, end: the same path for finish, stop and crash."""
        first = self._stage is not Stage.WINDING_DOWN
        self._end = end if first else self._end
        self._stage = Stage.WINDING_DOWN
        if first:
            self._clean_up()
            for work in self._works:
                self.cancel_work(work)
        if deadline_s < self._deadline_s:
            self._deadline_s = deadline_s
            self._stop_children()
        self._end_if_done()
        if not self.over:
            self._world.event_loop.at(deadline_s, lambda: void(self.post(DeadlinePassed())))

    def _clean_up(self) -> None:
        if self._behaviour is None:
            return
        try:
            self._behaviour.on_stop()
        except BaseException as error:  # noqa: BLE001  (a fault in clean-up must not skip the rest)
            log.error("%s failed while it cleaned up", self.address, exc_info=error)

    def _stop_children(self) -> None:
        """Stop children together, last started first; the root's one by one."""
        if self.address == ROOT:
            self._stop_last_child()
            return
        for child in reversed(self._children):
            self._order_stop(child, self._child_deadline_s())

    def _stop_last_child(self) -> None:
        if self._children:
            self._order_stop(next(reversed(self._children)), self._child_deadline_s())

    def _child_deadline_s(self) -> float:
        now_s = self._world.event_loop.now()
        return now_s + CHILD_SHARE * (self._deadline_s - now_s)

    def _order_stop(self, child: Address, deadline_s: float) -> None:
        life = self._children.get(child)
        if life is not None:
            life.post(StopOrder(deadline_s, overtakes=not life.behaviour_class.drains))

    def _end_if_done(self) -> None:
        if self._stage is Stage.WINDING_DOWN and not self._works and not self._children:
            self._finish_life()

    def _give_up(self) -> None:
        if self._stage is not Stage.WINDING_DOWN or self._world.event_loop.now() < self._deadline_s:
            return
        for child in self._children:
            log.error("%s did not stop in time and was given up", child)
            self._world.abandon(child)
        if self._works:
            log.error("%s: %d jobs did not end in time", self.address, len(self._works))
        self._finish_life()

    def _finish_life(self) -> None:
        self._stage = Stage.ENDED
        self._count_left()
        self._world.forget(self.address)
        end = self._end or ChildCancelled(child=self.address)
        if self._parent is None:
            self._world.ended(self.address, end)
        else:
            self._parent.post(ChildGone(self.address, end))
        self._behaviour = None

    def _count_left(self) -> None:
        letters = sum(isinstance(parcel, Post) for parcel in self.close())
        self._world.count_dead(letters, self.address)

    # Work: these run on the event loop's thread.

    def _launch(self, work: int, job: Callable[[], Awaitable[Message]]) -> None:
        task = self._world.event_loop.launch(job, name=f"{self.address} work {work}")
        self._tasks[work] = task
        task.add_done_callback(partial(self._task_done, work))

    def _cancel_task(self, work: int) -> None:
        task = self._tasks.get(work)
        if task is not None:
            task.cancel()

    def _task_done(self, work: int, task: "asyncio.Task[Message]") -> None:
        """Report from the done-callback: a job cancelled before its first step never ran at all."""
        del self._tasks[work]
        self.post(WorkEnded(work, None if task.cancelled() else task.exception() or task.result()))


def _failure(outcome: BaseException | None) -> Failure:
    return Failure("cancelled") if outcome is None else Failure("raised", describe(outcome))


def void(_: object) -> None:
    """Drop a value that does not matter here."""
