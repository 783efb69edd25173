"""One seed: the real actors of a session over simulated ports, in one or more runs."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from actors.paths.workspace import Workspace
from actors.runtime.mailbox import StopCell
from actors.runtime.system import EXIT_TIMEOUT_S
from actors.sessions.log_reader import select_records_for
from actors.sessions.session_log import SessionLog
from actors.supervisor.supervisor import RootSupervisor
from actors.wiring.session_setup import SessionHandle, SessionOptions
from actors.wiring.wiring import SessionPorts, make_child_factories
from messages.address import CONSOLE, PRIMARY, ROOT
from messages.base import Message
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from shell.console.console import Console
from shell.console.screen_event_queue import ScreenEventQueue
from shell.console.user_shell_command import UserCommandRunner
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.in_memory_workspace import InMemoryWorkspace
from tests.simulation.mutant_list import NO_MUTANT, Mutant
from tests.simulation.seed_config import RunEnding, draw_seed_config
from tests.simulation.session_invariants import GRANTS_FILE, SESSION_FILE, SessionInvariants
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_dispatcher import SimulatedRegistry
from tests.simulation.simulated_file_system import SimulatedFileSystem
from tests.simulation.simulated_loop import make_random, make_simulated_loop
from tests.simulation.simulated_model import SimulatedModel
from tests.simulation.simulated_user import SimulatedUser
from tests.simulation.trace import Trace

WORKSPACE = Workspace(root=Path("/simulated/work"), cwd=Path("/simulated/work"))
MAX_RUN_S = 60.0
"""Time in a run after which the user starts nothing new."""
MAX_EARLY_STOP_STEPS = 400
MAX_STEPS = 60_000
"""Loop steps after which a run counts as endless."""
STOP_DEADLINE_RATIO = 0.9
"""Part of the exit timeout that the actors get."""


class SimulatedSession:
    """Runs one seed to its end and collects violations."""

    def __init__(self, seed: int, mutant: Mutant = NO_MUTANT) -> None:
        self._mutant = mutant
        self.seed_config = config = draw_seed_config(seed)
        self.random = make_random(seed, "session")
        self.loop = make_simulated_loop(make_random(seed, "loop"), config.lag_chance)
        self.trace = Trace(self.loop.time)
        self.crashes = CrashInjector(make_random(seed, "crashes"), config.crash_chance, self.trace)
        self.invariants = invariants = SessionInvariants(
            self.loop.time, config, self.trace, self.crashes, mutant
        )
        self.file_system = SimulatedFileSystem(
            make_random(seed, "disk"), config.disk_chance, invariants.on_synced
        )
        self.workspace = InMemoryWorkspace(make_random(seed, "workspace"), invariants.on_effect)
        self.command_runner = SimulatedCommandRunner(
            make_random(seed, "commands"), invariants.on_effect
        )
        self.model = SimulatedModel(
            make_random(seed, "model"),
            invariants.on_model_request,
            invariants.on_tool_use,
            config.cancel_delay_s,
            config.ask_chance,
        )
        self.user = SimulatedUser(
            self.loop,
            make_random(seed, "user"),
            invariants.on_request_shown,
            config.change_policy_chance,
        )
        self.run_count = 0
        self._fault_count_before_run = 0

    @property
    def violations(self) -> list[str]:
        """Violated invariants, in order."""
        return self.invariants.violations.entries

    @property
    def _fault_count(self) -> int:
        return self.crashes.count + self.file_system.failure_count

    def run(self) -> None:
        """Run the program once per ending of the seed's config."""
        with suppress_logs(), self._mutant.applied():
            for ending in self.seed_config.endings:
                self._run_once(ending)
                if self.violations:
                    break
            else:
                self.invariants.check_session_file(self.file_system.read_contents(SESSION_FILE))
        self.loop.close()

    # One run.

    def _run_once(self, ending: RunEnding) -> None:
        handle = self._open_session()
        if handle is None:
            return
        registry = self._start(handle)
        if ending == "idle":
            self._run_until(self.loop.time() + MAX_RUN_S)
            self._run_until_idle(registry)
        else:
            self._run_until_interrupted()
        if ending == "power cut":
            self._cut_power()
        self._stop(registry)

    def _open_session(self) -> SessionHandle | None:
        self.run_count += 1
        self._arm_faults(armed=False)
        self.invariants.violations.is_closed = False
        opened = SessionOpened(run=self.run_count, pid=1, version="0")
        records: tuple[Record, ...] = ()
        primary_records: tuple[Record, ...] = ()
        if self.run_count == 1:
            self.invariants.start_run(records, b"")
            header = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            first_records = (header, opened, SessionSettings(mode=self.seed_config.mode))
            lines = [(record, ROOT) for record in first_records]
            log = SessionLog.create(SESSION_FILE, lines, self._wall_clock, self.file_system)
        else:
            file = self.file_system.read_contents(SESSION_FILE)
            records = self.invariants.check_session_file(file)
            if self.violations:
                return None
            # Messages of the last run are forgotten before the file is read again.
            self.invariants.start_run(records, self.file_system.read_contents(GRANTS_FILE))
            log, contents = SessionLog.open(SESSION_FILE, self._wall_clock, self.file_system)
            primary_records = select_records_for(contents, PRIMARY)
            log.append([(opened, ROOT)])
        options = SessionOptions(
            project_state_folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.seed_config.mode,
            is_scripted=False,
            protected_paths=(),
            version="0",
        )
        return SessionHandle(options, "s", log, records, self.run_count, primary_records)

    def _start(self, handle: SessionHandle) -> SimulatedRegistry:
        self.trace.add_note(f"run {handle.run}")
        events = ScreenEventQueue()
        ports = SessionPorts(
            self.model,
            command_runner=self.command_runner,
            tools=self.workspace.tools,
            file_system=self.file_system,
        )
        user_commands = UserCommandRunner(
            self.command_runner, WORKSPACE.cwd, handle.options.project_state_folder
        )
        factories = make_child_factories(handle, ports, partial(Console, events, user_commands))
        factories = replace(factories, on_console_lost=self.trace.add_note)
        registry = SimulatedRegistry(self.invariants, self.loop)
        self._fault_count_before_run = self._fault_count
        self._arm_faults(armed=True)
        registry.start_cell(partial(RootSupervisor, factories), ROOT, None)
        prompts = self.random.choice((1, 2, 3, 4))
        self.user.start_run(events, partial(self._send_user_command, registry), prompts)
        return registry

    def _arm_faults(self, *, armed: bool) -> None:
        for fault_source in (
            self.crashes,
            self.file_system,
            self.workspace,
            self.command_runner,
            self.model,
        ):
            fault_source.is_armed = armed
        self.model.ends_turns = not armed

    def _run_until_interrupted(self) -> None:
        """Run until a random time, a random step, or just after a command of the user."""
        condition = self.random.choice(("time", "steps", "user command"))
        if condition == "time":
            self._run_until(self.loop.time() + self.random.random() * MAX_RUN_S / 2)
        if condition == "steps":
            last_step = self.loop.steps + self.random.randrange(MAX_EARLY_STOP_STEPS)
            self._run_until(float("inf"), lambda: self.loop.steps >= last_step)
        if condition == "user command":
            last_command = self.user.sent_count + self.random.randint(1, 4)
            self._run_until(
                self.loop.time() + MAX_RUN_S, lambda: self.user.sent_count >= last_command
            )
            last_step = self.loop.steps + self.random.randrange(6)
            self._run_until(float("inf"), lambda: self.loop.steps >= last_step)

    def _run_until(self, time_s: float, is_done: Callable[[], bool] = lambda: False) -> None:
        max_steps = self.loop.steps + MAX_STEPS
        self.loop.run(
            lambda: self.invariants.end is not None or self.loop.steps > max_steps or is_done(),
            time_s,
        )
        self._require(self.loop.steps <= max_steps, "the session never becomes idle")

    def _run_until_idle(self, registry: SimulatedRegistry) -> None:
        self._arm_faults(armed=False)
        self.user.finish()
        self._run_until(float("inf"))
        if self.invariants.end is not None:
            return
        sizes = registry.mailbox_sizes
        self.invariants.check_idle(sizes, self.user.open_request_ids)
        if CONSOLE in sizes:
            self._require(self.user.state.turn is None, "the turn never ends")
            self._require(not self.user.state.queued, "messages stay queued")
            has_faults = self._fault_count > self._fault_count_before_run
            self.invariants.prompts.check_idle(self.user.messages, has_faults=has_faults)

    def _cut_power(self) -> None:
        self.trace.add_note("power cut")
        self.file_system.cut_power()
        self.invariants.violations.is_closed = True

    def _stop(self, registry: SimulatedRegistry) -> None:
        """Stop everything as `ActorSystem.stop` does, then run what is left on the loop."""
        if self.invariants.end is None:
            self.trace.add_note("stop")
            started_s = self.loop.time()
            deadline_s = started_s + STOP_DEADLINE_RATIO * EXIT_TIMEOUT_S
            self.crashes.is_armed = True  # cleanup raises, too
            registry.stop_root(StopCell(deadline_s, high_priority=True))
            self._run_until(started_s + EXIT_TIMEOUT_S)
            self._require(self.invariants.end is not None, "the session does not stop in time")
            if self._fault_count == self._fault_count_before_run:
                self.invariants.check_drained()
        asked_again = self.user.asked_again_ids
        self._require(not asked_again, f"the user is asked again about {asked_again}")
        running = list(registry.mailbox_sizes)
        self._require(not running, f"still running: {running}")
        may_abandon = self.seed_config.cancel_delay_s > 0
        self._require(
            may_abandon or not registry.abandoned_count, "an actor was abandoned without a reason"
        )
        self.user.end_run()
        self.loop.run(lambda: False, self.loop.time() + MAX_RUN_S)
        self.file_system.end_program()

    def _require(self, condition: object, message: str) -> None:
        self.invariants.violations.require(condition, message)

    def _wall_clock(self) -> float:
        return 1_700_000_000 + self.loop.time()

    def _send_user_command(self, registry: SimulatedRegistry, command: Message) -> None:
        self.user.sent_count += 1
        self.invariants.on_user_command(command)
        registry.send(CONSOLE, command, ROOT)


@contextmanager
def suppress_logs() -> Generator[None]:
    """Disable logging, which would print a traceback for each injected crash."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
