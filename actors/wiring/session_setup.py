"""One session: what the shell wants of it, and its file, opened and locked.

Nothing of the actors that work on it is loaded here: the first screen stands before they are made.
"""

import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definition.definition import BUILD_AGENT, Definition
from actors.agents.definition.definition import BUILT_IN_DEFINITIONS as DEFINITIONS
from actors.agents.definition.system_prompts import Instructions
from actors.agents.turn.limits import Limits
from actors.paths.workspace import Workspace
from actors.sessions.fork import fork_session
from actors.sessions.log_reader import select_records_for, select_unfinished_task_records
from actors.sessions.run_info import find_last_run_number, find_last_settings
from actors.sessions.session_log import SessionLog, WallClock
from actors.sessions.state_paths import make_session_id, session_path
from actors.sessions.transcript_writer import TranscriptWriter
from messages.address import PERMISSIONS, PRIMARY, ROOT, Address
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.policy import PermissionMode, RuleSource

log = logging.getLogger("greenroom.session")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What the shell wants a session to be."""

    project_state_folder: Path
    """Where this workspace's sessions are kept."""
    workspace: Workspace
    model_name: str
    mode: PermissionMode
    is_scripted: bool
    protected_paths: tuple[Path, ...]
    """Our own files and folders: changing them asks each time."""
    version: str
    instructions: tuple[Instructions, ...] = ()
    """For the system prompt, in their order."""
    trusted: bool = False
    """The user trusts the workspace."""
    resume_path: Path | None = None
    """The file of a session to go on with; None: a new one begins."""
    fork: bool = False
    """Go on with a copy of it; it may be open elsewhere."""
    secrets: tuple[bytes, ...] = ()
    """Keys that are never written."""
    mode_is_explicit: bool = False
    """The mode was named for this very run; else a resumed session keeps its own."""
    agent: str = BUILD_AGENT.name
    """Who is to have a new session."""
    agent_is_explicit: bool = False
    """They were named for this very run; else a resumed session keeps its own."""
    model_is_explicit: bool = False
    """It was named for this very run; else a resumed session keeps the model chosen in it."""
    limits: Limits = Limits()  # noqa: RUF009  (frozen, so it may be shared)
    """How far the agent may go."""
    definitions: tuple[Definition, ...] = DEFINITIONS
    """Every type of agent there is."""
    max_depth: int = 3
    """An agent so deep below the primary starts no other."""
    slot_limit: int = 10
    """So many subagents may work at once."""
    max_spawns: int | None = None
    """So many may be started in one run; None: no limit."""
    rule_sources: tuple[RuleSource, ...] = ()
    """The user's, then the project's."""

    @property
    def grants_file(self) -> Path:
        """Say where what is granted for the project is kept: outside the workspace."""
        return self.project_state_folder / "grants.json"

    def plan_path(self, session_id: str) -> Path:
        """Say where the session's plan is written."""
        return self.workspace.root / ".greenroom" / "plans" / f"{session_id}.md"

    def output_folder(self, session_id: str) -> Path:
        """Say where whole outputs go that are too long for the model."""
        return self.project_state_folder / "outputs" / session_id

    def make_transcripts(self, session_id: str) -> TranscriptWriter:
        """Write what each subagent does into a file of its own."""
        return TranscriptWriter(self.project_state_folder / "subagents" / session_id)


@dataclass(frozen=True, slots=True)
class SessionHandle:
    """A session whose file is open and locked."""

    options: SessionOptions
    session_id: str
    log: SessionLog
    records: tuple[Record, ...]
    """Of earlier runs, by all agents."""
    run: int
    primary_records: tuple[Record, ...] = ()
    """Those of them that concern the primary."""
    open_subagent_records: tuple[tuple[Address, Record], ...] = ()
    """Those of its subagents that had not done their task, each with who recorded it."""
    transcripts: TranscriptWriter | None = None
    """Of its subagents; None: none are written."""
    torn_tail_path: Path | None = None
    """Where the end of the file went that an earlier run did not finish writing."""


def open_session(options: SessionOptions, wall_clock: WallClock) -> SessionHandle:
    """Begin a session, or go on with the one to take up.

    Raises:
        LogError: the file cannot be used; its detail is for people.
    """
    past = options.resume_path
    if past and options.fork:
        past = fork_session(past, options.project_state_folder, _new_id(wall_clock))
    session = _go_on(options, past, wall_clock) if past else _begin(options, wall_clock)
    log.debug("run %d of %s with %s", session.run, session.log.path, options.model_name)
    return session


def _go_on(options: SessionOptions, last: Path, wall_clock: WallClock) -> SessionHandle:
    file, contents = SessionLog.open(last, wall_clock)
    run = find_last_run_number(contents.records) + 1
    opened: list[tuple[Record, Address]] = [
        (SessionOpened(run=run, pid=os.getpid(), version=options.version), ROOT)
    ]
    config = find_last_settings(contents.records) or SessionSettings()
    mode = resolve_mode(options, contents.records)
    if mode != config.mode:
        opened.append(
            (config.model_copy(update={"mode": mode, "replaced_rules": None}), PERMISSIONS)
        )
    file.append(opened)
    own = select_records_for(contents, PRIMARY)
    return SessionHandle(
        options,
        last.stem,
        file,
        contents.records,
        run,
        own,
        select_unfinished_task_records(contents),
        options.make_transcripts(last.stem),
        contents.torn_file,
    )


def _begin(options: SessionOptions, wall_clock: WallClock) -> SessionHandle:
    session_id = _new_id(wall_clock)
    first: tuple[Record, ...] = (
        SessionHeader(session_id=session_id, workspace=str(options.workspace.root)),
        SessionOpened(run=1, pid=os.getpid(), version=options.version),
    )
    mode = resolve_mode(options, ())
    if mode != SessionSettings().mode:
        first = (*first, SessionSettings(mode=mode))
    path = session_path(options.project_state_folder, session_id)
    file = SessionLog.create(path, [(record, ROOT) for record in first], wall_clock)
    transcripts = options.make_transcripts(session_id)
    return SessionHandle(options, session_id, file, (), 1, transcripts=transcripts)


def _new_id(wall_clock: WallClock) -> str:
    return make_session_id(wall_clock(), secrets.token_hex(2))


def resolve_mode(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    """Say in which mode a session goes on: yolo only if it was named for this very run.

    To plan is no mode of the session but an agent that has it.
    """
    config = find_last_settings(records)
    kept = config.mode if config else options.mode
    if not records or options.mode_is_explicit:
        kept = options.mode if options.mode != "plan" else kept
    elif kept == "yolo":
        kept = "default"
    return "default" if kept == "plan" else kept
