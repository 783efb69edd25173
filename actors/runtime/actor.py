"""`Actor`: the base class of every behavior, and the inbox contract that `tell` checks.

A behavior never sees pykka, threads or the event loop. It reaches the runtime only through the
`ActorContext` that its cell provides.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeGuard,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from actors.runtime.supervision import NO_RESTART, Restart
from messages.address import Address
from messages.base import Message
from messages.child_lifecycle import FailureCause

STOP_TIMEOUT_S = 2.0
"""Deadline for stopping an actor together with its subtree."""

M = TypeVar("M", bound=Message)
JobId = int


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A job that ended without returning a message."""

    kind: Literal["raised", "cancelled"]
    detail: str = ""
    """Type and text of the exception. Never its `repr`, which differs between runs."""


class ActorContext(Protocol):
    """What a behavior can ask of its cell."""

    address: Address
    sender: Address
    receiver: Address
    incarnation: int

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count it as a dead letter."""
        ...

    def start_child(self, make: "ActorFactory", name: str, restart: Restart) -> Address:
        """Start a child actor."""
        ...

    def stop_child(self, child: Address, timeout_s: float) -> None:
        """Begin to stop a child."""
        ...

    def start_job(
        self, job: Callable[[], Awaitable[Message]], on_failure: Callable[[JobFailure], Message]
    ) -> JobId:
        """Run a job on the event loop."""
        ...

    def schedule(self, delay_s: float, message: Message) -> None:
        """Deliver a message to this actor after a delay."""
        ...

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job."""
        ...

    def message_sink(self) -> Callable[[Message], None]:
        """Return a function with which a job sends messages to this actor."""
        ...

    def watch(self, peer: Address) -> None:
        """Subscribe to a peer's restarts."""
        ...

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        """Hold back messages of all other types."""
        ...

    def unstash(self) -> None:
        """Deliver the stashed messages, and stop holding messages back."""
        ...

    def finish(self, result: str) -> None:
        """Stop normally after the current message."""
        ...

    def finish_failed(self, cause: FailureCause, detail: str) -> None:
        """Stop as failed after the current message."""
        ...


class Actor(ABC, Generic[M]):
    """A behavior; `M` is the closed union of the messages it receives.

    Handlers are plain functions that never wait. Slow work goes to `start_job`. Nothing else
    touches an actor's state, and no exception it raises reaches another actor.
    """

    dispatcher: ClassVar[Literal["loop", "thread"]] = "loop"
    """`thread`: for actors that must call blocking code, such as the journal."""
    drains_before_stop: ClassVar[bool] = False
    """True: a stop waits behind the messages already in the mailbox."""
    relays_subtree: ClassVar[bool] = False
    """True: it also receives the messages to all addresses below its own, which run elsewhere."""

    __context: ActorContext

    def on_start(self) -> None:
        """Run before the first message. An exception ends the actor with `ChildFailed`."""

    @abstractmethod
    def on_receive(self, message: M) -> None:
        """Handle one message: a `match` over the union, closed by `assert_never`."""

    def on_stop(self) -> None:
        """Clean up, also after a crash. Jobs and children of this actor are still running."""

    @property
    def address(self) -> Address:
        """The actor's own address."""
        return self.__context.address

    @property
    def sender(self) -> Address:
        """The sender of the current message."""
        return self.__context.sender

    @property
    def receiver(self) -> Address:
        """The receiver of the current message: with `relays_subtree`, perhaps one below this."""
        return self.__context.receiver

    @property
    def incarnation(self) -> int:
        """The number of starts so far: 1, plus one for each restart."""
        return self.__context.incarnation

    def tell(self, to: Address, message: Message) -> None:
        """Send `message`. If the receiver has ended, it is counted as a dead letter.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message (a bug in the sender).
        """
        context = self.__context
        context.send(to, message, context.address)

    def forward(self, to: Address, message: Message) -> None:
        """Send the current message on; the receiver sees the original sender."""
        self.__context.send(to, message, self.__context.sender)

    def relay(self, to: Address, message: Message, sender: Address) -> None:
        """Send a message of an actor below this one; the receiver sees that actor as the sender.

        Raises:
            ValueError: `sender` is not below this actor.
        """
        if not sender.is_under(self.address):
            problem = f"{self.address} relays only messages from below itself, not from {sender}"
            raise ValueError(problem)
        self.__context.send(to, message, sender)

    def start(self, make: "ActorFactory", name: str, restart: Restart = NO_RESTART) -> Address:
        """Start a child; `make` (a class, or a `partial` of one) runs in the child's context.

        The child's end arrives here as exactly one of `ChildCompleted`, `ChildCancelled` and
        `ChildFailed`. An exception in the constructor is `ChildFailed(cause="start")`. After a
        crash that `restart` allows, `make` runs again: address and mailbox stay the same, and no
        end is reported.

        Raises:
            ValueError: the end of an earlier child of that name has not arrived yet.
            TypeError: `make` makes no actor, or this inbox lacks one of the three end messages.
        """
        return self.__context.start_child(make, name, restart)

    def stop(self, child: Address, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Begin to stop a child and its subtree. The child's end arrives as a message.

        A child that has not ended after `timeout_s` is abandoned:
        `ChildFailed(cause="unresponsive")`.
        """
        self.__context.stop_child(child, timeout_s)

    def start_job(
        self, job: Callable[[], Awaitable[M]], on_failure: Callable[[JobFailure], M]
    ) -> JobId:
        """Run slow work on the event loop, without access to this actor.

        Exactly one outcome arrives in this inbox: the message that `job` returns, or the one that
        `on_failure` makes. The outcome of a cancelled job arrives only after it has ended.
        """
        return self.__context.start_job(job, cast("Callable[[JobFailure], Message]", on_failure))

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job; its outcome still arrives. Does nothing if the job has ended."""
        self.__context.cancel_job(job_id)

    def message_sink(self) -> Callable[[M], None]:
        """Return a function with which a running job sends messages to this actor.

        Messages sent after this incarnation has ended are dropped.
        """
        return cast("Callable[[M], None]", self.__context.message_sink())

    def schedule(self, delay_s: float, message: M) -> None:
        """Send `message` to this actor after a delay, unless this incarnation ends first."""
        self.__context.schedule(delay_s, message)

    def watch(self, peer: Address) -> None:
        """Receive `PeerRestarted` after each restart of `peer`, which need not exist yet.

        Raises:
            TypeError: this inbox has no `PeerRestarted`.
        """
        self.__context.watch(peer)

    def stash(self, *except_types: type[Message]) -> None:
        """Hold back messages of all other types until `unstash` or a restart."""
        self.__context.stash(frozenset(except_types))

    def unstash(self) -> None:
        """Deliver the stashed messages in their order, and stop holding messages back."""
        self.__context.unstash()

    def finish(self, result: str = "") -> None:
        """Stop normally after the current message; the parent gets `ChildCompleted(result)`."""
        self.__context.finish(result)

    def finish_failed(self, cause: FailureCause, detail: str) -> None:
        """Stop after the current message, without a restart; the parent gets `ChildFailed`."""
        self.__context.finish_failed(cause, detail)

    @staticmethod
    def bind(behavior: "Actor[Any]", context: ActorContext) -> None:
        """Connect a new behavior to its cell. Only the runtime calls this."""
        behavior.__context = context  # noqa: SLF001  (its own class)


ActorFactory = Callable[[], Actor[Any]]


class UnexpectedMessageError(TypeError):
    """A message that is not in the receiver's inbox union; raised in the sender."""


def check_inbox(
    message: Message, inbox_types: frozenset[type[Message]] | None, to: Address
) -> None:
    """Check that an inbox accepts a message.

    Raises:
        UnexpectedMessageError: it does not.
    """
    if inbox_types is not None and type(message) not in inbox_types:
        problem = f"{to} does not receive {type(message).__name__}"
        raise UnexpectedMessageError(problem)


def get_behavior_class(make: ActorFactory) -> type[Actor[Any]]:
    """Return the class that a factory makes, without calling it.

    Raises:
        TypeError: `make` is neither an actor class nor a `partial` of one.
    """
    target: object = make.func if isinstance(make, partial) else make
    if _is_actor_class(target):
        return target
    message = f"{target!r} is not an actor class or a partial of one"
    raise TypeError(message)


def _is_actor_class(target: object) -> TypeGuard[type[Actor[Any]]]:
    return isinstance(target, type) and issubclass(target, Actor)


@cache
def get_inbox_types(behavior: type[Actor[Any]]) -> frozenset[type[Message]] | None:
    """Return the union in `class Name(Actor[Union])` as a set; None: every message is accepted.

    Raises:
        TypeError: the class names no union.
    """
    for base in behavior.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            if get_origin(generic) is Actor and not isinstance(get_args(generic)[0], TypeVar):
                inbox_types = frozenset(_flatten(get_args(generic)[0]))
                return None if Message in inbox_types else inbox_types
    message = f"{behavior.__name__} declares no inbox: write class Name(Actor[Union])"
    raise TypeError(message)


def _flatten(union: Any) -> list[type[Message]]:  # noqa: ANN401  (a type form has no type)
    if get_origin(union) is Annotated:
        return _flatten(get_args(union)[0])
    if get_origin(union) in (Union, UnionType):
        return [member for part in get_args(union) for member in _flatten(part)]
    return [union]
