"""One session, put together: its file, its past, and how to make the actors that work on it.

Long because it is the one list of what a session is made of.
"""

import logging
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from actors.agents.agent import Agent
from actors.agents.definitions import BUILD, PLAN, Definition
from actors.agents.definitions import BUILT_IN as DEFINITIONS
from actors.agents.limits import Account, Clock, Limits
from actors.agents.neighbours import Ports, Posts
from actors.agents.nursery import Nursery
from actors.agents.prompts import Instructions
from actors.agents.resume import chosen_model, last_config, last_run, past_of
from actors.agents.roles import Role, role_of
from actors.agents.state import Past, Primary, Stage, Turn
from actors.agents.switching import ceiling_of, standing
from actors.approvals.broker import ApprovalBroker
from actors.models.client import ModelClient
from actors.permissions.beginning import first_policy, ground_of
from actors.permissions.engine import PermissionEngine
from actors.permissions.project_grants import ProjectGrants
from actors.root import Factories, Make
from actors.sessions.files import Files
from actors.sessions.forking import fork_session
from actors.sessions.journal import Journal, Settled
from actors.sessions.log import SessionLog, WallClock
from actors.sessions.places import new_session_id, session_path
from actors.sessions.reading import concerning
from actors.sessions.transcripts import Transcripts
from actors.tools.local_processes import LocalProcesses
from actors.tools.planning import PLAN_ENTER, PLAN_EXIT, has_plan
from actors.tools.processes import Processes
from actors.tools.searching import find_ripgrep
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.toolbox import BUILT_IN
from actors.tools.workspace import Workspace
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY, ROOT, Address
from messages.permissions import Config
from messages.rules import PermissionMode, Policy, Rule, Source
from messages.subagents import SubagentStarted
from messages.transcript import Record, RunStarted, Session
from messages.turns import InstructionFile, SessionConfigured, SwitchPrepared

log = logging.getLogger("greenroom.session")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What the shell wants a session to be."""

    folder: Path
    """Where this workspace's sessions are kept."""
    workspace: Workspace
    model_name: str
    mode: PermissionMode
    rehearsal: bool
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
    places: int = 10
    """So many subagents may work at once."""
    spawns: int | None = None
    """So many may be started in one run; None: no limit."""
    rules: tuple[Source, ...] = ()
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
        (RunStarted(run=run, pid=os.getpid(), version=options.version), ROOT)
    ]
    config = last_config(contents.records) or Config()
    mode = mode_of(options, contents.records)
    if mode != config.mode:
        opened.append((config.model_copy(update={"mode": mode, "loaded": None}), PERMISSIONS))
    file.append(opened)
    own = concerning(contents, PRIMARY)
    return OpenSession(
        options,
        last.stem,
        file,
        contents.records,
        run,
        own,
        options.transcripts_of(last.stem),
        contents.torn_kept,
    )


def _begin(options: SessionOptions, wall_clock: WallClock) -> OpenSession:
    session_id = _new_id(wall_clock)
    first: tuple[Record, ...] = (
        Session(session_id=session_id, workspace=str(options.workspace.root)),
        RunStarted(run=1, pid=os.getpid(), version=options.version),
    )
    mode = mode_of(options, ())
    if mode != Config().mode:
        first = (*first, Config(mode=mode))
    path = session_path(options.folder, session_id)
    file = SessionLog.create(path, [(record, ROOT) for record in first], wall_clock)
    transcripts = options.transcripts_of(session_id)
    return OpenSession(options, session_id, file, (), 1, (), transcripts)


def _new_id(wall_clock: WallClock) -> str:
    return new_session_id(wall_clock(), secrets.token_hex(2))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session's agents reach of the world; a simulation brings its own."""

    model: ModelClient
    manual: Callable[[], str] = str
    """Writes out what people are told of Greenroom itself."""
    processes: Processes = field(default_factory=LocalProcesses)
    tools: tuple[AnyTool, ...] = BUILT_IN
    files: Files | None = None
    """Keeps the project's grants; None: the real ones do."""


def factories_of(session: OpenSession, around: Surroundings, console: Make) -> Factories:
    """Say how to make each actor of the session."""
    options, ground = session.options, ground_of(session.options.workspace)
    store = ProjectGrants(options.grants_file, options.workspace.root, around.files)
    policy = policy_of(session, store.read().rules)
    nursery = _nursery(session, around)
    roles = tuple(
        _role(each, nursery, options) for each in options.definitions if each.mode != "subagent"
    )
    past = _past(session, roles)
    first = past.begin.agent if past.begin else past.turn.agent
    return Factories(
        journal=partial(
            Journal, session.log, Settled(), session.options.secrets, session.transcripts
        ),
        permissions=partial(PermissionEngine, JOURNAL, policy, ground, store),
        approvals=partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE),
        console=console,
        primary=_primary(nursery, roles, past),
        profile=next(role.profile for role in roles if role.name == first),
        places=options.places,
        spawns=options.spawns,
        names=tuple(
            each.child.name for each in session.records if isinstance(each, SubagentStarted)
        ),
    )


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


def policy_of(session: OpenSession, project_grants: tuple[Rule, ...] = ()) -> Policy:
    """Put together what the session's verdicts begin with; the model may read its own outputs."""
    options, config = session.options, last_config(session.records)
    outputs = options.workspace.target(options.outputs_of(session.session_id))
    policy = first_policy(
        options.workspace,
        mode_of(options, session.records),
        options.rules,
        trusted=options.trusted,
        ours=options.protected,
    )
    own = Rule(permission="read", pattern=f"{outputs}/*", action="allow")
    grants = config.grants if config else ()
    defaults = (*policy.defaults, own)
    return replace(policy, defaults=defaults, grants=grants, project_grants=project_grants)


def _nursery(session: OpenSession, around: Surroundings) -> Nursery:
    options = session.options
    context = ToolContext(
        workspace=options.workspace,
        seen={},
        processes=around.processes,
        outputs=options.outputs_of(session.session_id),
        manual=around.manual,
        plan_file=options.plan_file_of(session.session_id),
        ripgrep=find_ripgrep(options.workspace.root),
    )
    introduction = SessionConfigured(
        session_id=session.session_id,
        file=str(session.log.path),
        agent=BUILD.name,
        model=model_of(session),
        mode=mode_of(options, session.records),
        cwd=str(options.workspace.cwd),
        rehearsal=options.rehearsal,
        next_turn=1,
        resumed=bool(session.records),
        instructions=tuple(
            InstructionFile(path=each.path, file_bytes=each.file_bytes, cut=each.cut)
            for each in options.instructions
        ),
        trusted=options.trusted,
    )
    return Nursery(
        definitions=options.definitions,
        tools=around.tools,
        instructions=options.instructions,
        model=around.model,
        context=context,
        introduction=introduction,
        limits=options.limits,
        max_depth=options.max_depth,
        run=session.run,
    )


def _role(definition: Definition, nursery: Nursery, options: SessionOptions) -> Role:
    tools = nursery.equipped(nursery.offer(definition.name, 0))
    pointless = PLAN_ENTER if definition.permission_mode == "plan" else PLAN_EXIT
    offered = [tool for tool in tools if tool.name != pointless.name]
    return role_of(definition, options.workspace, options.instructions, offered)


def _primary(nursery: Nursery, roles: tuple[Role, ...], past: Past) -> Make:
    begun = replace(past.turn, agent=past.begin.agent) if past.begin else past.turn
    news = {
        **standing(begun),
        "next_turn": past.turn.number + 1,
        "running_turn": None if past.turn.stage is Stage.IDLE else past.turn.number,
    }
    introduction = nursery.introduction.model_copy(update=news)
    posts = Posts(
        journal=JOURNAL,
        engine=PERMISSIONS,
        approvals=APPROVALS,
        reports=CONSOLE,
        streams_to=(CONSOLE,),
    )
    context = replace(nursery.context, offer=nursery.offer(BUILD.name, 0))
    return partial(Agent, roles, posts, Ports(nursery.model, context, nursery), past, introduction)


def model_of(session: OpenSession) -> str:
    """Name the model that is asked first: a flag counts more than what was chosen before."""
    options = session.options
    kept = "" if options.model_chosen or options.rehearsal else chosen_model(session.own)
    return kept or options.model_name


def _beginning(session: OpenSession, turn: Turn) -> SwitchPrepared | None:
    """Say which agent the person wants for this run, if another one has the session."""
    options = session.options
    wanted = turn.agent
    if plans(session):
        wanted = PLAN.name
    elif options.agent_chosen or not session.records:
        wanted = options.agent
    elif options.mode_chosen and ceiling_of(turn) == "plan":
        wanted = turn.before
    if turn.agent == wanted:
        return None
    written = has_plan(options.plan_file_of(session.session_id))
    return SwitchPrepared(agent=wanted, plan_written=written)


def plans(session: OpenSession) -> bool:
    """Whether the person wants this run to begin with a plan."""
    options = session.options
    return options.mode == "plan" and (options.mode_chosen or not session.records)


def _past(session: OpenSession, roles: tuple[Role, ...]) -> Past:
    options, limits = session.options, session.options.limits
    first = session.options.agent if plans(session) and not session.records else BUILD.name
    blank = Turn(
        reading=frozenset(tool.name for role in roles for tool in role.tools if tool.reads_only),
        primaries=tuple(Primary(role.name, role.profile.mode) for role in roles),
        agent=first,  # the one that the plan is for
        before=first,
        plan_file=str(options.plan_file_of(session.session_id)),
        asker=PRIMARY,
        run=session.run,
        cwd=str(session.options.workspace.cwd),
        seed=session.session_id,
        model=model_of(session),
        account=Account(limits),
        clock=Clock(left_s=limits.seconds),
    )
    past = past_of(session.own, blank)
    return replace(past, begin=_beginning(session, past.turn))
