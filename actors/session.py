"""One session: what the shell wants of it, and its file, opened and locked.

Nothing of the actors that work on it is loaded here: the first screen stands before they are made.
"""

import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definitions import BUILD, Definition
from actors.agents.definitions import BUILT_IN as DEFINITIONS
from actors.agents.limits import Limits
from actors.agents.prompts import Instructions
from actors.sessions.forking import fork_session
from actors.sessions.log import SessionLog, WallClock
from actors.sessions.places import new_session_id, session_path
from actors.sessions.reading import concerning, left_open
from actors.sessions.runs import last_config, last_run
from actors.sessions.transcripts import Transcripts
from actors.tools.workspace import Workspace
from messages.address import PERMISSIONS, PRIMARY, ROOT, Address
from messages.permissions import SessionSettings
from messages.rules import PermissionMode, RuleSource
from messages.transcript import Record, SessionHeader, SessionOpened

log = logging.getLogger("greenroom.session")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What the shell wants a session to be."""

    folder: Path
    """Where this workspace's sessions are kept."""
    workspace: Workspace
    model_name: str
    mode: PermissionMode
    is_scripted: bool
    protected: tuple[Path, ...]
    """Our own files and folders: changing them asks each time."""
    version: str
    instructions: tuple[Instructions, ...] = ()
    """For the system prompt, in their order."""
    trusted: bool = False
    """The user trusts the workspace."""
    take_up: Path | None = None
    """The file of a session to go on with; None: a new one begins."""
    fork: bool = False
    """Go on with a copy of it; it may be open elsewhere."""
    secrets: tuple[bytes, ...] = ()
    """Keys that are never written."""
    mode_chosen: bool = False
    """The mode was named for this very run; else a resumed session keeps its own."""
    agent: str = BUILD.name
    """Who is to have a new session."""
    agent_chosen: bool = False
    """They were named for this very run; else a resumed session keeps its own."""
    model_chosen: bool = False
    """It was named for this very run; else a resumed session keeps the model chosen in it."""
    limits: Limits = Limits()  # noqa: RUF009  (frozen, so it may be shared)
    """How far the agent may go."""
    definitions: tuple[Definition, ...] = DEFINITIONS
    """Every type of agent there is."""
    max_depth: int = 3
    """An agent so deep below the primary starts no other."""
    slot_limit: int = 10
    """So many subagents may work at once."""
    spawns: int | None = None
    """So many may be started in one run; None: no limit."""
    rules: tuple[RuleSource, ...] = ()
    """The user's, then the project's."""

    @property
    def grants_file(self) -> Path:
        """Say where what is granted for the project is kept: outside the workspace."""
        return self.folder / "grants.json"

    def plan_file_of(self, session_id: str) -> Path:
        """Say where the session's plan is written."""
        return self.workspace.root / ".greenroom" / "plans" / f"{session_id}.md"

    def outputs_of(self, session_id: str) -> Path:
        """Say where whole outputs go that are too long for the model."""
        return self.folder / "outputs" / session_id

    def transcripts_of(self, session_id: str) -> Transcripts:
        """Write what each subagent does into a file of its own."""
        return Transcripts(self.folder / "subagents" / session_id)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session whose file is open and locked."""

    options: SessionOptions
    session_id: str
    log: SessionLog
    records: tuple[Record, ...]
    """Of earlier runs, by all agents."""
    run: int
    own: tuple[Record, ...] = ()
    """Those of them that concern the primary."""
    below: tuple[tuple[Address, Record], ...] = ()
    """Those of its subagents that had not done their task, each with who recorded it."""
    transcripts: Transcripts | None = None
    """Of its subagents; None: none are written."""
    torn_kept: Path | None = None
    """Where the end of the file went that an earlier run did not finish writing."""


def open_session(options: SessionOptions, wall_clock: WallClock) -> OpenSession:
    """Begin a session, or go on with the one to take up.

    Raises:
        LogError: the file cannot be used; its detail is for people.
    """
    past = options.take_up
    if past and options.fork:
        past = fork_session(past, options.folder, _new_id(wall_clock))
    session = _go_on(options, past, wall_clock) if past else _begin(options, wall_clock)
    log.debug("run %d of %s with %s", session.run, session.log.path, options.model_name)
    return session


def _go_on(options: SessionOptions, last: Path, wall_clock: WallClock) -> OpenSession:
    file, contents = SessionLog.open(last, wall_clock)
    run = last_run(contents.records) + 1
    opened: list[tuple[Record, Address]] = [
        (SessionOpened(run=run, pid=os.getpid(), version=options.version), ROOT)
    ]
    config = last_config(contents.records) or SessionSettings()
    mode = mode_of(options, contents.records)
    if mode != config.mode:
        opened.append(
            (config.model_copy(update={"mode": mode, "replaced_rules": None}), PERMISSIONS)
        )
    file.append(opened)
    own = concerning(contents, PRIMARY)
    return OpenSession(
        options,
        last.stem,
        file,
        contents.records,
        run,
        own,
        left_open(contents),
        options.transcripts_of(last.stem),
        contents.torn_kept,
    )


def _begin(options: SessionOptions, wall_clock: WallClock) -> OpenSession:
    session_id = _new_id(wall_clock)
    first: tuple[Record, ...] = (
        SessionHeader(session_id=session_id, workspace=str(options.workspace.root)),
        SessionOpened(run=1, pid=os.getpid(), version=options.version),
    )
    mode = mode_of(options, ())
    if mode != SessionSettings().mode:
        first = (*first, SessionSettings(mode=mode))
    path = session_path(options.folder, session_id)
    file = SessionLog.create(path, [(record, ROOT) for record in first], wall_clock)
    transcripts = options.transcripts_of(session_id)
    return OpenSession(options, session_id, file, (), 1, transcripts=transcripts)


def _new_id(wall_clock: WallClock) -> str:
    return new_session_id(wall_clock(), secrets.token_hex(2))


def mode_of(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    """Say in which mode a session goes on: yolo only if it was named for this very run.

    To plan is no mode of the session but an agent that has it.
    """
    config = last_config(records)
    kept = config.mode if config else options.mode
    if not records or options.mode_chosen:
        kept = options.mode if options.mode != "plan" else kept
    elif kept == "yolo":
        kept = "default"
    return "default" if kept == "plan" else kept
