"""A whole session whose agents each play a part, told apart by the prompt they were given."""

import asyncio
import queue
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from actors.agents.definitions import Definition
from actors.factories import SessionPorts, factories_of
from actors.models.client import ModelClient, ModelError, ModelRequest, Reply, Streamed
from actors.root import RootSupervisor
from actors.runtime.system import ActorSystem
from actors.session import OpenSession, SessionOptions, open_session
from actors.sessions.reading import read_log
from actors.tools.tool import AnyTool
from actors.tools.toolbox import BUILT_IN
from actors.tools.workspace import Workspace
from messages.address import PRIMARY, Address
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.models import ModelLimitsFound
from messages.rules import PermissionMode
from messages.transcript import Record
from messages.turns import CancelTurn, StartTurn, TurnCompleted, TurnFailed, TurnInterrupted
from tests.actors.living import Person
from tests.probe import PATIENCE_S, Probe

USED = Usage(input_tokens=3, output_tokens=2, requests=1)
Line = "str | ToolUseBlock | tuple[ToolUseBlock, ...] | Callable[[], Any]"
"""Words that end the turn, calls, or something to be awaited first."""


def use(call_id: str, name: str, **arguments: str) -> ToolUseBlock:
    """Call a tool."""
    return ToolUseBlock(id=call_id, name=name, input=dict(arguments))


def task(call_id: str, prompt: str, agent: str = "general", task_id: str = "") -> ToolUseBlock:
    """Hand a part to a subagent."""
    more = {"task_id": task_id} if task_id else {}
    return use(call_id, "task", description=prompt, prompt=prompt, subagent_type=agent, **more)


@dataclass
class Troupe:
    """A model that plays the part of whoever was given a prompt; its lines are said once each."""

    parts: dict[str, list[Any]]
    asked: list[ModelRequest] = field(default_factory=list[ModelRequest])
    at_once: int = 0
    most_at_once: int = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Streamed | Reply, None]:
        self.asked.append(request)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            line = self.parts[prompt_of(request)].pop(0)
            if callable(line):
                yield Streamed(text="I was about to ")
                line = await cast("Any", line())
            if isinstance(line, Exception):
                raise line
            yield reply(line)
        finally:
            self.at_once -= 1

    async def measure(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, context_tokens=100_000, output_tokens=500)

    def told(self, prompt: str) -> list[str]:
        """What a part was told last of its calls."""
        last = next(each for each in reversed(self.asked) if prompt_of(each) == prompt)
        blocks: Any = last.messages[-1]["content"]
        return [str(each["content"]) for each in blocks if each["type"] == "tool_result"]


def reply(line: Any) -> Reply:  # noqa: ANN401  (a line of any kind)
    """Make a whole reply of a line."""
    if isinstance(line, str):
        return Reply((TextBlock(text=line),), "end_turn", USED, "m")
    uses = cast("tuple[ToolUseBlock, ...]", line if isinstance(line, tuple) else (line,))
    return Reply(uses, "tool_use", USED, "m")


def prompt_of(request: ModelRequest) -> str:
    """Say what its conversation was told last by whoever began the turn."""
    for message in reversed(request.messages):
        content: Any = message["content"]
        said = [block["text"] for block in content if block["type"] == "text"]
        if message["role"] == "user" and said and not said[-1].startswith("["):
            return str(said[-1])
    return ""


async def forever() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return ""


def fails(reason: str = "rejected") -> ModelError:
    """Fail for good."""
    return ModelError(cast("Any", reason), "planted")


@dataclass
class Stage:
    """The session on which a troupe plays."""

    system: ActorSystem
    session: OpenSession
    person: Person
    troupe: Troupe
    ended: "queue.SimpleQueue[Any]"

    def prompt(self, text: str = "begin", turn: int = 1) -> None:
        self.person.tell(PRIMARY, StartTurn(turn=turn, text=text))

    def cancel(self, turn: int = 1) -> None:
        self.person.tell(PRIMARY, CancelTurn(turn=turn))

    @property
    def agents(self) -> list[Address]:
        """Every agent that lives below the primary."""
        return [each for each in self.system.addresses if each.parent.is_under(PRIMARY)]

    def records(self) -> tuple[Record, ...]:
        return read_log(self.session.log.path).records


def play(  # noqa: PLR0913  (what a test may choose)
    folder: Path,
    parts: dict[str, list[Any]],
    *more: Definition,
    mode: PermissionMode = "default",
    tools: tuple[AnyTool, ...] = BUILT_IN,
    take_up: Path | None = None,
    model: ModelClient | None = None,
    **options: Any,  # noqa: ANN401  (any of the session's)
) -> Stage:
    """Start a session in a folder of its own; stop its system."""
    root = folder / "work"
    root.mkdir(exist_ok=True)
    made = SessionOptions(
        folder=folder / "state",
        workspace=Workspace(root, root),
        model_name="m",
        mode=mode,
        is_scripted=False,
        protected=(),
        version="0",
        take_up=take_up,
    )
    made = replace(made, definitions=(*made.definitions, *more), **options)
    session = open_session(made, lambda: 0.0)
    troupe = Troupe(parts)
    born: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    around = SessionPorts(model or troupe, tools=tools)
    factories = factories_of(session, around, partial(Person, born))
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    system = ActorSystem(partial(RootSupervisor, factories))
    system.when_ended(ended.put)
    person = born.get(timeout=PATIENCE_S)
    assert isinstance(person, Person)
    return Stage(system, session, person, troupe, ended)


def over(stage: Stage) -> TurnCompleted | TurnFailed | TurnInterrupted:
    """Wait until the primary's turn is over."""
    while True:
        sender, message = stage.person.next_from()
        if sender == PRIMARY and isinstance(message, TurnCompleted | TurnFailed | TurnInterrupted):
            return message


def done(stage: Stage) -> TurnCompleted:
    """Wait until the primary's turn has come to its end."""
    end = over(stage)
    assert isinstance(end, TurnCompleted), end
    return end


class SessionFixture:
    """Starts sessions in one folder, and stops each of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stages: list[Stage] = []

    def play(
        self,
        parts: dict[str, list[Any]],
        *more: Definition,
        **options: Any,  # noqa: ANN401  (as `play`)
    ) -> Stage:
        stage = play(self.folder, parts, *more, **options)
        self._stages.append(stage)
        return stage

    def close(self) -> None:
        for stage in self._stages:
            assert stage.system.stop()
        self._stages.clear()
