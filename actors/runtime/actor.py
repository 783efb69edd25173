"""What a feature writes: a behaviour that lives in a cell of the runtime."""

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

STOP_TIMEOUT_S = 2.0
"""Time for the ordered stop of a turn or an agent, and of all below it."""

M = TypeVar("M", bound=Message)
JobId = int


@dataclass(frozen=True, slots=True)
class JobFailure:
    """How a work ended without a message of its own."""

    kind: Literal["raised", "cancelled"]
    detail: str = ""
    """Type and text of what was raised; never a `repr`, which would differ from run to run."""


class ActorContext(Protocol):
    """What a behaviour may ask of the cell it lives in."""

    address: Address
    sender: Address
    incarnation: int

    def send(self, to: Address, message: Message, sender: Address) -> None:
        """Deliver a message, or count a dead letter."""
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
        """Deliver a message to its sender later."""
        ...

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a job."""
        ...

    def message_sink(self) -> Callable[[Message], None]:
        """Open a way for a job to speak before it ends."""
        ...

    def watch(self, peer: Address) -> None:
        """Hear of a peer's restarts."""
        ...

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        """Let all mail wait that is not of these kinds."""
        ...

    def unstash(self) -> None:
        """Let the mail come in again."""
        ...

    def finish(self, result: str) -> None:
        """End in good order after the message in hand."""
        ...


class Actor(ABC, Generic[M]):
    """One member of the tree; `M` is the closed union of what it can receive.

    Handlers are plain functions that never wait: slow work goes to `work`. Nothing else touches an
    actor's state, and nothing it raises reaches another actor.
    """

    dispatcher: ClassVar[Literal["loop", "thread"]] = "loop"
    """`thread`: for actors that must call blocking code, such as the journal."""
    drains_before_stop: ClassVar[bool] = False
    """True: a stop waits behind the mail that is already there."""

    __host: ActorContext

    def on_start(self) -> None:
        """Run before the first message; may raise, which the parent hears as `ChildFailed`."""

    @abstractmethod
    def on_receive(self, message: M) -> None:
        """Handle one message: a `match` over the union, closed by `assert_never`."""

    def on_stop(self) -> None:
        """Clean up on every way out, a crash included; own work and children still run."""

    @property
    def address(self) -> Address:
        """Where this actor stands in the tree."""
        return self.__host.address

    @property
    def sender(self) -> Address:
        """Who sent the message in hand."""
        return self.__host.sender

    @property
    def incarnation(self) -> int:
        """Which life this is: 1, and one more after each restart."""
        return self.__host.incarnation

    def tell(self, to: Address, message: Message) -> None:
        """Send `message`; to an ended actor it is a counted dead letter.

        Raises:
            UnexpectedMessageError: the receiver's inbox has no such message (our bug, so we fail).
        """
        host = self.__host
        host.send(to, message, host.address)

    def forward(self, to: Address, message: Message) -> None:
        """Pass the message in hand on; its receiver sees who said it first."""
        self.__host.send(to, message, self.__host.sender)

    def start(
        self, make: Callable[[], "Actor[Any]"], name: str, restart: Restart = NO_RESTART
    ) -> Address:
        """Start a child; `make` (a class, or a `partial` of one) runs in the child's first step.

        Its end reaches this actor as exactly one of `ChildCompleted`, `ChildCancelled`,
        `ChildFailed`; a raising constructor is `ChildFailed(cause="start")`. A crash that `restart`
        allows is no end: `make` runs again, at the same address and with the mail that waits.

        Raises:
            ValueError: a child has the name whose end has not been heard of.
            TypeError: `make` is no actor's, or this inbox lacks one of the three ends.
        """
        return self.__host.start_child(make, name, restart)

    def stop(self, child: Address, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop a child and all below it; returns at once, the child's end is a message.

        What has not ended after `within_s` is given up: `ChildFailed(cause="unresponsive")`.
        """
        self.__host.stop_child(child, timeout_s)

    def start_job(
        self, job: Callable[[], Awaitable[M]], on_failure: Callable[[JobFailure], M]
    ) -> JobId:
        """Run slow work on the event loop, without access to this actor.

        It has exactly one outcome in this inbox: the message that `job` returns, or what `failed`
        makes of its end. A cancelled job's outcome arrives when it has really ended.
        """
        return self.__host.start_job(job, cast("Callable[[JobFailure], Message]", on_failure))

    def cancel_job(self, job_id: JobId) -> None:
        """Cancel a work; its outcome still arrives. Nothing happens when it has ended."""
        self.__host.cancel_job(job_id)

    def message_sink(self) -> Callable[[M], None]:
        """Give a job a way to speak before it ends; after this actor's end nobody hears it."""
        return cast("Callable[[M], None]", self.__host.message_sink())

    def schedule(self, delay_s: float, message: M) -> None:
        """Hear `message` from oneself when the time has passed, unless this life ends before."""
        self.__host.schedule(delay_s, message)

    def watch(self, peer: Address) -> None:
        """Hear `PeerRestarted` each time that `peer`, who need not live yet, is restarted.

        Raises:
            TypeError: this inbox has no `PeerRestarted`.
        """
        self.__host.watch(peer)

    def stash(self, *except_types: type[Message]) -> None:
        """Let all mail wait that is not of these kinds, until `release_mail` or a restart."""
        self.__host.stash(frozenset(except_types))

    def unstash(self) -> None:
        """Let the mail come in again, in its order."""
        self.__host.unstash()

    def finish(self, result: str = "") -> None:
        """End in good order: `ChildCompleted(result)` goes to the parent."""
        self.__host.finish(result)

    @staticmethod
    def bind(behavior: "Actor[Any]", host: ActorContext) -> None:
        """Put a new behaviour into its cell (the runtime's own call)."""
        behavior.__host = host  # noqa: SLF001  (its own class)


ActorFactory = Callable[[], Actor[Any]]


class UnexpectedMessageError(TypeError):
    """A message was sent to an actor whose inbox union does not have it; raised in the sender."""


def check_inbox(
    message: Message, inbox_types: frozenset[type[Message]] | None, to: Address
) -> None:
    """Hold a message against an inbox.

    Raises:
        UnexpectedMessageError: the inbox has no such message.
    """
    if inbox_types is not None and type(message) not in inbox_types:
        problem = f"{to} does not receive {type(message).__name__}"
        raise UnexpectedMessageError(problem)


def get_behavior_class(make: ActorFactory) -> type[Actor[Any]]:
    """Name the class that a factory makes, so that `tell` can check before it exists.

    Raises:
        TypeError: `make` is neither an actor class nor a `partial` of one.
    """
    made: object = make.func if isinstance(make, partial) else make
    if _is_behaviour(made):
        return made
    message = f"{made!r} is not an actor class or a partial of one"
    raise TypeError(message)


def _is_behaviour(made: object) -> TypeGuard[type[Actor[Any]]]:
    return isinstance(made, type) and issubclass(made, Actor)


@cache
def get_inbox_types(behavior: type[Actor[Any]]) -> frozenset[type[Message]] | None:
    """Read the closed union off `class Name(Actor[Union])`; None: it takes every message."""
    for base in behavior.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            if get_origin(generic) is Actor and not isinstance(get_args(generic)[0], TypeVar):
                kinds = frozenset(_flatten(get_args(generic)[0]))
                return None if Message in kinds else kinds
    message = f"{behavior.__name__} does not say what it receives: class Name(Actor[Union])"
    raise TypeError(message)


def _flatten(union: Any) -> list[type[Message]]:  # noqa: ANN401  (a type form has no type)
    if get_origin(union) is Annotated:
        return _flatten(get_args(union)[0])
    if get_origin(union) in (Union, UnionType):
        return [kind for part in get_args(union) for kind in _flatten(part)]
    return [union]
