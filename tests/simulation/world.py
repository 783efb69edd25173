"""One seed's world: the real actors of a session over simulated ports, run after run."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from actors.factories import SessionPorts, factories_of
from actors.root import RootSupervisor
from actors.runtime.lanes import StopOrder
from actors.runtime.system import EXIT_S
from actors.session import OpenSession, SessionOptions
from actors.sessions.log import SessionLog
from actors.sessions.reading import concerning
from actors.tools.workspace import Workspace
from messages.address import CONSOLE, PRIMARY, ROOT
from messages.base import Message
from messages.permissions import SessionSettings
from messages.transcript import Record, SessionHeader, SessionOpened
from shell.console import Console
from shell.inbox import ScreenEventQueue
from shell.own_command import UserCommandRunner
from tests.simulation.accounts import FILE, GRANTS, Accounts
from tests.simulation.commands import SimulatedProcesses
from tests.simulation.crashes import Crashes
from tests.simulation.disk import SimulatedFiles
from tests.simulation.dispatch import SimulatedDirectory
from tests.simulation.folder import Folder
from tests.simulation.loop import random_of, sim_loop
from tests.simulation.model import SimulatedModel
from tests.simulation.person import SimulatedPerson
from tests.simulation.planted import NO_FAULT, Plant
from tests.simulation.setting import Ending, setting_of
from tests.simulation.trace import Trace

WORKSPACE = Workspace(root=Path("/simulated/work"), cwd=Path("/simulated/work"))
EVENING_S = 60.0
"""How long a run may go on before the person comes to an end."""
MOST_HURRY_STEPS = 400
MOST_STEPS = 60_000
"""A run that takes more never comes to rest."""


class World:
    """Plays one seed to its end; what was broken stands in `violations`."""

    def __init__(self, seed: int, plant: Plant = NO_FAULT) -> None:
        self._plant = plant
        self.setting = setting = setting_of(seed)
        self.random = random_of(seed, "world")
        self.loop = loop = sim_loop(random_of(seed, "loop"), setting.lag_chance)
        self.trace = Trace(loop.time)
        self.crashes = Crashes(random_of(seed, "crashes"), setting.crash_chance, self.trace)
        self.accounts = heard = Accounts(loop.time, setting, self.trace, self.crashes, plant)
        self.files = SimulatedFiles(random_of(seed, "disk"), setting.disk_chance, heard.synced)
        self.folder = Folder(random_of(seed, "folder"), heard.happened)
        self.processes = SimulatedProcesses(random_of(seed, "processes"), heard.happened)
        self.model = SimulatedModel(
            random_of(seed, "model"), heard.asked, heard.meant, setting.deaf_s, setting.curious
        )
        self.person = SimulatedPerson(
            self.loop, random_of(seed, "person"), heard.looked, setting.fickle
        )
        self.runs = 0
        self._troubles_before = 0

    @property
    def violations(self) -> list[str]:
        """What was promised and not kept."""
        return self.accounts.ledger.violations

    @property
    def _troubles(self) -> int:
        return self.crashes.count + self.files.failures

    def play(self) -> None:
        """Run the program as often as the setting has it."""
        with silence(), self._plant.planted():
            for ending in self.setting.endings:
                self._run(ending)
                if self.violations:
                    break
            else:
                self.accounts.read(self.files.contents(FILE))
        self.loop.close()

    # One run.

    def _run(self, ending: Ending) -> None:
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

    def _open(self) -> OpenSession | None:
        self.runs += 1
        self._arm(armed=False)
        self.accounts.ledger.closed = False
        run = SessionOpened(run=self.runs, pid=1, version="0")
        past: tuple[Record, ...] = ()
        own: tuple[Record, ...] = ()
        if self.runs == 1:
            self.accounts.begin(past, b"")
            first = SessionHeader(session_id="s", workspace=str(WORKSPACE.root))
            begun = (first, run, SessionSettings(mode=self.setting.mode))
            lines = [(record, ROOT) for record in begun]
            file = SessionLog.create(FILE, lines, self._wall_clock, self.files)
        else:
            past = self.accounts.read(self.files.contents(FILE))
            if self.violations:
                return None
            # What the last run only told is forgotten before the file is read again.
            self.accounts.begin(past, self.files.contents(GRANTS))
            file, contents = SessionLog.open(FILE, self._wall_clock, self.files)
            own = concerning(contents, PRIMARY)
            file.append([(run, ROOT)])
        options = SessionOptions(
            folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.setting.mode,
            is_scripted=False,
            protected=(),
            version="0",
        )
        return OpenSession(options, "s", file, past, self.runs, own)

    def _begin(self, session: OpenSession) -> SimulatedDirectory:
        self.trace.note(f"run {session.run}")
        inbox = ScreenEventQueue()
        around = SessionPorts(
            self.model, processes=self.processes, tools=self.folder.tools, files=self.files
        )
        workbench = UserCommandRunner(self.processes, WORKSPACE.cwd, session.options.folder)
        console = partial(Console, inbox, workbench)
        factories = factories_of(session, around, console)
        factories = replace(factories, console_gone=self.trace.note)
        directory = SimulatedDirectory(self.accounts, self.loop)
        self._troubles_before = self._troubles
        self._arm(armed=True)
        directory.spawn(partial(RootSupervisor, factories), ROOT, None)
        prompts = self.random.choice((1, 2, 3, 4))
        self.person.sit_down(inbox, partial(self._said, directory), prompts)
        return directory

    def _arm(self, *, armed: bool) -> None:
        """Let things go wrong, or no longer."""
        for each in (self.crashes, self.files, self.folder, self.processes, self.model):
            each.armed = armed
        self.model.brief = not armed

    def _until_evening(self) -> None:
        self._until(self.loop.time() + EVENING_S)

    def _until_sometime(self) -> None:
        """Go on until a moment, or into the middle of things, or until a person has just spoken."""
        way = self.random.choice(("time", "steps", "words"))
        if way == "time":
            self._until(self.loop.time() + self.random.random() * EVENING_S / 2)
        if way == "steps":
            last = self.loop.steps + self.random.randrange(MOST_HURRY_STEPS)
            self._until(float("inf"), lambda: self.loop.steps >= last)
        if way == "words":
            last = self.person.said + self.random.randint(1, 4)
            self._until(self.loop.time() + EVENING_S, lambda: self.person.said >= last)
            some = self.loop.steps + self.random.randrange(6)
            self._until(float("inf"), lambda: self.loop.steps >= some)

    def _until(self, when_s: float, done: Callable[[], bool] = lambda: False) -> None:
        most = self.loop.steps + MOST_STEPS
        self.loop.run(
            lambda: self.accounts.end is not None or self.loop.steps > most or done(), when_s
        )
        self._require(self.loop.steps <= most, "it does not come to rest")

    def _come_to_rest(self, directory: SimulatedDirectory) -> None:
        self._arm(armed=False)
        self.person.press()
        self._until(float("inf"))
        if self.accounts.end is not None:
            return
        waiting = directory.waiting
        self.accounts.at_rest(waiting, self.person.open_questions)
        if CONSOLE in waiting:
            self._require(self.person.state.turn is None, "the turn hangs")

    def _cut_power(self) -> None:
        self.trace.note("the power is cut")
        self.files.power_cut()
        self.accounts.ledger.closed = True

    def _stop(self, directory: SimulatedDirectory) -> None:
        """Stop everything as `ActorSystem.stop` does, and let what is left run out."""
        if self.accounts.end is None:
            self.trace.note("stop")
            began_s = self.loop.time()
            order = StopOrder(began_s + 0.9 * EXIT_S, high_priority=True)
            self.crashes.armed = True  # clean-up fails, too
            directory.stop_root(order)
            self._until(began_s + EXIT_S)
            self._require(self.accounts.end is not None, "it does not stop in time")
            if self._troubles == self._troubles_before:
                self.accounts.drained()
        self._require(not directory.waiting, f"left behind: {list(directory.waiting)}")
        deaf = self.setting.deaf_s > 0
        self._require(deaf or not directory.given_up, "given up, and nobody was deaf")
        self.person.leave()
        self.loop.run(lambda: False, self.loop.time() + EVENING_S)
        self.files.exit()

    def _require(self, holds: object, promise: str) -> None:
        self.accounts.ledger.require(holds, promise)

    def _wall_clock(self) -> float:
        return 1_700_000_000 + self.loop.time()

    def _said(self, directory: SimulatedDirectory, intent: Message) -> None:
        self.person.said += 1
        self.accounts.said(intent)
        directory.send(CONSOLE, intent, ROOT)


@contextmanager
def silence() -> Generator[None]:
    """Write no logs: each of the hundreds of planted faults would be told with its traceback."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
