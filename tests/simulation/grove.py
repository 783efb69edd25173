"""Trees of agents drawn at random: the real actors of a session, many of them agents.

One seed is one world. Answers, grants, every scope of a stop, crashes and limits come in any order;
what was promised is held against all that is overheard.
"""

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from actors.agents.definitions import BUILT_IN, Definition
from actors.agents.limits import Limits
from actors.factories import SessionPorts, factories_of
from actors.root import RootSupervisor
from actors.runtime.lanes import StopOrder
from actors.runtime.system import EXIT_S
from actors.session import OpenSession, SessionOptions
from actors.sessions.log import SessionLog
from actors.sessions.reading import concerning
from actors.tools.task import TASK
from messages.address import CONSOLE, PRIMARY, ROOT, Address, is_subagent
from messages.approvals import SubmitDecision
from messages.base import Message
from messages.subagents import CancelTask
from messages.transcript import Record, SessionHeader, SessionOpened
from shell.console import Console
from shell.inbox import ScreenEventQueue
from shell.own_command import UserCommandRunner
from tests.simulation.commands import SimulatedProcesses
from tests.simulation.crashes import Crashes
from tests.simulation.disk import SimulatedFiles
from tests.simulation.dispatch import SimulatedDirectory
from tests.simulation.folder import Folder
from tests.simulation.foliage import FILE, Foliage
from tests.simulation.loop import random_of, sim_loop
from tests.simulation.model import SimulatedModel, rounds
from tests.simulation.person import SimulatedPerson
from tests.simulation.trace import Trace
from tests.simulation.world import WORKSPACE, silence

MOST_AGENTS = 40
EVENING_S = 60.0
MOST_STEPS = 120_000
LIMITED = Definition(name="hasty", prompt="", mode="subagent", time_limit_s=3.0, max_turns=4)
STAYING = Definition(name="staying", prompt="", mode="subagent", interactive=True)
TYPES = ("general", "general", "explore", "sandboxed", "hasty", "staying", "nobody")


class TreeModel(SimulatedModel):
    """As the model of one agent, but it hands much of the work on."""

    def __init__(self, random: Random, asked: Callable[[Any], None]) -> None:
        super().__init__(random, asked, lambda _tag, _use: None)
        self._draw = random
        self.breaks_its_promise = False

    def _reply(self, request: Any) -> Any:  # noqa: ANN401  (as its base)
        reply = super()._reply(request)
        offered = any(tool["name"] == "task" for tool in request.tools)
        if self.brief or not offered or rounds(request) > 2 or reply.stop_reason != "tool_use":
            return reply
        content = tuple(self._maybe_task(block, request) for block in reply.content)
        return replace(reply, content=content)

    def _maybe_task(self, block: Any, request: Any) -> Any:  # noqa: ANN401  (a block)
        if block.type != "tool_use" or self._draw.random() < 0.4:
            return block
        given = {
            "description": "a part",
            "prompt": f"part {block.id}",
            "subagent_type": self._draw.choice(TYPES),
        }
        earlier = [word for word in json.dumps(request.messages).split() if word[-2:-1] == "-"]
        if earlier and self._draw.random() < 0.2:
            given["task_id"] = self._draw.choice(earlier)
        return block.model_copy(update={"name": "task", "input": given})


def unheard(tag: str, what: str, shown: str) -> None:
    """Take no note of what happens in the world."""


@dataclass
class TreePlant:
    """A fault: words that change on their way, and code that is replaced."""

    says: Callable[[Address, Message, Address], tuple[Message, ...]] = field(
        default=lambda _to, message, _sender: (message,)
    )
    patches: tuple[tuple[Any, str, Any], ...] = ()


class Grove:
    """Plays one seed; what was broken stands in `violations`."""

    def __init__(self, seed: int, plant: TreePlant | None = None) -> None:
        self.random = random_of(seed, "grove")
        self._plant = plant or TreePlant()
        self.loop = loop = sim_loop(random_of(seed, "grove loop"))
        self.trace = Trace(loop.time)
        chance = self.random.choice((0.0, 0.0, 0.001, 0.004))
        self.crashes = Crashes(random_of(seed, "grove crashes"), chance, self.trace)
        self.heard = Foliage(loop.time, self.trace, self.crashes, self._plant.says)
        self.files = SimulatedFiles(random_of(seed, "grove disk"))
        self.folder = Folder(random_of(seed, "grove folder"), unheard)
        self.processes = SimulatedProcesses(random_of(seed, "grove processes"), unheard)
        self.model = TreeModel(random_of(seed, "grove model"), self.heard.asked)
        self.person = SimulatedPerson(loop, random_of(seed, "grove person"), lambda _: None)
        self.places = self.random.choice((1, 2, 3, 10))
        self.limits = Limits(tokens=self.random.choice((None, None, None, 60)))
        self.most_agents = 0

    @property
    def violations(self) -> list[str]:
        return self.heard.ledger.violations

    def play(self) -> None:
        """Run the program once or twice, to an end at rest."""
        with silence(), ExitStack() as stack:
            for owner, name, fault in self._plant.patches:
                stack.enter_context(patch.object(owner, name, fault))
            for run in range(1, self.random.choice((2, 3))):
                self._run(run, at_rest=False)
            self._run(9, at_rest=True)
            self.heard.read(self.files.contents(FILE))
        self.loop.close()

    def _run(self, run: int, *, at_rest: bool) -> None:
        if self.violations:
            return
        session = self._open(run)
        directory, root = self._begin(session)
        if at_rest:
            self._until(self.loop.time() + EVENING_S)
            self._arm(armed=False)
            self.person.press()
            self._until(float("inf"))
            if self.heard.end is None:
                self.heard.at_rest(directory.waiting, self.person.open_questions, root)
                hangs = CONSOLE in directory.waiting and self.person.state.turn is not None
                self.heard.ledger.require(not hangs, "the turn hangs")
        else:
            self._until(self.loop.time() + self.random.random() * 30.0)
        self._stop(directory)

    def _open(self, run: int) -> OpenSession:
        started = SessionOpened(run=run, pid=1, version="0")
        past: tuple[Record, ...] = ()
        own: tuple[Record, ...] = ()
        if run == 1:
            first = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            records: list[tuple[Record, Address]] = [(first, ROOT), (started, ROOT)]
            file = SessionLog.create(FILE, records, lambda: 0.0, self.files)
        else:
            file, contents = SessionLog.open(FILE, lambda: 0.0, self.files)
            past, own = contents.records, concerning(contents, PRIMARY)
            file.append([(started, ROOT)])
        options = SessionOptions(
            folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.random.choice(("default", "default", "auto-edit", "yolo")),
            is_scripted=False,
            protected=(),
            version="0",
            limits=self.limits,
            definitions=(*BUILT_IN, LIMITED, STAYING),
            slot_limit=self.places,
            spawns=MOST_AGENTS,
        )
        return OpenSession(options, "s", file, past, run, own)

    def _begin(self, session: OpenSession) -> tuple[SimulatedDirectory, list[RootSupervisor]]:
        self.trace.note(f"run {session.run}")
        inbox = ScreenEventQueue()
        tools = (*self.folder.tools, TASK)
        around = SessionPorts(self.model, processes=self.processes, tools=tools)
        workbench = UserCommandRunner(self.processes, WORKSPACE.cwd, session.options.folder)
        console = partial(Console, inbox, workbench)
        factories = replace(factories_of(session, around, console), console_gone=self.trace.note)
        directory = SimulatedDirectory(self.heard, self.loop)
        self.heard.begin()
        self._arm(armed=True)
        directory.spawn(partial(RootSupervisor, factories), ROOT, None)
        self.person.sit_down(inbox, partial(self._said, directory), self.random.choice((1, 2, 3)))
        for _ in range(self.random.choice((0, 1, 2, 4))):
            self.loop.call_later(self.random.random() * 20, self._stop_one, directory)
        return directory, self.heard.roots

    def _arm(self, *, armed: bool) -> None:
        for each in (self.crashes, self.folder, self.processes, self.model):
            each.armed = armed
        self.model.brief = not armed

    def _stop_one(self, directory: SimulatedDirectory) -> None:
        """Stop one agent from the list, with all below it."""
        living = [each for each in directory.addresses if is_subagent(each)]
        self.most_agents = max(self.most_agents, len(living))
        if living and not self.person.pressed:
            directory.send(self.random.choice(living), CancelTask(), CONSOLE)

    def _said(self, directory: SimulatedDirectory, intent: Message) -> None:
        if isinstance(intent, SubmitDecision):
            self.trace.note(f"answers {intent.id}")
        with suppress(TypeError):
            directory.send(CONSOLE, intent, ROOT)

    def _until(self, when_s: float) -> None:
        most = self.loop.steps + MOST_STEPS
        self.loop.run(lambda: self.heard.end is not None or self.loop.steps > most, when_s)
        self.heard.ledger.require(self.loop.steps <= most, "it does not come to rest")

    def _stop(self, directory: SimulatedDirectory) -> None:
        if self.heard.end is None:
            began_s = self.loop.time()
            directory.stop_root(StopOrder(began_s + 0.9 * EXIT_S, high_priority=True))
            self._until(began_s + EXIT_S)
            self.heard.ledger.require(self.heard.end is not None, "it does not stop in time")
        left = list(directory.waiting)
        self.heard.ledger.require(not left, f"left behind: {left}")
        self.person.leave()
        self.loop.run(lambda: False, self.loop.time() + EVENING_S)
        self.files.exit()
