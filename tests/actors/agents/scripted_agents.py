"""A whole session whose agents are scripted; each prompt has its own script."""

import asyncio
import queue
import re
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from actors.agents.definition.definition import Definition
from actors.models.model_client import ModelClient, ModelError, ModelRequest, Reply, ReplyDelta
from actors.paths.workspace import Workspace
from actors.runtime.system import ActorSystem
from actors.sessions.log_reader import read_log
from actors.supervisor.supervisor import RootSupervisor
from actors.tools.tool import AnyTool
from actors.tools.toolbox import BUILT_IN_TOOLS
from actors.wiring.session_setup import SessionHandle, SessionOptions, open_session
from actors.wiring.wiring import SessionPorts, make_child_factories
from messages.address import PRIMARY, Address
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Record
from messages.model_limits import ModelLimitsFound
from messages.policy import PermissionMode
from messages.subagents import SubagentEnded
from messages.turns import CancelTurn, StartTurn, TurnCompleted, TurnFailed, TurnInterrupted
from tests.actors.crashable_session import ConsoleProbe
from tests.probe import PROBE_TIMEOUT_S, Probe

_LEDGER_PROMPT = re.compile(r'<user_message number="\d+">\n(.*?)\n</user_message>', re.DOTALL)
USAGE = Usage(input_tokens=3, output_tokens=2, requests=1)


def make_tool_use(call_id: str, name: str, **arguments: str) -> ToolUseBlock:
    """Return a tool call."""
    return ToolUseBlock(id=call_id, name=name, input=dict(arguments))


def make_task_call(
    call_id: str, prompt: str, agent: str = "general", task_id: str = ""
) -> ToolUseBlock:
    """Return a `task` call that gives a subagent a prompt."""
    extra = {"task_id": task_id} if task_id else {}
    return make_tool_use(
        call_id, "task", description=prompt, prompt=prompt, subagent_type=agent, **extra
    )


@dataclass
class ScriptedAgents:
    """A model that answers each agent by its prompt; each line is used once."""

    lines_by_prompt: dict[str, list[Any]]
    """A line is text that ends the turn, one or more tool calls, an error, or a function that
    returns one of these after a wait."""
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    active_requests: int = 0
    max_active_requests: int = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        self.requests.append(request)
        self.active_requests += 1
        self.max_active_requests = max(self.active_requests, self.max_active_requests)
        try:
            line = self.lines_by_prompt[get_prompt(request)].pop(0)
            if callable(line):
                yield ReplyDelta(text="I was about to ")
                line = await cast("Any", line())
            if isinstance(line, Exception):
                raise line
            yield make_reply(line)
        finally:
            self.active_requests -= 1

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=100_000, max_output_tokens=500)

    def get_last_results(self, prompt: str) -> list[str]:
        """Return the last tool results that the agent with this prompt received."""
        last = next(request for request in reversed(self.requests) if get_prompt(request) == prompt)
        blocks: Any = last.messages[-1]["content"]
        return [str(block["content"]) for block in blocks if block["type"] == "tool_result"]


def make_reply(line: Any) -> Reply:  # noqa: ANN401  (a line of any kind)
    """Return the reply for a line of the script."""
    if isinstance(line, str):
        return Reply((TextBlock(text=line),), "end_turn", USAGE, "m")
    tool_uses = cast("tuple[ToolUseBlock, ...]", line if isinstance(line, tuple) else (line,))
    return Reply(tool_uses, "tool_use", USAGE, "m")


def get_prompt(request: ModelRequest) -> str:
    """Return the last prompt in the conversation, or else in the ledger of a compaction.

    Notes in brackets and notifications are ignored.
    """
    for message in reversed(request.messages):
        content: Any = message["content"]
        texts = [str(block["text"]) for block in content if block["type"] == "text"]
        texts = [text for text in texts if not text.startswith(("[", "<task_"))]
        if message["role"] == "user" and texts:
            prompts = _LEDGER_PROMPT.findall(texts[-1])
            return str(prompts[-1] if prompts else texts[-1])
    return ""


async def never_reply() -> str:
    """Wait forever."""
    await asyncio.Event().wait()
    return ""


def reply_after(
    event: threading.Event, text: str, started: threading.Event | None = None
) -> Callable[[], Awaitable[str]]:
    """Return a line of a script: the text, once `event` is set; `started` is set at its start."""

    async def reply() -> str:
        if started is not None:
            started.set()
        return await asyncio.to_thread(lambda: text if event.wait() else "")

    return reply


def make_model_error(reason: str = "rejected") -> ModelError:
    """Return an error that is not retried."""
    return ModelError(cast("Any", reason), "injected")


@dataclass
class RunningSession:
    """A running session with scripted agents."""

    system: ActorSystem
    session: SessionHandle
    user: ConsoleProbe
    scripted_agents: ScriptedAgents
    ended: "queue.SimpleQueue[Any]"

    def prompt(self, text: str = "begin", turn: int = 1) -> None:
        self.user.tell(PRIMARY, StartTurn(turn=turn, text=text))

    def cancel(self, turn: int = 1) -> None:
        self.user.tell(PRIMARY, CancelTurn(turn=turn))

    @property
    def agents(self) -> list[Address]:
        """Return the addresses of all live subagents."""
        return [address for address in self.system.addresses if address.parent.is_under(PRIMARY)]

    def records(self) -> tuple[Record, ...]:
        return read_log(self.session.log.path).records


def play(  # noqa: PLR0913  (options of the tests)
    folder: Path,
    lines_by_prompt: dict[str, list[Any]],
    *definitions: Definition,
    mode: PermissionMode = "default",
    tools: tuple[AnyTool, ...] = BUILT_IN_TOOLS,
    resume_path: Path | None = None,
    model: ModelClient | None = None,
    **options: Any,  # noqa: ANN401  (any of the session's)
) -> RunningSession:
    """Start a session in a folder; the caller stops its system."""
    root = folder / "work"
    root.mkdir(exist_ok=True)
    session_options = SessionOptions(
        project_state_folder=folder / "state",
        workspace=Workspace(root, root),
        model_name="m",
        mode=mode,
        is_scripted=False,
        protected_paths=(),
        version="0",
        resume_path=resume_path,
    )
    all_definitions = (*session_options.definitions, *definitions)
    session_options = replace(session_options, definitions=all_definitions, **options)
    session = open_session(session_options, lambda: 0.0)
    agents = ScriptedAgents(lines_by_prompt)
    consoles: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    ports = SessionPorts(model or agents, tools=tools)
    factories = make_child_factories(session, ports, partial(ConsoleProbe, consoles))
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    system = ActorSystem(partial(RootSupervisor, factories))
    system.add_end_callback(ended.put)
    user = consoles.get(timeout=PROBE_TIMEOUT_S)
    assert isinstance(user, ConsoleProbe)
    return RunningSession(system, session, user, agents, ended)


def wait_for_turn_end(running: RunningSession) -> TurnCompleted | TurnFailed | TurnInterrupted:
    """Wait for the end of the primary agent's turn."""
    while True:
        sender, message = running.user.next_from()
        if sender == PRIMARY and isinstance(message, TurnCompleted | TurnFailed | TurnInterrupted):
            return message


def wait_for_completion(running: RunningSession) -> TurnCompleted:
    """Wait until the primary agent's turn has completed."""
    end = wait_for_turn_end(running)
    assert isinstance(end, TurnCompleted), end
    return end


def list_task_ends(running: RunningSession) -> list[tuple[str, str]]:
    """Return each task's subagent and status, in the order in which they ended."""
    return [
        (record.child.name, record.status)
        for record in running.records()
        if isinstance(record, SubagentEnded)
    ]


class SessionFixture:
    """Starts sessions in one folder and stops them all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[RunningSession] = []

    def start_session(
        self,
        lines_by_prompt: dict[str, list[Any]],
        *definitions: Definition,
        **options: Any,  # noqa: ANN401  (as `play`)
    ) -> RunningSession:
        running = play(self.folder, lines_by_prompt, *definitions, **options)
        self._running.append(running)
        return running

    def close(self) -> None:
        for running in self._running:
            assert running.system.stop()
        self._running.clear()
