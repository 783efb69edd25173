"""A whole session over real actors and a real journal, in which a test may crash any of them."""

import queue
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from actors.factories import SessionPorts, factories_of
from actors.models.client import ModelRequest, Reply, Streamed
from actors.root import ChildFactories, Make, RootSupervisor, begun_again
from actors.runtime.system import ActorSystem
from actors.session import OpenSession, SessionOptions, open_session
from actors.sessions.reading import read_log
from actors.tools.tool import AnyTool, Arguments, Tool, ToolContext
from actors.tools.workspace import Workspace
from messages.address import APPROVALS, PRIMARY, Address
from messages.approvals import (
    ApprovalDecision,
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.models import ModelLimitsFound
from messages.permissions import GetPolicy
from messages.rules import PermissionRequest
from messages.supervision import PeerRestarted
from messages.tools import CallPlan, ToolOutput
from messages.transcript import ReadRecords, Record
from messages.turns import StartTurn
from tests.probe import PATIENCE_S, Probe

When = Literal["start", "before", "after"]
T = TypeVar("T", bound=Message)
USED = Usage(input_tokens=3, output_tokens=2, requests=1)
CHANGE = ToolUseBlock(id="c1", name="change", input={})
Name = Literal["journal", "permissions", "approvals", "console", "primary"]
HARMLESS: dict[Name, Message] = {
    "journal": ReadRecords(id=99),
    "permissions": GetPolicy(),
    "approvals": SubmitDecision(id="nobody's", decision="no"),
    "primary": StartTurn(turn=99, text="lost with a crash"),
}
"""Something to crash over, which changes nothing."""


class PlantedError(Exception):
    """What a test wanted."""


class Fuse:
    """Where one actor crashes next."""

    def __init__(self) -> None:
        self._set: deque[tuple[When, type[Message]]] = deque()
        self._skips = 0

    def set(self, when: When, over: type[Message] = Message, times: int = 1, nth: int = 1) -> None:
        """Crash so often at this place, from the nth such message on; then live on."""
        self._skips = nth - 1
        self._set.extend((when, over) for _ in range(times))

    def burn(self, when: When, message: Message | None) -> None:
        if self._set and self._set[0][0] == when:
            over = self._set[0][1]
            if message is None or isinstance(message, over):
                if self._skips:
                    self._skips -= 1
                    return
                self._set.popleft()
                raise PlantedError(when)

    @property
    def burnt(self) -> bool:
        return not self._set


def fragile(make: Make, fuse: Fuse) -> Make:
    """Make the same actor, but with a fuse in it."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_start(self: Any) -> None:  # noqa: ANN401  (any actor)
        if self.incarnation > 1:
            fuse.burn("start", None)
        kind.on_start(self)

    def on_receive(self: Any, message: Message) -> None:  # noqa: ANN401  (any actor)
        fuse.burn("before", message)
        kind.on_receive(self, message)
        fuse.burn("after", message)

    hooks = {"on_start": on_start, "on_receive": on_receive}
    return partial(type(kind.__name__, (kind,), hooks), *make.args, **make.keywords)


class Person(Probe):
    """Stands in the console's place: can always be asked, and looks at one screen."""

    def on_start(self) -> None:
        super().on_start()
        self.screen: list[str] = []
        self.twice: list[str] = []
        """What was put on the screen while it was there."""
        self.watch(APPROVALS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def on_receive(self, message: Message) -> None:
        match message:
            case ShowApproval():
                asked = message.request.id
                (self.twice if asked in self.screen else self.screen).append(asked)
            case DismissApproval():
                self.screen.remove(message.id)
            case PeerRestarted():
                self.screen.clear()
                self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
            case _:
                pass
        super().on_receive(message)

    # From the test's thread.

    def until(self, kind: type[T]) -> T:
        """Skip to the next of its kind."""
        while True:
            message = self.next()
            if isinstance(message, kind):
                return message

    def answer(self, approval: str, answer: ApprovalDecision = "once") -> None:
        self.tell(APPROVALS, SubmitDecision(id=approval, decision=answer))


class Script:
    """A model that calls once, then ends the turn; what it says goes by what it is told."""

    def __init__(self) -> None:
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Streamed | Reply, None]:
        self.asked.append(request)
        said = sum(message["role"] == "assistant" for message in request.messages)
        if said % 2 == 0:
            use = CHANGE.model_copy(update={"id": f"c{said // 2 + 1}"})
            yield Reply((use,), "tool_use", USED, "m")
        else:
            yield Reply((TextBlock(text="done"),), "end_turn", USED, "m")

    async def measure(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, context_tokens=100_000, output_tokens=500)


class Nothing(Arguments):
    """No arguments."""


def changing(runs: list[str]) -> AnyTool:
    """A changing tool that counts its runs."""

    async def plan(_: Nothing, context: ToolContext) -> CallPlan:
        target = str(context.workspace.cwd / "a.txt")
        request = PermissionRequest(permission="edit", target=target)
        return CallPlan(title="change", requests=(request,))

    async def run(_: Nothing, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001
        runs.append("ran")
        return ToolOutput(text="changed")

    return Tool("change", "Change.", Nothing, reads_only=False, plan=plan, run=run)


@dataclass
class Living:
    """The session, its person and its fuses."""

    system: ActorSystem
    session: OpenSession
    person: Person
    fuses: dict[Name, Fuse]
    model: Script
    runs: list[str]
    told: "queue.SimpleQueue[str]"
    """Lines for people, past the console."""
    ended: "queue.SimpleQueue[Message]"

    def prompt(self, turn: int = 1) -> None:
        self.person.tell(PRIMARY, StartTurn(turn=turn, text="do it"))

    def crash(self, name: Name, failing_restarts: int = 0) -> None:
        """Crash an actor between two messages, and again as it starts."""
        self.fuses[name].set("before", type(HARMLESS[name]))
        self.fuses[name].set("start", times=failing_restarts)
        self.system.tell(Address(f"/{name}"), HARMLESS[name])

    def records(self) -> tuple[Record, ...]:
        """What is on disk."""
        return read_log(self.session.log.path).records

    def recorded(self, kind: type[T]) -> list[T]:
        """What is on disk, of one kind."""
        return [each for each in self.records() if isinstance(each, kind)]

    def results(self) -> list[str]:
        """What the model was told last of its calls."""
        blocks: Any = self.model.asked[-1].messages[-1]["content"]
        return [str(each["content"]) for each in blocks if each["type"] == "tool_result"]


Console = Callable[["OpenSession"], Make]


def live(folder: Path, console: Console | None = None) -> Living:
    """Start a session in a folder of its own; stop its system."""
    root = folder / "work"
    root.mkdir()
    options = SessionOptions(
        folder=folder / "state",
        workspace=Workspace(root, root),
        model_name="m",
        mode="default",
        is_scripted=False,
        protected=(),
        version="0",
    )
    session = open_session(options, lambda: 0.0)
    model, runs, told = Script(), list[str](), queue.SimpleQueue[str]()
    born: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    around = SessionPorts(model, tools=(changing(runs),))
    made = console(session) if console else partial(Person, born)
    fuses: dict[Name, Fuse] = {
        name: Fuse() for name in ("journal", "permissions", "approvals", "console", "primary")
    }
    factories = with_fuses(factories_of(session, around, made), fuses)
    factories = replace(factories, console_gone=told.put)
    system = ActorSystem(partial(RootSupervisor, factories))
    ended: queue.SimpleQueue[Message] = queue.SimpleQueue()
    system.when_ended(ended.put)
    system.when_restarted(lambda peer: told.put(begun_again(peer)))
    person = Person(born) if console else born.get(timeout=PATIENCE_S)
    assert isinstance(person, Person)
    return Living(system, session, person, fuses, model, runs, told, ended)


def with_fuses(factories: ChildFactories, fuses: dict[Name, Fuse]) -> ChildFactories:
    """Put the fuses in."""
    made: dict[str, Any] = {
        name: fragile(getattr(factories, name), fuse) for name, fuse in fuses.items()
    }
    return replace(factories, **made)
