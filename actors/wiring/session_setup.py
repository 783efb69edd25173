"""The options of a session, and opening its file.

Loads no actor code, because the first screen is drawn before the actors are created.
"""

import logging
import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from actors.agents.definition.definition import BUILD_AGENT, Definition
from actors.agents.definition.definition import BUILT_IN_DEFINITIONS as DEFINITIONS
from actors.agents.definition.system_prompts import Instructions
from actors.agents.kinds.kind_list import KIND_DEFINITIONS
from actors.agents.turn.compaction_state import CompactionSettings
from actors.agents.turn.limits import Limits
from actors.paths.workspace import Workspace
from actors.sessions.fork import fork_session
from actors.sessions.log_reader import select_records_for, select_unfinished_task_records
from actors.sessions.record_queries import find_last_run_number, find_last_settings
from actors.sessions.session_log import SessionLog, WallClock
from actors.sessions.state_paths import make_session_id, session_path
from actors.sessions.subagent_transcripts import TranscriptWriter
from actors.snapshots.snapshot_store import SnapshotStore
from messages.address import PERMISSIONS, PRIMARY, ROOT, Address
from messages.effort import Effort
from messages.journal import Record, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.placement import Placement
from messages.policy import PermissionMode, RuleSource

log = logging.getLogger("greenroom.session")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The options of a session, as determined by the shell."""

    project_state_folder: Path
    """The folder with this workspace's sessions."""
    workspace: Workspace
    model_name: str
    mode: PermissionMode
    is_scripted: bool
    protected_paths: tuple[Path, ...]
    """Greenroom's own files and folders; changing them always needs approval."""
    version: str
    instructions: tuple[Instructions, ...] = ()
    """Instruction files for the system prompt, in order."""
    trusted: bool = False
    """The user trusts the workspace."""
    resume_path: Path | None = None
    """The session file to resume; None: start a new session."""
    fork: bool = False
    """Resume a copy of the session, which may be open elsewhere."""
    secrets: tuple[bytes, ...] = ()
    """Keys that are never written to disk."""
    mode_is_explicit: bool = False
    """The mode was set for this run; otherwise, a resumed session keeps its own."""
    agent: str = BUILD_AGENT.name
    """The primary agent of a new session."""
    agent_is_explicit: bool = False
    """The agent was set for this run; otherwise, a resumed session keeps its own."""
    model_is_explicit: bool = False
    """The model was set for this run; otherwise, a resumed session keeps its own."""
    model_is_fixed: bool = False
    """The model was set outside the files, so the primary agent's definition sets no other."""
    effort: Effort | None = None
    """The configured effort; None: the model's default."""
    compaction: CompactionSettings = CompactionSettings()  # noqa: RUF009  (frozen, so it may be shared)
    limits: Limits = Limits()  # noqa: RUF009  (as above)
    """The budget of the primary agent."""
    definitions: tuple[Definition, ...] = DEFINITIONS
    """All agent definitions."""
    kind_definitions: tuple[Definition, ...] = KIND_DEFINITIONS
    """Those of the subagents that the program starts itself."""
    background_placement: Placement = "local"
    """Where background agents run whose definition does not say it."""
    max_depth: int = 3
    """An agent at this depth below the primary cannot start subagents."""
    slot_limit: int = 10
    """Subagents that may run at the same time."""
    max_spawns: int | None = None
    """Subagents that may be started in one run; None: no limit."""
    rule_sources: tuple[RuleSource, ...] = ()
    """The user's rules, then the project's."""

    @property
    def grants_file(self) -> Path:
        """The file with the project's grants, outside the workspace."""
        return self.project_state_folder / "grants.json"

    def plan_path(self, session_id: str) -> Path:
        """Return the path of the session's plan file."""
        return self.workspace.root / ".greenroom" / "plans" / f"{session_id}.md"

    def output_folder(self, session_id: str) -> Path:
        """Return the folder for full outputs that are too long for the model."""
        return self.project_state_folder / "outputs" / session_id

    def make_snapshots(self, session_id: str, wall_clock: WallClock) -> SnapshotStore:
        """Return what keeps the workspace before and after each turn."""
        folder = self.project_state_folder / "snapshots"
        return SnapshotStore(self.workspace.root, folder, session_id, wall_clock)

    def make_transcripts(self, session_id: str) -> TranscriptWriter:
        """Return a writer that keeps one transcript file per subagent."""
        return TranscriptWriter(self.project_state_folder / "subagents" / session_id)


@dataclass(frozen=True, slots=True)
class SessionHandle:
    """A session with its file open and locked."""

    options: SessionOptions
    session_id: str
    log: SessionLog
    records: tuple[Record, ...]
    """All records of earlier runs."""
    run: int
    primary_records: tuple[Record, ...] = ()
    """Records that concern the primary agent."""
    open_subagent_records: tuple[tuple[Address, Record], ...] = ()
    """Records of subagents with unfinished tasks, each with the actor that recorded it."""
    transcripts: TranscriptWriter | None = None
    """Writer for the subagents' transcripts; None: no transcripts."""
    snapshots: SnapshotStore | None = None
    """Keeps the workspace before and after each turn; None: it is not kept."""
    torn_file: Path | None = None
    """As in `LogContents`."""
    fork_notice: str = ""
    """As in `ForkedSession`."""


def open_session(options: SessionOptions, wall_clock: WallClock) -> SessionHandle:
    """Start a new session, or resume the one that the options name.

    Raises:
        LogError: the session file cannot be used; the detail is shown to the user.
    """
    path = options.resume_path
    notice = ""
    if path and options.fork:
        fork = fork_session(
            path,
            options.project_state_folder,
            _new_id(wall_clock),
            str(options.workspace.root),
        )
        path, notice = fork.path, fork.notice
    session = _resume(options, path, wall_clock) if path else _create(options, wall_clock)
    log.debug("run %d of %s with %s", session.run, session.log.path, options.model_name)
    snapshots = options.make_snapshots(session.session_id, wall_clock)
    return replace(session, fork_notice=notice, snapshots=snapshots)


def _resume(options: SessionOptions, path: Path, wall_clock: WallClock) -> SessionHandle:
    session_log, contents = SessionLog.open(path, wall_clock)
    run = find_last_run_number(contents.records) + 1
    first_records: list[tuple[Record, Address]] = [
        (SessionOpened(run=run, pid=os.getpid(), version=options.version), ROOT)
    ]
    settings = find_last_settings(contents.records) or SessionSettings()
    mode = resolve_mode(options, contents.records)
    if mode != settings.mode:
        first_records.append(
            (settings.model_copy(update={"mode": mode, "replaced_rules": None}), PERMISSIONS)
        )
    session_log.append(first_records)
    return SessionHandle(
        options,
        path.stem,
        session_log,
        contents.records,
        run,
        select_records_for(contents, PRIMARY),
        select_unfinished_task_records(contents),
        options.make_transcripts(path.stem),
        torn_file=contents.torn_file,
    )


def _create(options: SessionOptions, wall_clock: WallClock) -> SessionHandle:
    session_id = _new_id(wall_clock)
    first_records: tuple[Record, ...] = (
        SessionHeader(session_id=session_id, workspace=str(options.workspace.root)),
        SessionOpened(run=1, pid=os.getpid(), version=options.version),
    )
    mode = resolve_mode(options, ())
    if mode != SessionSettings().mode:
        first_records = (*first_records, SessionSettings(mode=mode))
    path = session_path(options.project_state_folder, session_id)
    session_log = SessionLog.create(path, [(record, ROOT) for record in first_records], wall_clock)
    transcripts = options.make_transcripts(session_id)
    return SessionHandle(options, session_id, session_log, (), 1, transcripts=transcripts)


def _new_id(wall_clock: WallClock) -> str:
    return make_session_id(wall_clock(), secrets.token_hex(2))


def resolve_mode(options: SessionOptions, records: tuple[Record, ...]) -> PermissionMode:
    """Return the mode that a session starts in; a resumed session never keeps yolo.

    Plan is not a session mode: the `plan` agent runs the session instead.
    """
    settings = find_last_settings(records)
    mode = settings.mode if settings else options.mode
    if not records or options.mode_is_explicit:
        mode = options.mode if options.mode != "plan" else mode
    elif mode == "yolo":
        mode = "default"
    return "default" if mode == "plan" else mode
