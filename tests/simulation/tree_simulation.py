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

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, Definition
from actors.agents.turn.limits import Limits
from actors.runtime.mailbox import StopCell
from actors.runtime.system import EXIT_TIMEOUT_S
from actors.sessions.log_reader import select_records_for
from actors.sessions.session_log import SessionLog
from actors.supervisor.supervisor import RootSupervisor
from actors.tools.task import TASK
from actors.wiring.session_setup import SessionHandle, SessionOptions
from actors.wiring.wiring import SessionPorts, make_child_factories
from messages.address import CONSOLE, PRIMARY, ROOT, Address, is_subagent
from messages.approvals import SubmitDecision
from messages.base import Message
from messages.journal import Record, SessionHeader, SessionOpened
from messages.subagents import CancelTask
from shell.console.console import Console
from shell.console.screen_events import ScreenEventQueue
from shell.console.user_command import UserCommandRunner
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.in_memory_workspace import InMemoryWorkspace
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_dispatcher import SimulatedRegistry
from tests.simulation.simulated_file_system import SimulatedFileSystem
from tests.simulation.simulated_loop import make_random, make_simulated_loop
from tests.simulation.simulated_model import SimulatedModel, count_rounds
from tests.simulation.simulated_session import WORKSPACE, suppress_logs
from tests.simulation.simulated_user import SimulatedUser
from tests.simulation.trace import Trace
from tests.simulation.tree_invariants import SESSION_FILE, TreeInvariants

MAX_AGENTS = 40
MAX_RUN_S = 60.0
MAX_STEPS = 120_000
HASTY_DEFINITION = Definition(
    name="hasty", system_prompt="", mode="subagent", time_limit_s=3.0, max_turns=4
)
INTERACTIVE_DEFINITION = Definition(
    name="staying", system_prompt="", mode="subagent", interactive=True
)
SUBAGENT_TYPES = ("general", "general", "explore", "sandboxed", "hasty", "staying", "nobody")


class SimulatedTreeModel(SimulatedModel):
    """As the model of one agent, but it hands much of the work on."""

    def __init__(self, random: Random, asked: Callable[[Any], None]) -> None:
        super().__init__(random, asked, lambda _tag, _use: None)
        self._draw = random
        self.violates_port = False

    def _reply(self, request: Any) -> Any:  # noqa: ANN401  (as its base)
        reply = super()._reply(request)
        offered = any(tool["name"] == "task" for tool in request.tools)
        if (
            self.ends_turns
            or not offered
            or count_rounds(request) > 2
            or reply.stop_reason != "tool_use"
        ):
            return reply
        content = tuple(self._maybe_task(block, request) for block in reply.content)
        return replace(reply, content=content)

    def _maybe_task(self, block: Any, request: Any) -> Any:  # noqa: ANN401  (a block)
        if block.type != "tool_use" or self._draw.random() < 0.4:
            return block
        given = {
            "description": "a part",
            "prompt": f"part {block.id}",
            "subagent_type": self._draw.choice(SUBAGENT_TYPES),
        }
        earlier = [word for word in json.dumps(request.messages).split() if word[-2:-1] == "-"]
        if earlier and self._draw.random() < 0.2:
            given["task_id"] = self._draw.choice(earlier)
        return block.model_copy(update={"name": "task", "input": given})


def ignore_effect(tag: str, what: str, shown: str) -> None:
    """Take no note of what happens in the world."""


@dataclass
class TreeMutant:
    """A fault: words that change on their way, and code that is replaced."""

    mutate_message: Callable[[Address, Message, Address], tuple[Message, ...]] = field(
        default=lambda _to, message, _sender: (message,)
    )
    patches: tuple[tuple[Any, str, Any], ...] = ()


class TreeSimulation:
    """Plays one seed; what was broken stands in `violations`."""

    def __init__(self, seed: int, plant: TreeMutant | None = None) -> None:
        self.random = make_random(seed, "grove")
        self._plant = plant or TreeMutant()
        self.loop = loop = make_simulated_loop(make_random(seed, "grove loop"))
        self.trace = Trace(loop.time)
        chance = self.random.choice((0.0, 0.0, 0.001, 0.004))
        self.crashes = CrashInjector(make_random(seed, "grove crashes"), chance, self.trace)
        self.invariants = TreeInvariants(
            loop.time, self.trace, self.crashes, self._plant.mutate_message
        )
        self.file_system = SimulatedFileSystem(make_random(seed, "grove disk"))
        self.workspace = InMemoryWorkspace(make_random(seed, "grove folder"), ignore_effect)
        self.command_runner = SimulatedCommandRunner(
            make_random(seed, "grove processes"), ignore_effect
        )
        self.model = SimulatedTreeModel(
            make_random(seed, "grove model"), self.invariants.on_model_request
        )
        self.user = SimulatedUser(loop, make_random(seed, "grove person"), lambda _: None)
        self.slot_limit = self.random.choice((1, 2, 3, 10))
        self.limits = Limits(tokens=self.random.choice((None, None, None, 60)))
        self.max_live_agents = 0

    @property
    def violations(self) -> list[str]:
        return self.invariants.violations.entries

    def play(self) -> None:
        """Run the program once or twice, to an end at rest."""
        with suppress_logs(), ExitStack() as stack:
            for owner, name, fault in self._plant.patches:
                stack.enter_context(patch.object(owner, name, fault))
            for run in range(1, self.random.choice((2, 3))):
                self._run(run, at_rest=False)
            self._run(9, at_rest=True)
            self.invariants.check_session_file(self.file_system.read_contents(SESSION_FILE))
        self.loop.close()

    def _run(self, run: int, *, at_rest: bool) -> None:
        if self.violations:
            return
        session = self._open(run)
        directory, root = self._begin(session)
        if at_rest:
            self._until(self.loop.time() + MAX_RUN_S)
            self._arm(armed=False)
            self.user.finish()
            self._until(float("inf"))
            if self.invariants.end is None:
                self.invariants.check_idle(
                    directory.mailbox_sizes, self.user.open_request_ids, root
                )
                hangs = CONSOLE in directory.mailbox_sizes and self.user.state.turn is not None
                self.invariants.violations.require(not hangs, "the turn hangs")
        else:
            self._until(self.loop.time() + self.random.random() * 30.0)
        self._stop(directory)

    def _open(self, run: int) -> SessionHandle:
        started = SessionOpened(run=run, pid=1, version="0")
        past: tuple[Record, ...] = ()
        own: tuple[Record, ...] = ()
        if run == 1:
            first = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            records: list[tuple[Record, Address]] = [(first, ROOT), (started, ROOT)]
            file = SessionLog.create(SESSION_FILE, records, lambda: 0.0, self.file_system)
        else:
            file, contents = SessionLog.open(SESSION_FILE, lambda: 0.0, self.file_system)
            past, own = contents.records, select_records_for(contents, PRIMARY)
            file.append([(started, ROOT)])
        options = SessionOptions(
            project_state_folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.random.choice(("default", "default", "auto-edit", "yolo")),
            is_scripted=False,
            protected_paths=(),
            version="0",
            limits=self.limits,
            definitions=(*BUILT_IN_DEFINITIONS, HASTY_DEFINITION, INTERACTIVE_DEFINITION),
            slot_limit=self.slot_limit,
            max_spawns=MAX_AGENTS,
        )
        return SessionHandle(options, "s", file, past, run, own)

    def _begin(self, session: SessionHandle) -> tuple[SimulatedRegistry, list[RootSupervisor]]:
        self.trace.add_note(f"run {session.run}")
        inbox = ScreenEventQueue()
        tools = (*self.workspace.tools, TASK)
        around = SessionPorts(self.model, command_runner=self.command_runner, tools=tools)
        workbench = UserCommandRunner(
            self.command_runner, WORKSPACE.cwd, session.options.project_state_folder
        )
        console = partial(Console, inbox, workbench)
        factories = replace(
            make_child_factories(session, around, console), on_console_lost=self.trace.add_note
        )
        directory = SimulatedRegistry(self.invariants, self.loop)
        self.invariants.start_run()
        self._arm(armed=True)
        directory.start_cell(partial(RootSupervisor, factories), ROOT, None)
        self.user.start_run(inbox, partial(self._said, directory), self.random.choice((1, 2, 3)))
        for _ in range(self.random.choice((0, 1, 2, 4))):
            self.loop.call_later(self.random.random() * 20, self._stop_one, directory)
        return directory, self.invariants.roots

    def _arm(self, *, armed: bool) -> None:
        for each in (self.crashes, self.workspace, self.command_runner, self.model):
            each.is_armed = armed
        self.model.ends_turns = not armed

    def _stop_one(self, directory: SimulatedRegistry) -> None:
        """Stop one agent from the list, with all below it."""
        living = [each for each in directory.addresses if is_subagent(each)]
        self.max_live_agents = max(self.max_live_agents, len(living))
        if living and not self.user.is_finishing:
            directory.send(self.random.choice(living), CancelTask(), CONSOLE)

    def _said(self, directory: SimulatedRegistry, intent: Message) -> None:
        if isinstance(intent, SubmitDecision):
            self.trace.add_note(f"answers {intent.id}")
        with suppress(TypeError):
            directory.send(CONSOLE, intent, ROOT)

    def _until(self, when_s: float) -> None:
        most = self.loop.steps + MAX_STEPS
        self.loop.run(lambda: self.invariants.end is not None or self.loop.steps > most, when_s)
        self.invariants.violations.require(self.loop.steps <= most, "it does not come to rest")

    def _stop(self, directory: SimulatedRegistry) -> None:
        if self.invariants.end is None:
            began_s = self.loop.time()
            directory.stop_root(StopCell(began_s + 0.9 * EXIT_TIMEOUT_S, high_priority=True))
            self._until(began_s + EXIT_TIMEOUT_S)
            self.invariants.violations.require(
                self.invariants.end is not None, "it does not stop in time"
            )
        left = list(directory.mailbox_sizes)
        self.invariants.violations.require(not left, f"left behind: {left}")
        self.user.end_run()
        self.loop.run(lambda: False, self.loop.time() + MAX_RUN_S)
        self.file_system.end_program()
