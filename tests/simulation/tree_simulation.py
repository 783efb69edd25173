"""Random trees of agents: the real actors of a session, many of them subagents.

One seed is one session. Decisions, grants, stops of every scope, crashes and limits come in any
order.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from pydantic import JsonValue

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, Definition
from actors.agents.turn.limits import Limits
from actors.runtime.mailbox import StopCell
from actors.runtime.system import EXIT_TIMEOUT_S
from actors.sessions.log_reader import select_records_for
from actors.sessions.session_log import SessionLog
from actors.supervisor.supervisor import RootSupervisor
from actors.tools.task import TASK
from actors.tools.task_output import TASK_OUTPUT
from actors.tools.task_stop import TASK_STOP
from actors.wiring.session_setup import SessionHandle, SessionOptions
from actors.wiring.wiring import SessionPorts, make_child_factories
from messages.address import CONSOLE, PRIMARY, ROOT, Address, is_subagent
from messages.approvals import SubmitDecision
from messages.base import Message
from messages.content import TextBlock
from messages.journal import Record, SessionHeader, SessionOpened
from messages.subagents import AssignTask, ContinueSubagent, MoveToBackground
from shell.console.console import Console
from shell.console.screen_event_queue import ScreenEventQueue
from shell.console.ui_commands import StopSubagent
from shell.console.user_shell_command import UserCommandRunner
from tests.actors.agents.scripted_agents import get_prompt
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.in_memory_workspace import InMemoryWorkspace
from tests.simulation.invariants.background import BUBBLING_NAME
from tests.simulation.mutant_list import NO_MUTANT, Mutant
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_dispatcher import SimulatedRegistry
from tests.simulation.simulated_file_system import SimulatedFileSystem
from tests.simulation.simulated_loop import make_random, make_simulated_loop
from tests.simulation.simulated_model import REQUEST_USAGE, SimulatedModel, count_turn_requests
from tests.simulation.simulated_session import STOP_DEADLINE_RATIO, WORKSPACE, suppress_logs
from tests.simulation.simulated_user import SimulatedUser
from tests.simulation.trace import Trace
from tests.simulation.tree_invariants import (
    INTERACTIVE_NAME,
    SESSION_FILE,
    TIME_LIMIT_S,
    TreeInvariants,
    format_answer,
    format_task_prompt,
)

MAX_AGENTS = 40
MAX_RUN_S = 60.0
MAX_STEPS = 120_000
LIMITED_DEFINITION = Definition(
    name="limited", system_prompt="", mode="subagent", time_limit_s=TIME_LIMIT_S, max_turns=4
)
INTERACTIVE_DEFINITION = Definition(
    name=INTERACTIVE_NAME, system_prompt="", mode="subagent", interactive=True
)
BUBBLING_DEFINITION = Definition(
    name=BUBBLING_NAME, system_prompt="", mode="subagent", bubbles=True
)
SUBAGENT_TYPES = (
    "general",
    "general",
    BUBBLING_NAME,
    BUBBLING_NAME,
    "explore",
    "sandboxed",
    LIMITED_DEFINITION.name,
    INTERACTIVE_NAME,
    INTERACTIVE_NAME,
    "unknown",
)


class SimulatedTreeModel(SimulatedModel):
    """A `SimulatedModel` that turns many of its tool calls into `task` calls."""

    def __init__(self, random: Random, on_request: Callable[[Any], None]) -> None:
        super().__init__(random, on_request, lambda _tag, _call: None)
        self.violates_port = False
        self.background_chance = random.choice((0.0, 0.3, 0.7))

    def _reply(self, request: Any) -> Any:  # noqa: ANN401  (as its base)
        reply = super()._reply(request)
        if not any(block.type == "tool_use" for block in reply.content):
            answer = TextBlock(text=format_answer(get_prompt(request)))
            reply = replace(reply, content=(*reply.content, answer))
        has_task_tool = any(tool["name"] == "task" for tool in request.tools)
        if (
            self.ends_turns
            or not has_task_tool
            or count_turn_requests(request) > 2
            or reply.stop_reason != "tool_use"
        ):
            return reply
        earlier_ids = sorted(
            set(re.findall(r"task_id:? ([a-z]+-[0-9]+)", json.dumps(request.messages)))
        )
        task_id = self._random.choice((*earlier_ids, ""))
        content = tuple(self._maybe_task(block, task_id) for block in reply.content)
        return replace(reply, content=content)

    def _maybe_task(self, block: Any, task_id: str) -> Any:  # noqa: ANN401  (a block)
        """Turn a call into a task, often one of several for the same subagent."""
        if block.type != "tool_use" or self._random.random() < 0.4:
            return block
        if task_id and self._random.random() < 0.1:
            name = self._random.choice(("task_output", "task_stop"))
            return block.model_copy(update={"name": name, "input": {"task_id": task_id}})
        arguments: dict[str, JsonValue] = {
            "description": "a part",
            "prompt": format_task_prompt(block.id),
            "subagent_type": self._random.choice(SUBAGENT_TYPES),
        }
        if self._random.random() < self.background_chance:
            arguments["background"] = True
        if task_id and self._random.random() < 0.5:
            arguments |= {"task_id": task_id, "subagent_type": task_id.rpartition("-")[0]}
        return block.model_copy(update={"name": "task", "input": arguments})


def ignore_effect(tag: str, effect: str, details: str) -> None:
    """Ignore the effect of a tool."""


class TreeSimulation:
    """Runs one seed to its end and collects violations."""

    def __init__(self, seed: int, mutant: Mutant = NO_MUTANT) -> None:
        self.random = make_random(seed, "tree")
        self._mutant = mutant
        self.loop = loop = make_simulated_loop(make_random(seed, "tree loop"))
        self.trace = Trace(loop.time)
        chance = self.random.choice((0.0, 0.0, 0.001, 0.004))
        self.crashes = CrashInjector(make_random(seed, "tree crashes"), chance, self.trace)
        self.invariants = TreeInvariants(loop.time, self.trace, self.crashes, mutant)
        self.file_system = SimulatedFileSystem(make_random(seed, "tree disk"))
        self.workspace = InMemoryWorkspace(make_random(seed, "tree workspace"), ignore_effect)
        self.command_runner = SimulatedCommandRunner(
            make_random(seed, "tree commands"), ignore_effect
        )
        self.model = SimulatedTreeModel(
            make_random(seed, "tree model"), self.invariants.on_model_request
        )
        self.user = SimulatedUser(loop, make_random(seed, "tree user"), lambda _request: None)
        self.slot_limit = self.random.choice((1, 2, 3, 10))
        self.limits = Limits(tokens=self.random.choice((None, None, None, 60)))

    @property
    def violations(self) -> list[str]:
        """Violated invariants, in order."""
        return self.invariants.violations.entries

    def run(self) -> None:
        """Run the program two or three times, the last time until it is idle."""
        with suppress_logs(), self._mutant.applied():
            run_count = self.random.choice((2, 3))
            for run in range(1, run_count):
                self._run_once(run, until_idle=False)
            self._run_once(run_count, until_idle=True)
            self.invariants.check_session_file(self.file_system.read_contents(SESSION_FILE))
        self.loop.close()

    def _run_once(self, run: int, *, until_idle: bool) -> None:
        if self.violations:
            return
        registry, roots = self._start(self._open_session(run))
        if until_idle:
            self._run_until(self.loop.time() + MAX_RUN_S)
            self._arm_faults(armed=False)
            self.user.finish()
            self._run_until(float("inf"))
            if self.invariants.end is None:
                self._check_idle(registry, roots)
        else:
            self._run_until(self.loop.time() + self.random.random() * 30.0)
        self._stop(registry)

    def _check_idle(self, registry: SimulatedRegistry, roots: list[RootSupervisor]) -> None:
        sizes = registry.mailbox_sizes
        self.invariants.check_idle(sizes, self.user.open_request_ids, roots)
        if CONSOLE in sizes:
            self._require(self.user.state.turn is None, "the turn never ends")

    def _open_session(self, run: int) -> SessionHandle:
        opened = SessionOpened(run=run, pid=1, version="0")
        records: tuple[Record, ...] = ()
        primary_records: tuple[Record, ...] = ()
        if run == 1:
            header = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            lines: list[tuple[Record, Address]] = [(header, ROOT), (opened, ROOT)]
            log = SessionLog.create(SESSION_FILE, lines, lambda: 0.0, self.file_system)
        else:
            log, contents = SessionLog.open(SESSION_FILE, lambda: 0.0, self.file_system)
            records, primary_records = contents.records, select_records_for(contents, PRIMARY)
            log.append([(opened, ROOT)])
        options = SessionOptions(
            project_state_folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.random.choice(("default", "default", "auto-edit", "yolo")),
            is_scripted=False,
            protected_paths=(),
            version="0",
            limits=self.limits,
            definitions=(
                *BUILT_IN_DEFINITIONS,
                LIMITED_DEFINITION,
                INTERACTIVE_DEFINITION,
                BUBBLING_DEFINITION,
            ),
            slot_limit=self.slot_limit,
            max_spawns=MAX_AGENTS,
        )
        return SessionHandle(options, "s", log, records, run, primary_records)

    def _start(self, handle: SessionHandle) -> tuple[SimulatedRegistry, list[RootSupervisor]]:
        self.trace.add_note(f"run {handle.run}")
        events = ScreenEventQueue()
        tools = (*self.workspace.tools, TASK, TASK_OUTPUT, TASK_STOP)
        ports = SessionPorts(
            self.model,
            command_runner=self.command_runner,
            tools=tools,
            file_system=self.file_system,
        )
        user_commands = UserCommandRunner(
            self.command_runner, WORKSPACE.cwd, handle.options.project_state_folder
        )
        factories = make_child_factories(handle, ports, partial(Console, events, user_commands))
        factories = replace(factories, on_console_lost=self.trace.add_note)
        registry = SimulatedRegistry(self.invariants, self.loop)
        self.invariants.start_run()
        self.invariants.token_budget.start_run(self.limits, self.slot_limit, REQUEST_USAGE)
        self._arm_faults(armed=True)
        registry.start_cell(partial(RootSupervisor, factories), ROOT, None)
        send = partial(self._send_user_command, registry)
        self.user.start_run(events, send, self.random.choice((1, 2, 3)))
        for _ in range(self.random.choice((0, 1, 2, 4))):
            self.loop.call_later(self.random.random() * 20, self._stop_subagent, registry)
        for _ in range(self.random.choice((0, 0, 2, 4))):
            delay_s = self.random.random() * 20
            self.loop.call_later(delay_s, self._move_to_background, registry)
        self.loop.call_later(5, self._continue_subagents, registry)
        for number in range(self.random.choice((0, 6, 20))):
            prompt = f"the user's prompt {number}"
            self.loop.call_later(self.random.random() * 40, self._prompt_subagent, registry, prompt)
        return registry, self.invariants.roots

    def _arm_faults(self, *, armed: bool) -> None:
        for fault_source in (self.crashes, self.workspace, self.command_runner, self.model):
            fault_source.is_armed = armed
        self.model.ends_turns = not armed

    def _stop_subagent(self, registry: SimulatedRegistry) -> None:
        """Stop one subagent with its subtree, as the user does from the list."""
        running = [address for address in registry.addresses if is_subagent(address)]
        if running and not self.user.is_finishing:
            stop = StopSubagent(agent=self.random.choice(running))
            self._send_user_command(registry, stop)

    def _move_to_background(self, registry: SimulatedRegistry) -> None:
        """Press Ctrl-B."""
        if not self.user.is_finishing:
            self._send_user_command(registry, MoveToBackground())

    def _continue_subagents(self, registry: SimulatedRegistry) -> None:
        """Continue every agent that is paused after a resume."""
        for subagent in self.user.state.subagents.running:
            if subagent.phase == "paused":
                self._send_user_command(registry, ContinueSubagent(child=subagent.address))

    def _prompt_subagent(self, registry: SimulatedRegistry, prompt: str) -> None:
        """Send a prompt to an interactive subagent, as the user does from its page."""
        running = [
            address for address in registry.addresses if address.name.startswith(INTERACTIVE_NAME)
        ]
        if running and not self.user.is_finishing:
            registry.send(self.random.choice(running), AssignTask(prompt=prompt), CONSOLE)

    def _send_user_command(self, registry: SimulatedRegistry, command: Message) -> None:
        if isinstance(command, SubmitDecision):
            self.trace.add_note(f"the user decides {command.id}")
        with suppress(TypeError):
            registry.send(CONSOLE, command, ROOT)

    def _run_until(self, time_s: float) -> None:
        max_steps = self.loop.steps + MAX_STEPS
        self.loop.run(
            lambda: self.invariants.end is not None or self.loop.steps > max_steps, time_s
        )
        self._require(self.loop.steps <= max_steps, "the session never becomes idle")

    def _stop(self, registry: SimulatedRegistry) -> None:
        if self.invariants.end is None:
            started_s = self.loop.time()
            deadline_s = started_s + STOP_DEADLINE_RATIO * EXIT_TIMEOUT_S
            registry.stop_root(StopCell(deadline_s, high_priority=True))
            self._run_until(started_s + EXIT_TIMEOUT_S)
            self._require(self.invariants.end is not None, "the session does not stop in time")
        running = list(registry.mailbox_sizes)
        self._require(not running, f"still running: {running}")
        self.user.end_run()
        self.loop.run(lambda: False, self.loop.time() + MAX_RUN_S)
        self.file_system.end_program()

    def _require(self, condition: object, message: str) -> None:
        self.invariants.violations.require(condition, message)
