"""Who works on a session, and how each of them is made."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from actors.agents.agent import Agent
from actors.agents.definitions import BUILD, PLAN, Definition
from actors.agents.limits import TimerState, UsageTotals
from actors.agents.neighbours import Collaborators, Ports
from actors.agents.nursery import SubagentFactory
from actors.agents.resume import chosen_model, past_of
from actors.agents.roles import PreparedAgent, role_of
from actors.agents.state import AgentState, PrimaryAgent, RestoredState
from actors.agents.switching import ceiling_of, standing
from actors.approvals.broker import ApprovalBroker
from actors.models.client import ModelClient
from actors.permissions.beginning import first_policy, ground_of
from actors.permissions.engine import PermissionEngine
from actors.permissions.project_grants import ProjectGrants
from actors.root import ChildFactories, Make
from actors.session import OpenSession, SessionOptions, mode_of
from actors.sessions.files import Files
from actors.sessions.journal import AppendLedger, Journal
from actors.sessions.runs import last_config
from actors.tools.local_processes import LocalProcesses
from actors.tools.planning import PLAN_ENTER, PLAN_EXIT, has_plan
from actors.tools.processes import Processes
from actors.tools.searching import find_ripgrep
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.toolbox import BUILT_IN
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY
from messages.rules import Policy, Rule
from messages.subagents import SubagentStarted
from messages.turns import InstructionFile, PlanFileChecked, SessionConfigured


@dataclass(frozen=True, slots=True)
class SessionPorts:
    """What a session's agents reach of the world; a simulation brings its own."""

    model: ModelClient
    manual: Callable[[], str] = str
    """Writes out what people are told of Greenroom itself."""
    processes: Processes = field(default_factory=LocalProcesses)
    tools: tuple[AnyTool, ...] = BUILT_IN
    files: Files | None = None
    """Keeps the project's grants; None: the real ones do."""


def factories_of(session: OpenSession, around: SessionPorts, console: Make) -> ChildFactories:
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
    return ChildFactories(
        journal=partial(
            Journal, session.log, AppendLedger(), session.options.secrets, session.transcripts
        ),
        permissions=partial(PermissionEngine, JOURNAL, policy, ground, store),
        approvals=partial(ApprovalBroker, JOURNAL, PERMISSIONS, CONSOLE),
        console=console,
        primary=_primary(nursery, roles, past),
        profile=next(role.profile for role in roles if role.name == first),
        slot_limit=options.slot_limit,
        spawns=options.spawns,
        names=tuple(
            each.child.name for each in session.records if isinstance(each, SubagentStarted)
        ),
    )


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


def _nursery(session: OpenSession, around: SessionPorts) -> SubagentFactory:
    options = session.options
    context = ToolContext(
        workspace=options.workspace,
        observed_files={},
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
        is_scripted=options.is_scripted,
        next_turn=1,
        resumed=bool(session.records),
        instructions=tuple(
            InstructionFile(path=each.path, file_bytes=each.file_bytes, cut=each.cut)
            for each in options.instructions
        ),
        trusted=options.trusted,
    )
    return SubagentFactory(
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


def _role(
    definition: Definition, nursery: SubagentFactory, options: SessionOptions
) -> PreparedAgent:
    tools = nursery.equipped(nursery.offer(definition.name, 0))
    pointless = PLAN_ENTER if definition.permission_mode == "plan" else PLAN_EXIT
    offered = [tool for tool in tools if tool.name != pointless.name]
    return role_of(definition, options.workspace, options.instructions, offered)


def _primary(
    nursery: SubagentFactory, roles: tuple[PreparedAgent, ...], past: RestoredState
) -> Make:
    begun = replace(past.turn, agent=past.begin.agent) if past.begin else past.turn
    introduction = nursery.introduction.model_copy(update=standing(begun))
    posts = Collaborators(
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
    kept = "" if options.model_chosen or options.is_scripted else chosen_model(session.own)
    return kept or options.model_name


def _beginning(session: OpenSession, turn: AgentState) -> PlanFileChecked | None:
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
    return PlanFileChecked(agent=wanted, plan_written=written)


def plans(session: OpenSession) -> bool:
    """Whether the person wants this run to begin with a plan."""
    options = session.options
    return options.mode == "plan" and (options.mode_chosen or not session.records)


def _past(session: OpenSession, roles: tuple[PreparedAgent, ...]) -> RestoredState:
    options, limits = session.options, session.options.limits
    first = session.options.agent if plans(session) and not session.records else BUILD.name
    blank = AgentState(
        reading=frozenset(tool.name for role in roles for tool in role.tools if tool.reads_only),
        primaries=tuple(PrimaryAgent(role.name, role.profile.mode) for role in roles),
        agent=first,  # the one that the plan is for
        before=first,
        plan_file=str(options.plan_file_of(session.session_id)),
        asker=PRIMARY,
        run=session.run,
        cwd=str(session.options.workspace.cwd),
        seed=session.session_id,
        model=model_of(session),
        account=UsageTotals(limits),
        clock=TimerState(left_s=limits.seconds),
    )
    past = past_of(session.own, blank)
    return replace(past, begin=_beginning(session, past.turn))
