"""One seed's world: the real actors of a session over simulated ports, run after run."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from actors.agents.history import History
from actors.models.client import ModelRequest
from actors.root import Root
from actors.runtime.actor import Actor, Factory
from actors.runtime.lanes import Parcel, StopOrder
from actors.runtime.supervision import Restart
from actors.runtime.system import EXIT_S
from actors.session import OpenSession, SessionOptions, Surroundings, factories_of
from actors.sessions.log import SessionLog
from actors.tools.workspace import Workspace
from messages.address import CONSOLE, PRIMARY, ROOT, Address
from messages.agents import ChildEnded
from messages.approvals import AnswerApproval, PresentApproval
from messages.base import Message
from messages.content import ToolUseBlock
from messages.envelope import Envelope
from messages.transcript import Record, RunStarted, Session
from messages.turns import ToolEnded
from shell.console import Console
from shell.inbox import Event, Inbox
from shell.own_command import Workbench
from tests.actors.agents.conversation import assert_sendable, assert_sound
from tests.simulation.calls import Calls
from tests.simulation.commands import SimulatedProcesses
from tests.simulation.crashes import Crashes
from tests.simulation.disk import SimulatedFiles
from tests.simulation.dispatch import SimulatedDirectory
from tests.simulation.folder import Folder
from tests.simulation.ledger import Ledger
from tests.simulation.lives import Lives
from tests.simulation.loop import random_of, sim_loop
from tests.simulation.model import SimulatedModel
from tests.simulation.person import SimulatedPerson
from tests.simulation.questions import Questions
from tests.simulation.records import Records
from tests.simulation.setting import Ending, setting_of
from tests.simulation.trace import Trace

FILE = Path("/session.jsonl")
WORKSPACE = Workspace(root=Path("/simulated/work"), cwd=Path("/simulated/work"))
EVENING_S = 60.0
"""How long a run may go on before the person comes to an end."""
MOST_STEPS = 60_000
"""A run that takes more never comes to rest."""


class World:
    """Plays one seed to its end; what was broken stands in `violations`."""

    def __init__(self, seed: int) -> None:
        self.setting = setting = setting_of(seed)
        self.random = random_of(seed, "world")
        self.loop = sim_loop(random_of(seed, "loop"), setting.lag_chance)
        self.trace = Trace(self.loop.time)
        self.ledger = Ledger(self.loop.time)
        self.crashes = Crashes(random_of(seed, "crashes"), setting.crash_chance, self.trace)
        self.lives = Lives(self.ledger, self.loop.time)
        self.calls = Calls(self.ledger, setting.mode)
        self.records = Records(self.ledger, self.calls.on_disk)
        self.questions = Questions(self.ledger, self.calls, self.records.is_on_disk, self.loop.time)
        disk_random = random_of(seed, "disk")
        self.files = SimulatedFiles(disk_random, setting.disk_chance, self.synced)
        self.folder = Folder(random_of(seed, "folder"), self.happened)
        self.processes = SimulatedProcesses(random_of(seed, "processes"), self.happened)
        self.model = SimulatedModel(
            random_of(seed, "model"), self.asked, self.meant, setting.deaf_s
        )
        self.person = SimulatedPerson(self.loop, random_of(seed, "person"), self.saw)
        self.end: ChildEnded | None = None
        self.runs = 0

    @property
    def violations(self) -> list[str]:
        """What was promised and not kept."""
        return self.ledger.violations

    def play(self) -> None:
        """Run the program as often as the setting has it."""
        with _silence():
            for ending in self.setting.endings:
                self._run(ending)
                if self.violations:
                    break
            else:
                self._read_once_more()
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
            self._until(self.loop.time() + self.random.random() * EVENING_S / 2)
        if ending == "power cut":
            self._cut_power()
        self._stop(directory)

    def _open(self) -> OpenSession | None:
        self.runs += 1
        self._arm(armed=False)
        self.files.dead = self.ledger.closed = False
        run = RunStarted(run=self.runs, pid=1, version="0")
        past: tuple[Record, ...] = ()
        if self.runs == 1:
            first = Session(session_id="s", workspace=str(WORKSPACE.root))
            file = SessionLog.create(
                FILE, [(first, ROOT), (run, ROOT)], self._wall_clock, self.files
            )
        else:
            past = self.records.opened(FILE, self.files.contents(FILE))
            if self.violations:
                return None
            file, _ = SessionLog.open(FILE, self._wall_clock, self.files)
            file.append([(run, ROOT)])
        self.calls.begin(past)
        self.questions.begin()
        self.lives.begin()
        options = SessionOptions(
            folder=Path("/simulated/state"),
            workspace=WORKSPACE,
            model_name="simulated",
            mode=self.setting.mode,
            rehearsal=False,
            protected=(),
            version="0",
        )
        return OpenSession(options, "s", file, past, self.runs)

    def _begin(self, session: OpenSession) -> SimulatedDirectory:
        self.trace.note(f"run {session.run}")
        inbox = Inbox()
        around = Surroundings(self.model, processes=self.processes, tools=self.folder.tools)
        workbench = Workbench(self.processes, WORKSPACE.cwd, session.options.folder)
        console = partial(Console, inbox, session.records, workbench)
        factories = factories_of(session, around, console)
        directory = SimulatedDirectory(self, self.loop)
        self.end = None
        self._arm(armed=True)
        directory.spawn(partial(Root, factories), ROOT, None)
        prompts = self.random.choice((1, 2, 3))
        self.person.sit_down(inbox, partial(self._said, directory), prompts)
        return directory

    def _arm(self, *, armed: bool) -> None:
        """Let things go wrong, or no longer."""
        for each in (self.crashes, self.files, self.folder, self.processes, self.model):
            each.armed = armed
        self.model.brief = not armed

    def _until_evening(self) -> None:
        self._until(self.loop.time() + EVENING_S)

    def _until(self, when_s: float) -> None:
        most = self.loop.steps + MOST_STEPS
        self.loop.run(lambda: self.end is not None or self.loop.steps > most, when_s)
        self.ledger.require(self.loop.steps <= most, "it does not come to rest")

    def _come_to_rest(self, directory: SimulatedDirectory) -> None:
        self._arm(armed=False)
        self.person.press()
        self._until(float("inf"))
        if self.end is not None:
            return
        for address, waiting in directory.waiting.items():
            self.ledger.require(waiting == 0, f"{waiting} left in the inbox of {address}")
        self.lives.at_rest()
        if PRIMARY in directory.waiting and CONSOLE in directory.waiting:
            self.ledger.require(self.person.state.turn is None, "the turn hangs")
            self.questions.at_rest(self.person.open_questions)

    def _cut_power(self) -> None:
        self.trace.note("the power is cut")
        self.files.power_cut()
        self.ledger.closed = True

    def _stop(self, directory: SimulatedDirectory) -> None:
        """Stop everything as `ActorSystem.stop` does, and let what is left run out."""
        if self.end is None:
            self.trace.note("stop")
            began_s = self.loop.time()
            order = StopOrder(began_s + 0.9 * EXIT_S, urgent=True)
            directory.stop_root(order)
            self._until(began_s + EXIT_S)
            self.ledger.require(self.end is not None, "it does not stop in time")
        self.ledger.require(not directory.waiting, f"left behind: {list(directory.waiting)}")
        deaf = self.setting.deaf_s > 0
        self.ledger.require(deaf or not directory.given_up, "given up, and nobody was deaf")
        self.person.leave()
        self.loop.run(lambda: False, self.loop.time() + EVENING_S)
        self.files.exit()

    def _read_once_more(self) -> None:
        """Read the log as a resume does; its history can be sent."""
        records = self.records.opened(FILE, self.files.contents(FILE))
        history = History()
        for record in records:
            history.add(record)
        self._hold(assert_sound, tuple(history.messages))

    def _hold(self, check: Any, messages: tuple[Any, ...]) -> None:  # noqa: ANN401  (assertions over JSON)
        try:
            check(messages)
        except AssertionError as error:
            self.ledger.require(holds=False, promise=f"the history is not valid: {error}")

    def _wall_clock(self) -> float:
        return 1_700_000_000 + self.loop.time()

    def _said(self, directory: SimulatedDirectory, intent: Message) -> None:
        if isinstance(intent, AnswerApproval):
            self.questions.said(intent)
        directory.send(CONSOLE, intent, ROOT)

    # What is overheard.

    def sent(self, to: Address, message: Message, sender: Address) -> tuple[Message, ...]:
        self.records.sent(to, message, sender)
        self.calls.sent(to, message, sender)
        self.questions.sent(to, message, sender)
        if isinstance(message, ToolEnded):
            self.questions.result(message.call_id)
        return (message,)

    def handling(self, to: Address, parcel: Parcel) -> None:
        if isinstance(parcel, Envelope):
            self.trace.letter(to, parcel.sender, parcel.message)
        else:
            self.trace.note(f"{to} <- {type(parcel).__name__}")

    def embodied(self, address: Address, make: Factory, restart: Restart) -> Factory:
        self.lives.may_restart(address, restart)
        make = self.crashes.embodied(address, make)

        def made() -> Actor[Any]:
            self.lives.made(address)
            behaviour = make()
            receive = behaviour.on_receive

            def heard(message: Message) -> None:
                receive(message)
                self.lives.received(address, message)
                self.questions.received(address, message)

            setattr(behaviour, "on_receive", heard)  # noqa: B010  (mypy holds methods to be fixed)
            return behaviour

        return made

    def started(self, address: Address) -> None:
        self.lives.started(address)

    def ended(self, address: Address) -> None:
        self.lives.ended(address)
        if address == PRIMARY:
            self.calls.agent_lives = False

    def root_ended(self, end: ChildEnded) -> None:
        self.end = end

    # What the ports tell.

    def synced(self, path: Path, before: bytes, after: bytes) -> None:
        if path == FILE:
            self.records.synced(before, after)

    def asked(self, request: ModelRequest) -> None:
        self._hold(assert_sendable, request.messages)

    def meant(self, tag: str, use: ToolUseBlock) -> None:
        self.calls.meant(tag, use)

    def happened(self, tag: str, what: str, shown: str) -> None:
        self.trace.note(f"{tag} {what}: {shown!r}")
        self.calls.happened(tag, what, shown)

    def saw(self, event: Event) -> None:
        if isinstance(event, PresentApproval):
            self.questions.saw(event.request)


@contextmanager
def _silence() -> Generator[None]:
    """Write no logs: each of the hundreds of planted faults would be told with its traceback."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
