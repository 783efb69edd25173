"""What an actor owns, and what its behaviour may ask for."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args

from actors.runtime.actor import (
    Actor,
    ActorContext,
    Factory,
    Failure,
    JobId,
    behaviour_of,
    check,
    inbox_of,
)
from actors.runtime.children import Children
from actors.runtime.lanes import MailboxItem
from actors.runtime.supervision import Restart
from actors.runtime.works import Works
from actors.runtime.world import World
from messages.address import Address
from messages.agents import ChildCompleted, ChildEnded
from messages.base import Message
from messages.envelope import Envelope
from messages.supervision import PeerRestarted

ENDS = frozenset(get_args(ChildEnded))


class Household(ActorContext):
    """A behaviour with its mailbox, its children and its works."""

    def __init__(self, world: World, address: Address, make: Factory) -> None:
        """Prepare; nothing of the feature runs yet."""
        behaviour = behaviour_of(make)
        self.address = address
        self.sender = address
        self.incarnation = 1
        self.kinds = inbox_of(behaviour)
        self.drains = behaviour.drains
        self.watches: dict[Address, None] = {}
        """Of whose restarts it has asked to hear."""
        self.over = False
        """True: nothing is handled or sent any more; it ended, or was given up."""
        self._world = world
        self._make = make
        self._behaviour: Actor[Any] | None = None
        self._end: ChildEnded | None = None
        self._passing: frozenset[type[Message]] | None = None
        """While mail is held, what passes all the same; None: it is not held."""
        self._held: list[MailboxItem] = []
        self._children = Children(world.event_loop, self.post)
        self._works = Works(world.event_loop, address, self.post)

    @abstractmethod
    def post(self, parcel: MailboxItem) -> bool:
        """Put a parcel into this cell's inbox, from any thread; False: it has ended."""

    @abstractmethod
    def take_all(self) -> list[MailboxItem]:
        """Empty the inbox."""

    @abstractmethod
    def put_back(self, parcels: list[MailboxItem]) -> None:
        """Put parcels before everything that is in the inbox; in the cell's context only."""

    @abstractmethod
    def close(self) -> list[MailboxItem]:
        """Close the inbox for good; what was left in it."""

    # What the behaviour asks for.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, unless this cell was given up."""
        if not self.over:
            self._world.send(to, message, sender)

    def start_child(self, make: Factory, name: str, restart: Restart) -> Address:
        """Start a child.

        Raises:
            ValueError: a child has the name whose end has not been heard of.
            TypeError: `make` is no actor's, or this actor could not receive the child's end.
        """
        address = self.address.child(name)
        if address in self._children:
            problem = f"{address} is taken"
            raise ValueError(problem)
        if self.kinds is not None and not self.kinds >= ENDS:
            problem = f"{self.address} starts a child: its inbox must have all of ChildEnded"
            raise TypeError(problem)
        if not self.over:
            self._children.add(self._world.spawn(make, address, self, restart))
        if self.over:  # given up, perhaps just now: what it starts must not outlive it
            self._world.give_up(address)
        return address

    def stop_child(self, child: Address, within_s: float) -> None:
        """Begin to stop a child; after `within_s` it is given up."""
        self._children.stop(child, self._world.event_loop.now() + within_s)

    def start_work(
        self, job: Callable[[], Awaitable[Message]], failed: Callable[[Failure], Message]
    ) -> JobId:
        """Launch a job on the event loop, unless this cell was given up."""
        return 0 if self.over else self._works.start(job, failed)

    def remind(self, delay_s: float, message: Message) -> None:
        """Set a timer, unless this cell was given up."""
        if not self.over:
            self._works.remind(delay_s, message)

    def cancel_work(self, work: JobId) -> None:
        """Cancel a job."""
        self._works.cancel(work)

    def inlet(self) -> Callable[[Message], None]:
        """Speak to this incarnation as itself, from any thread."""
        return partial(self._let_in, self.incarnation)

    def watch(self, peer: Address) -> None:
        """Hear of a peer's restarts.

        Raises:
            TypeError: this actor could not receive the news.
        """
        if self.kinds is not None and PeerRestarted not in self.kinds:
            problem = f"{self.address} watches {peer}: its inbox must have PeerRestarted"
            raise TypeError(problem)
        if not self.over:
            self.watches[peer] = None
            self._world.watch(peer, self.address)

    def hold_mail(self, passing: frozenset[type[Message]]) -> None:
        """Let all mail wait that is not of these kinds."""
        self._passing = passing

    def release_mail(self) -> None:
        """Let the mail come in again, in its order."""
        self._passing = None
        held, self._held = self._held, []
        self.put_back(held)

    def finish(self, result: str) -> None:
        """End after the message in hand."""
        self._end = self._end or ChildCompleted(child=self.address, result=result)

    # Not from here.

    def _let_in(self, incarnation: int, message: Message) -> None:
        check(message, self.kinds, self.address)
        if incarnation == self.incarnation:
            self.post(Envelope(self.address, self.address, message))
