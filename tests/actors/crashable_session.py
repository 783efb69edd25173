"""A complete session of real actors and a real journal, in which a test can crash any actor."""

import queue
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from actors.models.model_client import ModelClient, ModelRequest, Reply, ReplyDelta
from actors.paths.workspace import Workspace
from actors.runtime.actor import ActorFactory
from actors.runtime.system import ActorSystem
from actors.sessions.log_reader import read_log
from actors.supervisor.supervisor import (
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
    QuestionRequest,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import ReadRecords, Record
from messages.model_limits import ModelLimitsFound
from messages.permissions import GetPolicy
from messages.policy import PermissionRequest, ToolDeclaration
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
    "approvals": SubmitDecision(id="unknown", decision="no"),
    "primary": StartTurn(turn=99, text="lost with a crash"),
}
"""A message to crash on that has no effect."""


class InjectedCrashError(Exception):
    """A crash that a test requested."""


class CrashTrigger:
    """Decides when an actor crashes next."""

    def __init__(self) -> None:
        self._set: deque[tuple[CrashPoint, type[Message]]] = deque()
        self._skips = 0

    def crash_on(
        self, point: CrashPoint, message_type: type[Message] = Message, times: int = 1, nth: int = 1
    ) -> None:
        """Crash at this point, `times` times, starting with the nth such message."""
        self._skips = nth - 1
        self._set.extend((point, message_type) for _ in range(times))

    def crash_if_due(self, point: CrashPoint, message: Message | None) -> None:
        if self._set and self._set[0][0] == point:
            message_type = self._set[0][1]
            if message is None or isinstance(message, message_type):
                if self._skips:
                    self._skips -= 1
                    return
                self._set.popleft()
                raise InjectedCrashError(point)

    @property
    def has_fired(self) -> bool:
        return not self._set


def with_crash_trigger(make: ActorFactory, trigger: CrashTrigger) -> ActorFactory:
    """Return a factory of the same actor that crashes when the trigger is due."""
    assert isinstance(make, partial)
    actor_class: Any = make.func

    def on_start(self: Any) -> None:  # noqa: ANN401  (any actor)
        if self.incarnation > 1:
            trigger.crash_if_due("start", None)
        actor_class.on_start(self)

    def on_receive(self: Any, message: Message) -> None:  # noqa: ANN401  (any actor)
        trigger.crash_if_due("before", message)
        actor_class.on_receive(self, message)
        trigger.crash_if_due("after", message)

    hooks = {"on_start": on_start, "on_receive": on_receive}
    return partial(type(actor_class.__name__, (actor_class,), hooks), *make.args, **make.keywords)


class ConsoleProbe(Probe):
    """Replaces the console: reports that a user can decide, and tracks what is on screen."""

    def on_start(self) -> None:
        super().on_start()
        self.shown_ids: list[str] = []
        self.shown_twice_ids: list[str] = []
        """Requests that were shown while they were already on screen."""
        self.watch(APPROVALS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))

    def on_receive(self, message: Message) -> None:
        match message:
            case ShowApproval():
                self._track_shown(message.request.id)
            case DismissApproval():
                self.shown_ids.remove(message.id)
            case PeerRestarted():
                self.shown_ids.clear()
                self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))
            case _:
                pass
        super().on_receive(message)

    def _track_shown(self, request_id: str) -> None:
        is_shown = request_id in self.shown_ids
        (self.shown_twice_ids if is_shown else self.shown_ids).append(request_id)

    # Called on the test's thread

    def wait_for(self, kind: type[T]) -> T:
        """Return the next message of this type, skipping others."""
        while True:
            message = self.next()
            if isinstance(message, kind):
                return message

    def answer_limit(self, choice: int) -> QuestionRequest:
        """Answer the next question about a limit: 0 continues, 1 stops."""
        while True:
            request = self.wait_for(ShowApproval).request
            if isinstance(request, QuestionRequest) and request.limit is not None:
                break
        answers = (request.questions[0].choices[choice].label,)
        self.tell(APPROVALS, SubmitDecision(id=request.id, decision="once", answers=answers))
        return request

    def submit_decision(self, request_id: str, decision: ApprovalDecision = "once") -> None:
        self.tell(APPROVALS, SubmitDecision(id=request_id, decision=decision))


class OneCallModel:
    """A model that makes one tool call and then ends the turn, depending on the history."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        self.requests.append(request)
        reply_count = sum(message["role"] == "assistant" for message in request.messages)
        if reply_count % 2 == 0:
            call = CHANGE_CALL.model_copy(update={"id": f"c{reply_count // 2 + 1}"})
            yield Reply((call,), "tool_use", USAGE, "m")
        else:
            yield Reply((TextBlock(text="done"),), "end_turn", USAGE, "m")

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=100_000, max_output_tokens=500)


class NoArguments(Arguments):
    """No arguments."""


def make_change_tool(executions: list[str]) -> AnyTool:
    """Return a changing tool that records its executions."""

    async def plan(_: NoArguments, context: ToolContext) -> CallPlan:
        target = str(context.workspace.cwd / "a.txt")
        request = PermissionRequest(permission="edit", target=target)
        return CallPlan(title="change", requests=(request,))

    async def run(_: NoArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001
        executions.append("ran")
        return ToolOutput(text="changed")

    declaration = ToolDeclaration(
        name="change", category="change", default_action="ask", reads_only=False
    )
    return Tool(declaration, "Change.", NoArguments, plan=plan, run=run)


@dataclass
class CrashableSession:
    """The session, the probe in place of its console, and the crash triggers."""

    system: ActorSystem
    session: SessionHandle
    console_probe: ConsoleProbe
    crash_triggers: dict[ActorName, CrashTrigger]
    model: OneCallModel
    tool_executions: list[str]
    restart_notices: "queue.SimpleQueue[str]"
    """Notices that were shown without the console."""
    end_messages: "queue.SimpleQueue[Message]"

    def prompt(self, turn: int = 1) -> None:
        self.console_probe.tell(PRIMARY, StartTurn(turn=turn, text="do it"))

    def crash(self, name: ActorName, failing_restarts: int = 0) -> None:
        """Crash an actor between two messages, and again when it restarts."""
        self.crash_triggers[name].crash_on("before", type(CRASH_MESSAGES[name]))
        self.crash_triggers[name].crash_on("start", times=failing_restarts)
        self.system.tell(Address(f"/{name}"), CRASH_MESSAGES[name])

    def records(self) -> tuple[Record, ...]:
        """Return the records on disk."""
        return read_log(self.session.log.path).records

    def records_of_type(self, kind: type[T]) -> list[T]:
        """Return the records of one type on disk."""
        return [record for record in self.records() if isinstance(record, kind)]

    def last_tool_results(self) -> list[str]:
        """Return the tool results in the model's last request."""
        blocks: Any = self.model.requests[-1].messages[-1]["content"]
        return [str(block["content"]) for block in blocks if block["type"] == "tool_result"]


ConsoleFactory = Callable[["SessionHandle"], ActorFactory]


def start_session(
    folder: Path, console: ConsoleFactory | None = None, model_client: ModelClient | None = None
) -> CrashableSession:
    """Start a session in this folder; the caller must stop its system."""
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
    model, executions, notices = OneCallModel(), list[str](), queue.SimpleQueue[str]()
    probes: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    ports = SessionPorts(model_client or model, tools=(make_change_tool(executions),))
    make_console = console(session) if console else partial(ConsoleProbe, probes)
    triggers: dict[ActorName, CrashTrigger] = {
        name: CrashTrigger()
        for name in ("journal", "permissions", "approvals", "console", "primary")
    }
    factories = with_crash_triggers(make_child_factories(session, ports, make_console), triggers)
    factories = replace(factories, on_console_lost=notices.put)
    system = ActorSystem(partial(RootSupervisor, factories))
    ended: queue.SimpleQueue[Message] = queue.SimpleQueue()
    system.add_end_callback(ended.put)
    system.set_restart_callback(lambda peer: notices.put(format_restart_notice(peer)))
    probe = ConsoleProbe(probes) if console else probes.get(timeout=PROBE_TIMEOUT_S)
    assert isinstance(probe, ConsoleProbe)
    return CrashableSession(system, session, probe, triggers, model, executions, notices, ended)


def with_crash_triggers(
    factories: ChildFactories, triggers: dict[ActorName, CrashTrigger]
) -> ChildFactories:
    """Return the factories with a crash trigger in each actor."""
    made: dict[str, Any] = {
        name: with_crash_trigger(getattr(factories, name), trigger)
        for name, trigger in triggers.items()
    }
    return replace(factories, **made)
