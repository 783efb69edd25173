"""A whole session over real actors and a real journal, in which a test may crash any of them."""

import queue
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from actors.models.model_client import ModelRequest, Reply, ReplyDelta
from actors.paths.workspace import Workspace
from actors.runtime.system import ActorSystem
from actors.sessions.log_reader import read_log
from actors.supervisor.supervisor import (
    ActorFactory,
    ChildFactories,
    RootSupervisor,
    format_restart_notice,
)
from actors.tools.tool import AnyTool, Arguments, Tool, ToolContext
from actors.wiring.session_setup import SessionHandle, SessionOptions, open_session
from actors.wiring.wiring import SessionPorts, make_child_factories
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
from messages.journal import ReadRecords, Record
from messages.model_events import ModelLimitsFound
from messages.permissions import GetPolicy
from messages.policy import PermissionRequest
from messages.supervision import PeerRestarted
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import StartTurn
from tests.probe import PROBE_TIMEOUT_S, Probe

CrashPoint = Literal["start", "before", "after"]
T = TypeVar("T", bound=Message)
USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)
CHANGE_CALL = ToolUseBlock(id="c1", name="change", input={})
ActorName = Literal["journal", "permissions", "approvals", "console", "primary"]
CRASH_MESSAGES: dict[ActorName, Message] = {
    "journal": ReadRecords(id=99),
    "permissions": GetPolicy(),
    "approvals": SubmitDecision(id="nobody's", decision="no"),
    "primary": StartTurn(turn=99, text="lost with a crash"),
}
"""Something to crash over, which changes nothing."""


class InjectedCrashError(Exception):
    """What a test wanted."""


class CrashTrigger:
    """Where one actor crashes next."""

    def __init__(self) -> None:
        self._set: deque[tuple[CrashPoint, type[Message]]] = deque()
        self._skips = 0

    def crash_on(
        self, point: CrashPoint, message_type: type[Message] = Message, times: int = 1, nth: int = 1
    ) -> None:
        """Crash so often at this place, from the nth such message on; then live on."""
        self._skips = nth - 1
        self._set.extend((point, message_type) for _ in range(times))

    def crash_if_due(self, point: CrashPoint, message: Message | None) -> None:
        if self._set and self._set[0][0] == point:
            over = self._set[0][1]
            if message is None or isinstance(message, over):
                if self._skips:
                    self._skips -= 1
                    return
                self._set.popleft()
                raise InjectedCrashError(point)

    @property
    def has_fired(self) -> bool:
        return not self._set


def with_crash_trigger(make: ActorFactory, trigger: CrashTrigger) -> ActorFactory:
    """Make the same actor, but with a fuse in it."""
    assert isinstance(make, partial)
    kind: Any = make.func

    def on_start(self: Any) -> None:  # noqa: ANN401  (any actor)
        if self.incarnation > 1:
            trigger.crash_if_due("start", None)
        kind.on_start(self)

    def on_receive(self: Any, message: Message) -> None:  # noqa: ANN401  (any actor)
        trigger.crash_if_due("before", message)
        kind.on_receive(self, message)
        trigger.crash_if_due("after", message)

    hooks = {"on_start": on_start, "on_receive": on_receive}
    return partial(type(kind.__name__, (kind,), hooks), *make.args, **make.keywords)


class ConsoleProbe(Probe):
    """Stands in the console's place: can always be asked, and looks at one screen."""

    def on_start(self) -> None:
        super().on_start()
        self.shown_ids: list[str] = []
        self.shown_twice_ids: list[str] = []
        """What was put on the screen while it was there."""
        self.watch(APPROVALS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def on_receive(self, message: Message) -> None:
        match message:
            case ShowApproval():
                asked = message.request.id
                (self.shown_twice_ids if asked in self.shown_ids else self.shown_ids).append(asked)
            case DismissApproval():
                self.shown_ids.remove(message.id)
            case PeerRestarted():
                self.shown_ids.clear()
                self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
            case _:
                pass
        super().on_receive(message)

    # From the test's thread.

    def wait_for(self, kind: type[T]) -> T:
        """Skip to the next of its kind."""
        while True:
            message = self.next()
            if isinstance(message, kind):
                return message

    def submit_decision(self, request_id: str, answer: ApprovalDecision = "once") -> None:
        self.tell(APPROVALS, SubmitDecision(id=request_id, decision=answer))


class OneCallModel:
    """A model that calls once, then ends the turn; what it says goes by what it is told."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        self.requests.append(request)
        said = sum(message["role"] == "assistant" for message in request.messages)
        if said % 2 == 0:
            use = CHANGE_CALL.model_copy(update={"id": f"c{said // 2 + 1}"})
            yield Reply((use,), "tool_use", USAGE, "m")
        else:
            yield Reply((TextBlock(text="done"),), "end_turn", USAGE, "m")

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=100_000, max_output_tokens=500)


class NoArguments(Arguments):
    """No arguments."""


def make_change_tool(executions: list[str]) -> AnyTool:
    """A changing tool that counts its runs."""

    async def plan(_: NoArguments, context: ToolContext) -> CallPlan:
        target = str(context.workspace.cwd / "a.txt")
        request = PermissionRequest(permission="edit", target=target)
        return CallPlan(title="change", requests=(request,))

    async def run(_: NoArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001
        executions.append("ran")
        return ToolOutput(text="changed")

    return Tool("change", "Change.", NoArguments, reads_only=False, plan=plan, run=run)


@dataclass
class Living:
    """The session, its person and its fuses."""

    system: ActorSystem
    session: SessionHandle
    console_probe: ConsoleProbe
    crash_triggers: dict[ActorName, CrashTrigger]
    model: OneCallModel
    tool_executions: list[str]
    restart_notices: "queue.SimpleQueue[str]"
    """Lines for people, past the console."""
    end_messages: "queue.SimpleQueue[Message]"

    def prompt(self, turn: int = 1) -> None:
        self.console_probe.tell(PRIMARY, StartTurn(turn=turn, text="do it"))

    def crash(self, name: ActorName, failing_restarts: int = 0) -> None:
        """Crash an actor between two messages, and again as it starts."""
        self.crash_triggers[name].crash_on("before", type(CRASH_MESSAGES[name]))
        self.crash_triggers[name].crash_on("start", times=failing_restarts)
        self.system.tell(Address(f"/{name}"), CRASH_MESSAGES[name])

    def records(self) -> tuple[Record, ...]:
        """What is on disk."""
        return read_log(self.session.log.path).records

    def records_of_type(self, kind: type[T]) -> list[T]:
        """What is on disk, of one kind."""
        return [each for each in self.records() if isinstance(each, kind)]

    def last_tool_results(self) -> list[str]:
        """What the model was told last of its calls."""
        blocks: Any = self.model.requests[-1].messages[-1]["content"]
        return [str(each["content"]) for each in blocks if each["type"] == "tool_result"]


ConsoleFactory = Callable[["SessionHandle"], ActorFactory]


def start_session(folder: Path, console: ConsoleFactory | None = None) -> Living:
    """Start a session in a folder of its own; stop its system."""
    root = folder / "work"
    root.mkdir()
    options = SessionOptions(
        project_state_folder=folder / "state",
        workspace=Workspace(root, root),
        model_name="m",
        mode="default",
        is_scripted=False,
        protected_paths=(),
        version="0",
    )
    session = open_session(options, lambda: 0.0)
    model, runs, told = OneCallModel(), list[str](), queue.SimpleQueue[str]()
    born: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    around = SessionPorts(model, tools=(make_change_tool(runs),))
    made = console(session) if console else partial(ConsoleProbe, born)
    fuses: dict[ActorName, CrashTrigger] = {
        name: CrashTrigger()
        for name in ("journal", "permissions", "approvals", "console", "primary")
    }
    factories = with_crash_triggers(make_child_factories(session, around, made), fuses)
    factories = replace(factories, on_console_lost=told.put)
    system = ActorSystem(partial(RootSupervisor, factories))
    ended: queue.SimpleQueue[Message] = queue.SimpleQueue()
    system.add_end_callback(ended.put)
    system.set_restart_callback(lambda peer: told.put(format_restart_notice(peer)))
    person = ConsoleProbe(born) if console else born.get(timeout=PROBE_TIMEOUT_S)
    assert isinstance(person, ConsoleProbe)
    return Living(system, session, person, fuses, model, runs, told, ended)


def with_crash_triggers(
    factories: ChildFactories, triggers: dict[ActorName, CrashTrigger]
) -> ChildFactories:
    """Put the fuses in."""
    made: dict[str, Any] = {
        name: with_crash_trigger(getattr(factories, name), fuse) for name, fuse in triggers.items()
    }
    return replace(factories, **made)
