"""A cell's state, and the context that its behavior sees."""

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
    """A behavior with its mailbox, children and jobs; implements `ActorContext`."""

    def __init__(self, runtime: RuntimePort, address: Address, make: ActorFactory) -> None:
        """Create the cell. The behavior is made later, in the cell's own context."""
        behavior_class = get_behavior_class(make)
        self.address = address
        self.sender = address
        self.incarnation = 1
        self.inbox_types = get_inbox_types(behavior_class)
        self.drains_before_stop = behavior_class.drains_before_stop
        self.watched_peers: dict[Address, None] = {}
        """Peers whose restarts it subscribed to."""
        self.is_closed = False
        """True: it has ended or was abandoned; it handles and sends nothing more."""
        self._runtime = runtime
        self._make = make
        self._behavior: Actor[Any] | None = None
        self._end: ChildEnded | None = None
        self._unstashed_types: frozenset[type[Message]] | None = None
        """Types that are handled while all others are stashed; None: nothing is stashed."""
        self._stashed: list[MailboxItem] = []
        self._children = Children(runtime.event_loop, self.post)
        self._jobs = Jobs(runtime.event_loop, address, self.post)

    @abstractmethod
    def post(self, item: MailboxItem) -> bool:
        """Add an item to the mailbox, from any thread; False: the cell has ended."""

    @abstractmethod
    def take_all(self) -> list[MailboxItem]:
        """Empty the mailbox."""

    @abstractmethod
    def put_back(self, items: list[MailboxItem]) -> None:
        """Put items in front of the mailbox; only in the cell's own context."""

    @abstractmethod
    def close_mailbox(self) -> list[MailboxItem]:
        """Close the mailbox for good; return what was left in it."""

    # Called by the behavior, in the cell's own context.

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, unless this cell is closed."""
        if not self.is_closed:
            self._runtime.send(to, message, sender)

    def start_child(self, make: ActorFactory, name: str, restart: Restart) -> Address:
        """Start a child.

        Raises:
            ValueError: the end of an earlier child of that name has not arrived yet.
            TypeError: `make` makes no actor, or this inbox lacks one of the three end messages.
        """
        address = self.address.child(name)
        if address in self._children:
            problem = f"{address} is already in use"
            raise ValueError(problem)
        if self.inbox_types is not None and not self.inbox_types >= CHILD_END_TYPES:
            problem = f"{self.address} starts a child, so its inbox must include all of ChildEnded"
            raise TypeError(problem)
        if not self.is_closed:
            self._children.add(self._runtime.start_cell(make, address, self, restart))
        if self.is_closed:  # abandoned, perhaps just now: its children must not outlive it
            self._runtime.abandon(address)
        return address

    def stop_child(self, child: Address, timeout_s: float) -> None:
        """Begin to stop a child; after `timeout_s` it is abandoned."""
        self._children.stop(child, self._runtime.event_loop.now_s() + timeout_s)

    def start_job(
        self, job: Callable[[], Awaitable[Message]], on_failure: Callable[[JobFailure], Message]
    ) -> JobId:
        """Start a job on the event loop, unless this cell is closed."""
        return 0 if self.is_closed else self._jobs.start(job, on_failure)

    def schedule(self, delay_s: float, message: Message) -> None:
        """Start a timer, unless this cell is closed."""
        if not self.is_closed:
            self._jobs.schedule(delay_s, message)

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job."""
        self._jobs.cancel(job_id)

    def message_sink(self) -> Callable[[Message], None]:
        """Return a function that posts messages to this incarnation, from any thread."""
        return partial(self._post_to_incarnation, self.incarnation)

    def watch(self, peer: Address) -> None:
        """Subscribe to a peer's restarts.

        Raises:
            TypeError: this inbox has no `PeerRestarted`.
        """
        if self.inbox_types is not None and PeerRestarted not in self.inbox_types:
            problem = f"{self.address} watches {peer}, so its inbox must include PeerRestarted"
            raise TypeError(problem)
        if not self.is_closed:
            self.watched_peers[peer] = None
            self._runtime.watch(peer, self.address)

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        """Hold back messages of all other types."""
        self._unstashed_types = except_types

    def unstash(self) -> None:
        """Put the stashed items back in front of the mailbox, and hold nothing back anymore."""
        self._unstashed_types = None
        stashed, self._stashed = self._stashed, []
        self.put_back(stashed)

    def finish(self, result: str) -> None:
        """Stop normally after the current message."""
        self._end = self._end or ChildCompleted(child=self.address, result=result)

    # Called by jobs, from any thread.

    def _post_to_incarnation(self, incarnation: int, message: Message) -> None:
        check_inbox(message, self.inbox_types, self.address)
        if incarnation == self.incarnation:
            self.post(Envelope(self.address, self.address, message))
