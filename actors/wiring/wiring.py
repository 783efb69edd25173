"""Who works on a session, and how each of them is made."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from actors.agents.agent import Agent
from actors.agents.definition.definition import BUILD_AGENT, PLAN_AGENT, Definition
from actors.agents.definition.prepared_agent import PreparedAgent, prepare_agent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.restore.restored_state import find_chosen_model, restore
from actors.agents.subagent_factory import DefaultSubagentFactory
from actors.agents.turn.agent_state import AgentState, PrimaryAgent, RestoredState
from actors.agents.turn.agent_switch import get_max_mode, get_status_fields
from actors.agents.turn.limits import TimerState, UsageTotals
from actors.agents.turn.self_messages import PlanFileChecked
from actors.approvals.broker import ApprovalBroker
from actors.models.model_client import ModelClient
from actors.permissions.engine import PermissionEngine
from actors.permissions.initial_policy import build_initial_policy, resolve_workspace_paths
from actors.permissions.project_grants import ProjectGrantStore
from actors.sessions.file_system import FileSystem
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.run_info import find_last_settings
from actors.supervisor.supervisor import ActorFactory, ChildFactories
from actors.tools.command_runner import CommandRunner
from actors.tools.file_search import find_ripgrep
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.plan_mode import PLAN_ENTER, PLAN_EXIT, has_plan
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.toolbox import BUILT_IN_TOOLS
from actors.wiring.session_setup import SessionHandle, SessionOptions, resolve_mode
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY
from messages.policy import Policy, Rule
from messages.subagents import SubagentStarted
from messages.turns import InstructionFile, SessionConfigured


@dataclass(frozen=True, slots=True)
class SessionPorts:
    """What a session's agents reach of the world; a simulation brings its own."""

    model_client: ModelClient
    help_text: Callable[[], str] = str
    """Writes out what people are told of Greenroom itself."""
    processes: CommandRunner = field(default_factory=LocalCommandRunner)
    tools: tuple[AnyTool, ...] = BUILT_IN_TOOLS
    file_system: FileSystem | None = None
    """Keeps the project's grants; None: the real ones do."""


def make_child_factories(
    session: SessionHandle, ports: SessionPorts, console_factory: ActorFactory
) -> ChildFactories:
    """Say how to make each actor of the session."""
    options, ground = session.options, resolve_workspace_paths(session.options.workspace)
    store = ProjectGrantStore(options.grants_file, options.workspace.root, ports.file_system)
    policy = build_session_policy(session, store.read().rules)
    nursery = _nursery(session, ports)
    roles = tuple(
        _role(each, nursery, options) for each in options.definitions if each.mode != "subagent"
    )
    past = _past(session, roles)
    first = past.pending_switch.agent if past.pending_switch else past.state.agent
    return ChildFactories(
        journal=partial(
            Journal, session.log, AppendLedger(), session.options.secrets, session.transcripts
        ),
        permissions=partial(PermissionEngine, JOURNAL, policy, ground, store),
        approvals=partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE),
        console=console_factory,
        primary=_primary(nursery, roles, past),
        primary_profile=next(role.profile for role in roles if role.name == first),
        slot_limit=options.slot_limit,
        max_spawns=options.max_spawns,
        used_agent_names=tuple(
            each.child.name for each in session.records if isinstance(each, SubagentStarted)
        ),
    )


def build_session_policy(session: SessionHandle, project_grants: tuple[Rule, ...] = ()) -> Policy:
    """Put together what the session's verdicts begin with; the model may read its own outputs."""
    options, config = session.options, find_last_settings(session.records)
    outputs = options.workspace.to_target(options.output_folder(session.session_id))
    policy = build_initial_policy(
        options.workspace,
        resolve_mode(options, session.records),
        options.rule_sources,
        trusted=options.trusted,
        extra_protected=options.protected_paths,
    )
    own = Rule(permission="read", pattern=f"{outputs}/*", action="allow")
    grants = config.grants if config else ()
    defaults = (*policy.defaults, own)
    return replace(policy, defaults=defaults, grants=grants, project_grants=project_grants)


def _nursery(session: SessionHandle, around: SessionPorts) -> DefaultSubagentFactory:
    options = session.options
    context = ToolContext(
        workspace=options.workspace,
        observed_files={},
        command_runner=around.processes,
        output_folder=options.output_folder(session.session_id),
        help_text=around.help_text,
        plan_file=options.plan_path(session.session_id),
        ripgrep_path=find_ripgrep(options.workspace.root),
    )
    introduction = SessionConfigured(
        session_id=session.session_id,
        session_file=str(session.log.path),
        agent=BUILD_AGENT.name,
        model=choose_model(session),
        mode=resolve_mode(options, session.records),
        cwd=str(options.workspace.cwd),
        is_scripted=options.is_scripted,
        next_turn=1,
        resumed=bool(session.records),
        instruction_files=tuple(
            InstructionFile(path=each.path, file_bytes=each.file_bytes, truncated=each.truncated)
            for each in options.instructions
        ),
        workspace_trusted=options.trusted,
    )
    return DefaultSubagentFactory(
        definitions=options.definitions,
        tools=around.tools,
        instructions=options.instructions,
        model=around.model_client,
        tool_context=context,
        session_configured=introduction,
        limits=options.limits,
        max_depth=options.max_depth,
        run=session.run,
    )


def _role(
    definition: Definition, nursery: DefaultSubagentFactory, options: SessionOptions
) -> PreparedAgent:
    tools = nursery.build_tools(nursery.get_spawn_options(definition.name, 0))
    pointless = PLAN_ENTER if definition.permission_mode == "plan" else PLAN_EXIT
    offered = [tool for tool in tools if tool.name != pointless.name]
    return prepare_agent(definition, options.workspace, options.instructions, offered)


def _primary(
    nursery: DefaultSubagentFactory, roles: tuple[PreparedAgent, ...], past: RestoredState
) -> ActorFactory:
    begun = (
        replace(past.state, agent=past.pending_switch.agent) if past.pending_switch else past.state
    )
    introduction = nursery.session_configured.model_copy(update=get_status_fields(begun))
    posts = Collaborators(
        journal=JOURNAL,
        permissions=PERMISSIONS,
        approvals=APPROVALS,
        events_to=CONSOLE,
        stream_subscribers=(CONSOLE,),
    )
    context = replace(
        nursery.tool_context, spawn_options=nursery.get_spawn_options(BUILD_AGENT.name, 0)
    )
    return partial(
        Agent, roles, posts, AgentPorts(nursery.model, context, nursery), past, introduction
    )


def choose_model(session: SessionHandle) -> str:
    """Name the model that is asked first: a flag counts more than what was chosen before."""
    options = session.options
    kept = (
        ""
        if options.model_is_explicit or options.is_scripted
        else find_chosen_model(session.primary_records)
    )
    return kept or options.model_name


def _beginning(session: SessionHandle, turn: AgentState) -> PlanFileChecked | None:
    """Say which agent the person wants for this run, if another one has the session."""
    options = session.options
    wanted = turn.agent
    if starts_in_plan_mode(session):
        wanted = PLAN_AGENT.name
    elif options.agent_is_explicit or not session.records:
        wanted = options.agent
    elif options.mode_is_explicit and get_max_mode(turn) == "plan":
        wanted = turn.previous_agent
    if turn.agent == wanted:
        return None
    written = has_plan(options.plan_path(session.session_id))
    return PlanFileChecked(agent=wanted, plan_exists=written)


def starts_in_plan_mode(session: SessionHandle) -> bool:
    """Whether the person wants this run to begin with a plan."""
    options = session.options
    return options.mode == "plan" and (options.mode_is_explicit or not session.records)


def _past(session: SessionHandle, roles: tuple[PreparedAgent, ...]) -> RestoredState:
    options, limits = session.options, session.options.limits
    first = (
        session.options.agent
        if starts_in_plan_mode(session) and not session.records
        else BUILD_AGENT.name
    )
    blank = AgentState(
        read_only_tools=frozenset(
            tool.name for role in roles for tool in role.tools if tool.reads_only
        ),
        primary_agents=tuple(PrimaryAgent(role.name, role.profile.max_mode) for role in roles),
        agent=first,  # the one that the plan is for
        previous_agent=first,
        plan_file=str(options.plan_path(session.session_id)),
        agent_address=PRIMARY,
        run=session.run,
        cwd=str(session.options.workspace.cwd),
        jitter_seed=session.session_id,
        model=choose_model(session),
        totals=UsageTotals(limits),
        timer=TimerState(remaining_s=limits.seconds),
    )
    past = restore(session.primary_records, blank)
    return replace(past, pending_switch=_beginning(session, past.state))
