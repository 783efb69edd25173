"""What an actor owns, and what its behaviour may ask for."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args

from actors.runtime.actor import (
    Actor,
    ActorContext,
    ActorFactory,
    JobFailure,
    JobId,
    check_inbox,
    get_behavior_class,
    get_inbox_types,
)
from actors.runtime.children import Children
from actors.runtime.jobs import Jobs
from actors.runtime.mailbox import MailboxItem
from actors.runtime.runtime_port import RuntimePort
from actors.runtime.supervision import Restart
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import ChildCompleted, ChildEnded
from messages.envelope import Envelope
from messages.supervision import PeerRestarted

CHILD_END_TYPES = frozenset(get_args(ChildEnded))


class BaseCell(ActorContext):
    """A behaviour with its mailbox, its children and its works."""

    def __init__(self, runtime: RuntimePort, address: Address, make: ActorFactory) -> None:
        """Prepare; nothing of the feature runs yet."""
        behaviour = get_behavior_class(make)
        self.address = address
        self.sender = address
        self.incarnation = 1
        self.inbox_types = get_inbox_types(behaviour)
        self.drains_before_stop = behaviour.drains_before_stop
        self.watched_peers: dict[Address, None] = {}
        """Of whose restarts it has asked to hear."""
        self.is_closed = False
        """True: nothing is handled or sent any more; it ended, or was given up."""
        self._world = runtime
        self._make = make
        self._behaviour: Actor[Any] | None = None
        self._end: ChildEnded | None = None
        self._passing: frozenset[type[Message]] | None = None
        """While mail is held, what passes all the same; None: it is not held."""
        self._held: list[MailboxItem] = []
        self._children = Children(runtime.event_loop, self.post)
        self._works = Jobs(runtime.event_loop, address, self.post)

    @abstractmethod
    def post(self, item: MailboxItem) -> bool:
        """Put a parcel into this cell's inbox, from any thread; False: it has ended."""

    @abstractmethod
    def take_all(self) -> list[MailboxItem]:
        """Empty the inbox."""

    @abstractmethod
    def put_back(self, items: list[MailboxItem]) -> None:
        """Put parcels before everything that is in the inbox; in the cell's context only."""

    @abstractmethod
    def close_mailbox(self) -> list[MailboxItem]:
        """Close the inbox for good; what was left in it."""

    # What the behaviour asks for.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver, unless this cell was given up."""
        if not self.is_closed:
            self._world.send(to, message, sender)

    def start_child(self, make: ActorFactory, name: str, restart: Restart) -> Address:
        """Start a child.

        Raises:
            ValueError: a child has the name whose end has not been heard of.
            TypeError: `make` is no actor's, or this actor could not receive the child's end.
        """
        address = self.address.child(name)
        if address in self._children:
            problem = f"{address} is taken"
            raise ValueError(problem)
        if self.inbox_types is not None and not self.inbox_types >= CHILD_END_TYPES:
            problem = f"{self.address} starts a child: its inbox must have all of ChildEnded"
            raise TypeError(problem)
        if not self.is_closed:
            self._children.add(self._world.start_cell(make, address, self, restart))
        if self.is_closed:  # given up, perhaps just now: what it starts must not outlive it
            self._world.abandon(address)
        return address

    def stop_child(self, child: Address, timeout_s: float) -> None:
        """Begin to stop a child; after `within_s` it is given up."""
        self._children.stop(child, self._world.event_loop.now_s() + timeout_s)

    def start_job(
        self, job: Callable[[], Awaitable[Message]], on_failure: Callable[[JobFailure], Message]
    ) -> JobId:
        """Launch a job on the event loop, unless this cell was given up."""
        return 0 if self.is_closed else self._works.start(job, on_failure)

    def schedule(self, delay_s: float, message: Message) -> None:
        """Set a timer, unless this cell was given up."""
        if not self.is_closed:
            self._works.schedule(delay_s, message)

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job."""
        self._works.cancel(job_id)

    def message_sink(self) -> Callable[[Message], None]:
        """Speak to this incarnation as itself, from any thread."""
        return partial(self._let_in, self.incarnation)

    def watch(self, peer: Address) -> None:
        """Hear of a peer's restarts.

        Raises:
            TypeError: this actor could not receive the news.
        """
        if self.inbox_types is not None and PeerRestarted not in self.inbox_types:
            problem = f"{self.address} watches {peer}: its inbox must have PeerRestarted"
            raise TypeError(problem)
        if not self.is_closed:
            self.watched_peers[peer] = None
            self._world.watch(peer, self.address)

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        """Let all mail wait that is not of these kinds."""
        self._passing = except_types

    def unstash(self) -> None:
        """Let the mail come in again, in its order."""
        self._passing = None
        held, self._held = self._held, []
        self.put_back(held)

    def finish(self, result: str) -> None:
        """End after the message in hand."""
        self._end = self._end or ChildCompleted(child=self.address, result=result)

    # Not from here.

    def _let_in(self, incarnation: int, message: Message) -> None:
        check_inbox(message, self.inbox_types, self.address)
        if incarnation == self.incarnation:
            self.post(Envelope(self.address, self.address, message))
