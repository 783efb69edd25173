"""One seed's world: the real actors of a session over simulated ports, run after run."""

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
from shell.console.screen_events import ScreenEventQueue
from shell.console.user_command import UserCommandRunner
from tests.simulation.crash_injection import CrashInjector
from tests.simulation.in_memory_workspace import InMemoryWorkspace
from tests.simulation.invariants.session import GRANTS_FILE, SESSION_FILE, SessionInvariants
from tests.simulation.mutants import NO_MUTANT, Mutant
from tests.simulation.seed_config import RunEnding, draw_seed_config
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_dispatcher import SimulatedRegistry
from tests.simulation.simulated_file_system import SimulatedFileSystem
from tests.simulation.simulated_loop import make_random, make_simulated_loop
from tests.simulation.simulated_model import SimulatedModel
from tests.simulation.simulated_user import SimulatedUser
from tests.simulation.trace import Trace

WORKSPACE = Workspace(root=Path("/simulated/work"), cwd=Path("/simulated/work"))
MAX_RUN_S = 60.0
"""How long a run may go on before the person comes to an end."""
MAX_EARLY_STOP_STEPS = 400
MAX_STEPS = 60_000
"""A run that takes more never comes to rest."""


class SimulatedSession:
    """Plays one seed to its end; what was broken stands in `violations`."""

    def __init__(self, seed: int, plant: Mutant = NO_MUTANT) -> None:
        self._plant = plant
        self.seed_config = setting = draw_seed_config(seed)
        self.random = make_random(seed, "world")
        self.loop = loop = make_simulated_loop(make_random(seed, "loop"), setting.lag_chance)
        self.trace = Trace(loop.time)
        self.crashes = CrashInjector(make_random(seed, "crashes"), setting.crash_chance, self.trace)
        self.invariants = heard = SessionInvariants(
            loop.time, setting, self.trace, self.crashes, plant
        )
        self.file_system = SimulatedFileSystem(
            make_random(seed, "disk"), setting.disk_chance, heard.on_synced
        )
        self.workspace = InMemoryWorkspace(make_random(seed, "folder"), heard.on_effect)
        self.command_runner = SimulatedCommandRunner(
            make_random(seed, "processes"), heard.on_effect
        )
        self.model = SimulatedModel(
            make_random(seed, "model"),
            heard.on_model_request,
            heard.on_tool_use,
            setting.cancel_delay_s,
            setting.ask_chance,
        )
        self.user = SimulatedUser(
            self.loop,
            make_random(seed, "person"),
            heard.on_request_shown,
            setting.change_mind_chance,
        )
        self.run_count = 0
        self._troubles_before = 0

    @property
    def violations(self) -> list[str]:
        """What was promised and not kept."""
        return self.invariants.violations.entries

    @property
    def _troubles(self) -> int:
        return self.crashes.count + self.file_system.failure_count

    def play(self) -> None:
        """Run the program as often as the setting has it."""
        with suppress_logs(), self._plant.applied():
            for ending in self.seed_config.endings:
                self._run(ending)
                if self.violations:
                    break
            else:
                self.invariants.check_session_file(self.file_system.read_contents(SESSION_FILE))
        self.loop.close()

    # One run.

    def _run(self, ending: RunEnding) -> None:
        session = self._open()
        if session is None:
            return
        directory = self._begin(session)
        if ending == "at rest":
            self._until_evening()
            self._come_to_rest(directory)
        else:
            self._until_sometime()
        if ending == "power cut":
            self._cut_power()
        self._stop(directory)

    def _open(self) -> SessionHandle | None:
        self.run_count += 1
        self._arm(armed=False)
        self.invariants.violations.is_closed = False
        run = SessionOpened(run=self.run_count, pid=1, version="0")
        past: tuple[Record, ...] = ()
        own: tuple[Record, ...] = ()
        if self.run_count == 1:
            self.invariants.start_run(past, b"")
            first = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            begun = (first, run, SessionSettings(mode=self.seed_config.mode))
            lines = [(record, ROOT) for record in begun]
            file = SessionLog.create(SESSION_FILE, lines, self._wall_clock, self.file_system)
        else:
            past = self.invariants.check_session_file(self.file_system.read_contents(SESSION_FILE))
            if self.violations:
                return None
            # What the last run only told is forgotten before the file is read again.
            self.invariants.start_run(past, self.file_system.read_contents(GRANTS_FILE))
            file, contents = SessionLog.open(SESSION_FILE, self._wall_clock, self.file_system)
            own = select_records_for(contents, PRIMARY)
            file.append([(run, ROOT)])
        options = SessionOptions(
            project_state_folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.seed_config.mode,
            is_scripted=False,
            protected_paths=(),
            version="0",
        )
        return SessionHandle(options, "s", file, past, self.run_count, own)

    def _begin(self, session: SessionHandle) -> SimulatedRegistry:
        self.trace.add_note(f"run {session.run}")
        inbox = ScreenEventQueue()
        around = SessionPorts(
            self.model,
            command_runner=self.command_runner,
            tools=self.workspace.tools,
            file_system=self.file_system,
        )
        workbench = UserCommandRunner(
            self.command_runner, WORKSPACE.cwd, session.options.project_state_folder
        )
        console = partial(Console, inbox, workbench)
        factories = make_child_factories(session, around, console)
        factories = replace(factories, on_console_lost=self.trace.add_note)
        directory = SimulatedRegistry(self.invariants, self.loop)
        self._troubles_before = self._troubles
        self._arm(armed=True)
        directory.start_cell(partial(RootSupervisor, factories), ROOT, None)
        prompts = self.random.choice((1, 2, 3, 4))
        self.user.start_run(inbox, partial(self._said, directory), prompts)
        return directory

    def _arm(self, *, armed: bool) -> None:
        """Let things go wrong, or no longer."""
        for each in (
            self.crashes,
            self.file_system,
            self.workspace,
            self.command_runner,
            self.model,
        ):
            each.is_armed = armed
        self.model.ends_turns = not armed

    def _until_evening(self) -> None:
        self._until(self.loop.time() + MAX_RUN_S)

    def _until_sometime(self) -> None:
        """Go on until a moment, or into the middle of things, or until a person has just spoken."""
        way = self.random.choice(("time", "steps", "words"))
        if way == "time":
            self._until(self.loop.time() + self.random.random() * MAX_RUN_S / 2)
        if way == "steps":
            last = self.loop.steps + self.random.randrange(MAX_EARLY_STOP_STEPS)
            self._until(float("inf"), lambda: self.loop.steps >= last)
        if way == "words":
            last = self.user.sent_count + self.random.randint(1, 4)
            self._until(self.loop.time() + MAX_RUN_S, lambda: self.user.sent_count >= last)
            some = self.loop.steps + self.random.randrange(6)
            self._until(float("inf"), lambda: self.loop.steps >= some)

    def _until(self, when_s: float, done: Callable[[], bool] = lambda: False) -> None:
        most = self.loop.steps + MAX_STEPS
        self.loop.run(
            lambda: self.invariants.end is not None or self.loop.steps > most or done(), when_s
        )
        self._require(self.loop.steps <= most, "it does not come to rest")

    def _come_to_rest(self, directory: SimulatedRegistry) -> None:
        self._arm(armed=False)
        self.user.finish()
        self._until(float("inf"))
        if self.invariants.end is not None:
            return
        waiting = directory.mailbox_sizes
        self.invariants.check_idle(waiting, self.user.open_request_ids)
        if CONSOLE in waiting:
            self._require(self.user.state.turn is None, "the turn hangs")

    def _cut_power(self) -> None:
        self.trace.add_note("the power is cut")
        self.file_system.cut_power()
        self.invariants.violations.is_closed = True

    def _stop(self, directory: SimulatedRegistry) -> None:
        """Stop everything as `ActorSystem.stop` does, and let what is left run out."""
        if self.invariants.end is None:
            self.trace.add_note("stop")
            began_s = self.loop.time()
            order = StopCell(began_s + 0.9 * EXIT_TIMEOUT_S, high_priority=True)
            self.crashes.is_armed = True  # clean-up fails, too
            directory.stop_root(order)
            self._until(began_s + EXIT_TIMEOUT_S)
            self._require(self.invariants.end is not None, "it does not stop in time")
            if self._troubles == self._troubles_before:
                self.invariants.check_drained()
        self._require(not directory.mailbox_sizes, f"left behind: {list(directory.mailbox_sizes)}")
        deaf = self.seed_config.cancel_delay_s > 0
        self._require(deaf or not directory.abandoned_count, "given up, and nobody was deaf")
        self.user.end_run()
        self.loop.run(lambda: False, self.loop.time() + MAX_RUN_S)
        self.file_system.end_program()

    def _require(self, holds: object, promise: str) -> None:
        self.invariants.violations.require(holds, promise)

    def _wall_clock(self) -> float:
        return 1_700_000_000 + self.loop.time()

    def _said(self, directory: SimulatedRegistry, intent: Message) -> None:
        self.user.sent_count += 1
        self.invariants.on_user_command(intent)
        directory.send(CONSOLE, intent, ROOT)


@contextmanager
def suppress_logs() -> Generator[None]:
    """Write no logs: each of the hundreds of planted faults would be told with its traceback."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
