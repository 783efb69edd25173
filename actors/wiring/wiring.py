"""Creates the factories of a session's actors from its options, file and ports."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from actors.agents.agent import Agent
from actors.agents.definition.definition import BUILD_AGENT, PLAN_AGENT, Definition
from actors.agents.definition.prepared_agent import PreparedAgent, prepare_agent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.restore.restored_state import restore, with_chosen_settings
from actors.agents.subagent_factory import DefaultSubagentFactory, build_limits
from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_selection import AgentSelection, PrimaryAgent
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.agent_switch import get_status_fields, with_settings_of_active_agent
from actors.agents.turn.compaction_state import CompactionState
from actors.agents.turn.limits import UsageTotals
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.pending_context import ContextState
from actors.agents.turn.self_messages import PlanFileChecked
from actors.approvals.broker import ApprovalBroker
from actors.models.model_client import ModelClient
from actors.models.request_gate import RequestGates
from actors.permissions.engine import EvaluationSettings, PermissionEngine
from actors.permissions.initial_policy import build_initial_policy, resolve_workspace_paths
from actors.permissions.project_grants import ProjectGrantStore
from actors.prompt_context.environment import EnvironmentReader
from actors.runtime.actor import ActorFactory
from actors.sandbox.sandbox import Sandbox
from actors.sessions.file_system import FileSystem
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.record_queries import find_last_settings
from actors.sessions.session_log import WallClock
from actors.snapshots.snapshot_store import SnapshotStore
from actors.supervisor.supervisor import ChildFactories
from actors.tools.command_runner import CommandRunner
from actors.tools.file_search import find_ripgrep
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.plan_mode import has_plan
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.tool_list import COMMAND_TOOLS, TOOL_LIST
from actors.tools.toolbox import BUILT_IN_TOOLS
from actors.wiring.agent_placer import AgentPlacer
from actors.wiring.session_setup import SessionHandle, SessionOptions, resolve_mode
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY
from messages.journal import RequestPrefix
from messages.policy import Policy, Rule
from messages.subagents import SubagentStarted
from messages.turns import InstructionFile, SessionConfigured

log = logging.getLogger("greenroom.session")


@dataclass(frozen=True, slots=True)
class SessionPorts:
    """The ports of a session's actors to the outside world; a simulation provides its own."""

    model_client: ModelClient
    help_text: Callable[[str | None], str] = str
    """Returns a help topic, or the overview for None; used by the `help` tool."""
    command_runner: CommandRunner = field(default_factory=LocalCommandRunner)
    sandbox: Sandbox | None = None
    """What confines commands; None: nothing."""
    tools: tuple[AnyTool, ...] = BUILT_IN_TOOLS
    wall_clock: WallClock | None = None
    """For the environment that is described to the model; None: it is not, and no file is
    attached."""
    snapshots: SnapshotStore | None = None
    """Keeps the workspace before and after each turn; None: it is not kept."""
    file_system: FileSystem | None = None
    """Stores the project's grants; None: the real file system."""
    notify: Callable[[str], None] = log.warning
    """Shows the user a line."""


def make_child_factories(
    session: SessionHandle, ports: SessionPorts, console_factory: ActorFactory
) -> ChildFactories:
    """Return the factories of the session's actors."""
    options = session.options
    workspace_paths = resolve_workspace_paths(options.workspace)
    grants = ProjectGrantStore(
        options.grants_file, options.workspace.root, TOOL_LIST, ports.file_system
    )
    policy = build_session_policy(session, grants.read().rules)
    subagent_factory = _make_subagent_factory(session, ports)
    agents = tuple(
        _prepare_primary_agent(definition, subagent_factory, options)
        for definition in options.definitions
        if definition.mode != "subagent"
    )
    reads_environment = ports.wall_clock is not None
    restored = _restore_primary(
        session,
        agents,
        reads_environment=reads_environment,
        takes_snapshots=ports.snapshots is not None,
    )
    switch = restored.pending_switch
    first_agent = switch.agent if switch else restored.state.selection.agent
    ledger = AppendLedger(
        record.id for record in session.records if isinstance(record, RequestPrefix)
    )
    return ChildFactories(
        journal=partial(Journal, session.log, ledger, options.secrets, session.transcripts),
        permissions=partial(
            PermissionEngine,
            JOURNAL,
            policy,
            workspace_paths,
            grants,
            EvaluationSettings(has_sandbox=partial(_has_sandbox, ports.sandbox)),
        ),
        approvals=partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE),
        console=console_factory,
        primary=_make_primary_factory(subagent_factory, agents, restored),
        primary_profile=next(agent.profile for agent in agents if agent.name == first_agent),
        slot_limit=options.slot_limit,
        max_spawns=options.max_spawns,
        used_agent_names=tuple(
            record.child.name for record in session.records if isinstance(record, SubagentStarted)
        ),
    )


def _has_sandbox(sandbox: Sandbox | None) -> bool:
    return sandbox is not None and sandbox.status.enforcement == "full"


def build_session_policy(session: SessionHandle, project_grants: tuple[Rule, ...] = ()) -> Policy:
    """Return the session's initial policy; agents may read the session's own saved outputs."""
    options, settings = session.options, find_last_settings(session.records)
    outputs = options.workspace.to_target(options.output_folder(session.session_id))
    policy = build_initial_policy(
        options.workspace,
        options.rule_sources,
        TOOL_LIST,
        trusted=options.trusted,
        extra_protected=options.protected_paths,
    )
    read_outputs = Rule(permission="read", pattern=f"{outputs}/*", action="allow")
    return replace(
        policy,
        mode=resolve_mode(options, session.records),
        defaults=(*policy.defaults, read_outputs),
        grants=settings.grants if settings else (),
        project_grants=project_grants,
    )


def _make_subagent_factory(session: SessionHandle, ports: SessionPorts) -> DefaultSubagentFactory:
    options = session.options
    tool_context = ToolContext(
        workspace=options.workspace,
        observed_files={},
        command_runner=ports.command_runner,
        output_folder=options.output_folder(session.session_id),
        help_text=ports.help_text,
        plan_file=options.plan_path(session.session_id),
        ripgrep_path=find_ripgrep(options.workspace.root),
    )
    session_configured = SessionConfigured(
        session_id=session.session_id,
        session_file=str(session.log.path),
        agent=BUILD_AGENT.name,
        model=choose_model(session).name,
        mode=resolve_mode(options, session.records),
        cwd=str(options.workspace.cwd),
        is_scripted=options.is_scripted,
        next_turn=1,
        resumed=bool(session.records),
        instruction_files=tuple(
            InstructionFile(path=file.path, file_bytes=file.file_bytes, truncated=file.truncated)
            for file in options.instructions
        ),
        workspace_trusted=options.trusted,
    )
    gates = RequestGates(Random(session.session_id))  # noqa: S311  (must be repeatable)
    factory = DefaultSubagentFactory(
        definitions=options.definitions,
        kind_definitions=options.kind_definitions,
        tools=ports.tools,
        instructions=options.instructions,
        model=ports.model_client,
        gates=gates,
        tool_context=tool_context,
        session_configured=session_configured,
        environment=_make_environment_reader(options, ports.wall_clock),
        limits=options.limits,
        compaction=options.compaction,
        max_depth=options.max_depth,
        run=session.run,
        background_placement=options.background_placement,
        snapshots=ports.snapshots,
    )
    placer = AgentPlacer(
        factory, ports.model_client, gates, ports.sandbox, options.trusted, ports.notify
    )
    return replace(factory, place=placer)


def _make_environment_reader(
    options: SessionOptions, wall_clock: WallClock | None
) -> EnvironmentReader | None:
    if wall_clock is None:
        return None
    return EnvironmentReader(options.workspace, options.trusted, wall_clock)


def _prepare_primary_agent(
    definition: Definition, subagent_factory: DefaultSubagentFactory, options: SessionOptions
) -> PreparedAgent:
    spawn_options = subagent_factory.get_spawn_options(definition.name, 0)
    tools = subagent_factory.build_tools(spawn_options)
    prepared = prepare_agent(definition, options.workspace, options.instructions, tools)
    return replace(prepared, spawn_options=spawn_options)


def _make_primary_factory(
    subagent_factory: DefaultSubagentFactory,
    agents: tuple[PreparedAgent, ...],
    restored: RestoredState,
) -> ActorFactory:
    state, switch = restored.state, restored.pending_switch
    if switch:
        state = replace(state, selection=replace(state.selection, agent=switch.agent))
    status_fields = get_status_fields(with_settings_of_active_agent(state))
    session_configured = subagent_factory.session_configured.model_copy(update=status_fields)
    collaborators = Collaborators(
        journal=JOURNAL,
        permissions=PERMISSIONS,
        approvals=APPROVALS,
        events_to=CONSOLE,
        stream_subscribers=(CONSOLE,),
    )
    ports = AgentPorts(
        subagent_factory.model,
        subagent_factory.gates,
        subagent_factory.tool_context,
        subagent_factory,
        subagent_factory.environment,
        subagent_factory.snapshots,
    )
    return partial(Agent, agents, collaborators, ports, restored, session_configured)


def choose_model(session: SessionHandle) -> ModelState:
    """Return the model and effort to start with; an explicit model overrides the one before."""
    options = session.options
    initial = ModelState(options.model_name, is_fixed=options.model_is_fixed, effort=options.effort)
    if options.is_scripted:
        return replace(initial, is_fixed=True)
    chosen = with_chosen_settings(initial, session.primary_records)
    if options.model_is_explicit:
        return replace(chosen, name=options.model_name, is_fixed=True)
    return chosen


def _find_initial_switch(
    session: SessionHandle, selection: AgentSelection
) -> PlanFileChecked | None:
    """Return the switch to the agent that this run starts with, if it is another one."""
    options = session.options
    agent = selection.agent
    if starts_in_plan_mode(session):
        agent = PLAN_AGENT.name
    elif options.agent_is_explicit or not session.records:
        agent = options.agent
    elif options.mode_is_explicit and selection.get_max_mode() == "plan":
        agent = selection.previous_agent
    if selection.agent == agent:
        return None
    plan_exists = has_plan(options.plan_path(session.session_id))
    return PlanFileChecked(agent=agent, plan_exists=plan_exists)


def starts_in_plan_mode(session: SessionHandle) -> bool:
    """Return whether this run starts in plan mode."""
    options = session.options
    return options.mode == "plan" and (options.mode_is_explicit or not session.records)


def _build_primary_agent(definition: Definition, options: SessionOptions) -> PrimaryAgent:
    return PrimaryAgent(
        definition.name,
        definition.permission_mode,
        definition.model or options.model_name,
        definition.effort or options.effort,
        build_limits(definition, options.limits),
    )


def _restore_primary(
    session: SessionHandle,
    agents: tuple[PreparedAgent, ...],
    *,
    reads_environment: bool,
    takes_snapshots: bool,
) -> RestoredState:
    options = session.options
    # A new session that starts in plan mode returns to the configured agent after planning. It
    # begins with a switch in any case, because the switch tells the model about plan mode.
    returns_to_configured = starts_in_plan_mode(session) and options.agent != PLAN_AGENT.name
    first_agent = (
        options.agent if returns_to_configured and not session.records else BUILD_AGENT.name
    )
    identity = AgentIdentity(
        address=PRIMARY,
        run=session.run,
        cwd=str(options.workspace.cwd),
        jitter_seed=session.session_id,
        read_only_tools=frozenset(
            tool.name for agent in agents for tool in agent.tools if tool.reads_only
        ),
        command_tools=COMMAND_TOOLS,
        takes_snapshots=takes_snapshots,
    )
    selection = AgentSelection(
        agent=first_agent,
        previous_agent=first_agent,
        primary_agents=tuple(
            _build_primary_agent(definition, options)
            for definition in options.definitions
            if definition.mode != "subagent"
        ),
        plan_file=str(options.plan_path(session.session_id)),
    )
    initial = AgentState(
        identity=identity,
        selection=selection,
        model=choose_model(session),
        totals=UsageTotals(options.limits),
        context=ContextState("all", is_read=reads_environment),
        compaction=CompactionState(options.compaction),
    )
    restored = restore(session.primary_records, initial)
    return replace(restored, pending_switch=_find_initial_switch(session, restored.state.selection))
