"""One actor's life, from its first step to its one end; the cells of `cell` run it.

Everything here happens in the cell's own context (its turns on the event loop, or its thread),
but for `post`, `fence` and what says so.
"""

import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Any, get_args

from actors.runtime.actor import (
    Actor,
    Factory,
    Failure,
    Host,
    WorkId,
    behaviour_of,
    check,
    inbox_of,
)
from actors.runtime.children import Children
from actors.runtime.event_loop import Alarm, describe
from actors.runtime.lanes import (
    ChildGone,
    ChildOverdue,
    DeadlinePassed,
    Parcel,
    StopOrder,
    WorkEnded,
    letters_in,
)
from actors.runtime.works import Works
from actors.runtime.world import World
from messages.address import ROOT, Address
from messages.agents import ChildCancelled, ChildCompleted, ChildEnded, ChildFailed, FailureCause
from messages.base import Message
from messages.envelope import Envelope

log = logging.getLogger("greenroom.runtime")

UNTOLD_DEADLINE_S = 5.0
"""For winding down after a crash or `finish`, where nobody named a deadline."""
ENDS = frozenset(get_args(ChildEnded))


class Stage(Enum):
    """Where in its life a cell is."""

    NEW = auto()
    RUNNING = auto()
    WINDING_DOWN = auto()
    ENDED = auto()


class Life(Host):
    """A behaviour with its children and its works; ends exactly once."""

    def __init__(
        self, world: World, address: Address, make: Factory, parent: "Life | None"
    ) -> None:
        """Prepare; nothing of the feature runs before `begin`."""
        behaviour = behaviour_of(make)
        self.address = address
        self.sender = address
        self.kinds = inbox_of(behaviour)
        self.drains = behaviour.drains
        self.over = False
        """True: nothing is handled or sent any more; it ended, or was given up."""
        self._world = world
        self._make = make
        self._parent = parent
        self._behaviour: Actor[Any] | None = None
        self._stage = Stage.NEW
        self._end: ChildEnded | None = None
        self._deadline_s = float("inf")
        self._alarm: Alarm | None = None
        self._children = Children(world.event_loop, self.post)
        self._works = Works(world.event_loop, address, self.post)

    @abstractmethod
    def post(self, parcel: Parcel) -> bool:
        """Put a parcel into this cell's inbox, from any thread; False: it has ended."""

    @abstractmethod
    def close(self) -> list[Parcel]:
        """Close the inbox for good; what was left in it."""

    def begin(self) -> None:
        """Take the first step: make the behaviour and start it."""
        self._stage = Stage.RUNNING
        try:
            behaviour = self._make()
            Actor.settle(behaviour, self)
            self._behaviour = behaviour
            behaviour.on_start()
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self.fail("start", error)
        self._finish_if_asked()

    def handle(self, parcel: Parcel) -> None:
        """Carry out one parcel; never raises."""
        if self.over:
            self._world.count_dead(letters_in([parcel]), self.address)
            return
        match parcel:
            case Envelope():
                self._receive(parcel.message, parcel.sender)
            case StopOrder(deadline_s):
                self._wind_down(ChildCancelled(child=self.address), deadline_s)
            case DeadlinePassed():
                self._give_up()
            case WorkEnded(work, outcome):
                self._work_ended(work, outcome)
            case ChildGone(child, end):
                self._child_gone(child, end)
            case ChildOverdue(child):
                self._child_overdue(child)

    def fence(self) -> None:
        """Take no further part, from any thread: the parent gave up waiting for the end."""
        self.over = True
        self._world.count_dead(letters_in(self.close()), self.address)
        self._works.cancel_all()

    def leave(self) -> None:
        """Clean up what a given-up behaviour left when it comes back after all."""
        if self._stage is Stage.RUNNING:
            self._stage = Stage.ENDED
            self._clean_up()
            self._behaviour = None

    # What the behaviour asks for.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, unless this cell was given up."""
        if not self.over:
            self._world.send(to, message, sender)

    def start_child(self, make: Factory, name: str) -> Address:
        """Start a child.

        Raises:
            ValueError: a living child has the name.
            TypeError: `make` is no actor's, or this actor could not receive the child's end.
        """
        address = self.address.child(name)
        if self.kinds is not None and not self.kinds >= ENDS:
            problem = f"{self.address} starts a child: its inbox must have all of ChildEnded"
            raise TypeError(problem)
        if not self.over:
            self._children.add(self._world.spawn(make, address, self))
        if self.over:  # given up, perhaps just now: what it starts must not outlive it
            self._world.give_up(address)
        return address

    def stop_child(self, child: Address, within_s: float) -> None:
        """Begin to stop a child; after `within_s` it is given up."""
        self._children.stop(child, self._world.event_loop.now() + within_s)

    def start_work(
        self, job: Callable[[], Awaitable[Message]], failed: Callable[[Failure], Message]
    ) -> WorkId:
        """Launch a job on the event loop, unless this cell was given up."""
        return 0 if self.over else self._works.start(job, failed)

    def cancel_work(self, work: WorkId) -> None:
        """Cancel a job."""
        self._works.cancel(work)

    def inlet(self) -> Callable[[Message], None]:
        """Speak to this cell as itself, from any thread."""
        return self._let_in

    def finish(self, result: str) -> None:
        """End after the message in hand."""
        self._end = self._end or ChildCompleted(child=self.address, result=result)

    # How it goes on.

    def _let_in(self, message: Message) -> None:
        check(message, self.kinds, self.address)
        self.post(Envelope(self.address, self.address, message))

    def _receive(self, message: Message, sender: Address) -> None:
        if self._stage is not Stage.RUNNING or self._behaviour is None:
            self._world.count_dead(1, self.address)
            return
        self.sender = sender
        try:
            self._behaviour.on_receive(message)
        except BaseException as error:  # noqa: BLE001  (nothing a feature raises may leave its cell)
            self.fail("crash", error)
        if self._end is not None:
            self._finish_if_asked()

    def _work_ended(self, work: WorkId, outcome: Message | Failure) -> None:
        failed = self._works.close(work)
        if self._stage is Stage.RUNNING and failed is not None:
            try:
                message = failed(outcome) if isinstance(outcome, Failure) else outcome
                check(message, self.kinds, self.address)
            except BaseException as error:  # noqa: BLE001  (`failed` is the feature's)
                self.fail("crash", error)
            else:
                self._receive(message, self.address)
        self._end_if_done()

    def _child_gone(self, child: Address, end: ChildEnded) -> None:
        """Deliver the first end of a child; a given-up one may end late, which nobody hears."""
        if not self._children.remove(child):
            return
        if self._stage is Stage.RUNNING:
            self._receive(end, child)
        elif self.address == ROOT:
            self._stop_children()
        self._end_if_done()

    def _child_overdue(self, child: Address) -> None:
        """Give up on a child; one that has just ended is no longer there, its end is on its way."""
        if child in self._children and self._world.give_up(child):
            end = ChildFailed(child=child, cause="unresponsive", detail="did not stop in time")
            self._child_gone(child, end)

    def fail(self, cause: FailureCause, error: BaseException) -> None:
        """End because of what was raised."""
        log.error("%s failed (%s)", self.address, cause, exc_info=error)
        end = ChildFailed(child=self.address, cause=cause, detail=describe(error))
        self._wind_down(end, self._world.event_loop.now() + UNTOLD_DEADLINE_S)

    def _finish_if_asked(self) -> None:
        if self._end is not None and self._stage is Stage.RUNNING:
            self._wind_down(self._end, self._world.event_loop.now() + UNTOLD_DEADLINE_S)

    # The one way out.

    def _wind_down(self, end: ChildEnded, deadline_s: float) -> None:
        """Clean up, cancel work, stop children, end: the same path for finish, stop and crash."""
        if self.over:
            return
        if self._stage is not Stage.WINDING_DOWN:
            self._stage = Stage.WINDING_DOWN
            self._end = end
            self._clean_up()
            self._works.cancel_all()
        if deadline_s < self._deadline_s:
            self._deadline_s = deadline_s
            self._stop_children()
        self._end_if_done()
        if not self.over:
            self._alarm = self._alarm or Alarm(self._world.event_loop, self._ring)
            self._alarm.set(self._deadline_s)

    def _ring(self) -> None:
        self.post(DeadlinePassed())

    def _clean_up(self) -> None:
        if self._behaviour is None:
            return
        try:
            self._behaviour.on_stop()
        except BaseException:  # a fault in clean-up must not skip the rest
            log.exception("%s failed while it cleaned up", self.address)

    def _stop_children(self) -> None:
        """Stop children together; the root's one by one, each with a share of the time left."""
        if self.address == ROOT:
            self._children.stop_last(self._children.share_s(self._deadline_s))
        else:
            self._children.stop_together(self._deadline_s)

    def _end_if_done(self) -> None:
        if self._stage is Stage.WINDING_DOWN and not self._works and not self._children:
            self._finish_life()

    def _give_up(self) -> None:
        for child in self._children:
            self._children.remove(child)
            self._world.give_up(child)
        if self._works:
            log.error("%s: %d jobs did not end in time", self.address, len(self._works))
            self._world.count_given_up(len(self._works))
        self._finish_life()

    def _finish_life(self) -> None:
        """End; whoever hears of it finds the directory and the counts settled."""
        self._stage = Stage.ENDED
        self.over = True
        if self._alarm is not None:
            self._alarm.cancel()
        self._world.count_dead(letters_in(self.close()), self.address)
        self._world.forget(self)
        self._behaviour = None
        end = self._end or ChildCancelled(child=self.address)
        if self._parent is None:
            self._world.ended(end)
        else:
            self._parent.post(ChildGone(self.address, end))
