"""Creates subagents: which types an agent may start, with which definition and limits."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from actors.agents.agent import Agent
from actors.agents.definition.definition import Definition, build_profile, find_definition
from actors.agents.definition.prepared_agent import PreparedAgent, is_offered, prepare_agent
from actors.agents.definition.system_prompts import Instructions, build_subagent_prompt
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.kinds.kind_list import KIND_DEFINITIONS
from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_selection import AgentSelection
from actors.agents.turn.agent_state import AgentState, RestoredState, SlotState
from actors.agents.turn.compaction_state import CompactionSettings, CompactionState
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.pending_context import ContextState
from actors.agents.turn.prompt_queue import PromptQueue
from actors.agents.turn.turn_state import TurnState
from actors.models.model_client import SUBAGENT_HEADER, ModelClient
from actors.models.request_gate import Gates
from actors.permissions.mode_order import find_strictest_mode
from actors.permissions.rule_matching import is_match
from actors.prompt_context.environment import EnvironmentReader
from actors.runtime.actor import ActorFactory
from actors.snapshots.snapshot_store import SnapshotStore
from actors.tools.help import HELP
from actors.tools.plan_enter import PLAN_ENTER
from actors.tools.plan_exit import PLAN_EXIT
from actors.tools.subagent_types import SpawnOptions, SubagentType
from actors.tools.task import TASK, make_task_tool
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.tool_list import COMMAND_TOOLS, TASK_OUTPUT, TASK_STOP
from messages.address import JOURNAL, PERMISSIONS
from messages.placement import Placement
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted
from messages.turns import SessionConfigured

PRIMARY_ONLY_TOOLS = (PLAN_ENTER.name, PLAN_EXIT.name, HELP.name)
"""Tools that no subagent gets: they are for the conversation with the user."""
BACKGROUND_TOOLS = (TASK_OUTPUT.name, TASK_STOP.name)
"""Tools for agents that may start background tasks."""
MAX_INCARNATIONS = 1_000
"""More incarnations than one task of a subagent can have."""


class PlaceAgent(Protocol):
    """Creates an agent in a process of its own; the arguments are those of `make_factory`."""

    def __call__(
        self,
        started: SubagentStarted,
        task: AssignTask,
        ancestors: tuple[PermissionProfile, ...],
        *,
        has_records: bool,
    ) -> ActorFactory:
        """Return its factory."""
        ...


@dataclass(frozen=True, slots=True)
class DefaultSubagentFactory:
    """Creates the subagents of one session from what all its agents share."""

    definitions: tuple[Definition, ...]
    tools: tuple[AnyTool, ...]
    instructions: tuple[Instructions, ...]
    model: ModelClient
    gates: Gates
    tool_context: ToolContext
    session_configured: SessionConfigured
    """The primary agent's; a subagent's differs in agent, model and turn."""
    limits: Limits
    compaction: CompactionSettings
    max_depth: int
    run: int
    environment: EnvironmentReader | None = None
    """As in `AgentPorts`."""
    snapshots: SnapshotStore | None = None
    """As in `AgentPorts`."""
    kind_definitions: tuple[Definition, ...] = KIND_DEFINITIONS
    """Those of the subagents that the program starts itself."""
    background_placement: Placement = "local"
    """Where background agents run whose definition does not say it."""
    place: PlaceAgent | None = None
    """Creates subagents in processes of their own; None: all run in this one."""

    def get_profile(self, agent: str, max_mode: PermissionMode) -> PermissionProfile:
        """Return the profile of an agent type whose mode may not be looser than `max_mode`.

        An agent whose definition no longer exists has no tools.
        """
        definition = self._find_definition(agent)
        if definition is None:
            return PermissionProfile(agent=agent, tools=())
        profile = build_profile(definition)
        return replace(profile, max_mode=find_strictest_mode(profile.max_mode, max_mode))

    def get_spawn_options(
        self, agent: str, depth: int, ancestors: tuple[PermissionProfile, ...] = ()
    ) -> SpawnOptions:
        """Return the types that an agent at this depth may start; decides offers and spawns."""
        definition = self._find_definition(agent)
        if depth >= self.max_depth:
            reason = f"this agent is at depth {depth}, and the limit is {self.max_depth}"
            return SpawnOptions(unavailable_reason=f"{reason} (--max-depth)")
        if definition is None:
            return SpawnOptions()
        if not is_offered(TASK.declaration, (build_profile(definition), *ancestors)):
            return SpawnOptions()
        spawnable = list_spawnable(definition, self.definitions)
        return SpawnOptions(
            tuple(_to_subagent_type(subagent) for subagent in spawnable),
            allows_background=depth == 0 or definition.interactive,
        )

    def build_tools(self, spawn_options: SpawnOptions) -> list[AnyTool]:
        """Return all tools; `task` lists these types, or is left out if there are none.

        The tools for background tasks are only for agents that may start one.
        """
        task_tool = make_task_tool(spawn_options)
        has_background = task_tool is not None and spawn_options.allows_background
        return [
            task_tool if tool.name == TASK.name and task_tool else tool
            for tool in self.tools
            if (tool.name != TASK.name or task_tool)
            and (tool.name not in BACKGROUND_TOOLS or has_background)
        ]

    def make_factory(
        self,
        started: SubagentStarted,
        task: AssignTask,
        ancestors: tuple[PermissionProfile, ...],
        *,
        has_records: bool,
    ) -> ActorFactory:
        """Return the factory of one subagent; `has_records`: it continues from its records.

        `ancestors` are the profiles of the agents above it, the nearest first.
        """
        agent_type = started.agent_type
        definition = self._find_definition(agent_type)
        if self.place is not None and self._get_placement(definition, started) == "process":
            return self.place(started, task, ancestors, has_records=has_records)
        depth = get_depth(started, self.max_depth)
        spawn_options = self.get_spawn_options(agent_type, depth, ancestors)
        prepared = self._prepare(definition, agent_type, spawn_options, ancestors)
        profile = self.get_profile(agent_type, started.max_mode)
        prepared = replace(prepared, profile=profile, spawn_options=spawn_options)
        collaborators = Collaborators(
            journal=JOURNAL,
            permissions=PERMISSIONS,
            approvals=started.parent,
            events_to=started.parent,
        )
        source = started.subagent_source
        headers = {SUBAGENT_HEADER: source.name}
        ports = AgentPorts(
            self.model,
            self.gates,
            self.tool_context,
            self,
            self.environment,
            self.snapshots,
            headers,
        )
        limits = build_limits(definition, self.limits)
        limits = replace(limits, tokens=None)  # each task brings what is left
        model = (definition.model if definition else "") or started.model
        effort = (definition.effort if definition else None) or started.effort
        identity = AgentIdentity(
            address=started.child,
            run=self.run,
            incarnation=(started.task_number - 1) * MAX_INCARNATIONS + 1,
            cwd=str(self.tool_context.workspace.cwd),
            jitter_seed=f"{self.session_configured.session_id}{started.child}",
            read_only_tools=frozenset(tool.name for tool in prepared.tools if tool.reads_only),
            command_tools=COMMAND_TOOLS,
            source=source,
            takes_snapshots=self.snapshots is not None,
            never_asks=definition is not None and definition.never_asks,
        )
        state = AgentState(
            identity=identity,
            selection=AgentSelection(agent=agent_type, max_mode=profile.max_mode),
            model=ModelState(model, effort=effort),
            prompts=PromptQueue(one_shot=started.one_shot),
            turn=TurnState(timer=TimerState(remaining_s=limits.seconds)),
            totals=UsageTotals(limits),
            slot=SlotState.NONE,
            context=ContextState("host", is_read=self.environment is not None),
            compaction=CompactionState(self.compaction),
        )
        restored = RestoredState(state, has_records=has_records, task=task)
        configured = self.session_configured.model_copy(
            update={
                "agent": agent_type,
                "model": model,
                "effort": effort,
                "next_turn": 1,
                "running_turn": None,
                "subagent_source": source,
            }
        )
        return partial(Agent, (prepared,), collaborators, ports, restored, configured)

    def _get_placement(self, definition: Definition | None, started: SubagentStarted) -> Placement:
        is_in_background = started.is_background and started.subagent_source.kind == "other"
        default = self.background_placement if is_in_background else "local"
        return (definition.placement if definition else None) or default

    def _find_definition(self, agent: str) -> Definition | None:
        """Return a definition by name; no file can define the name of a kind."""
        return find_definition(agent, (*self.kind_definitions, *self.definitions))

    def _prepare(
        self,
        definition: Definition | None,
        agent: str,
        spawn_options: SpawnOptions,
        ancestors: tuple[PermissionProfile, ...],
    ) -> PreparedAgent:
        if definition is None:  # its file was deleted after the agent was started
            definition = Definition(name=agent, system_prompt="", tools=())
        tools = [
            tool for tool in self.build_tools(spawn_options) if tool.name not in PRIMARY_ONLY_TOOLS
        ]
        workspace = self.tool_context.workspace
        if definition.is_standalone:
            return prepare_agent(definition, workspace, (), tools, ancestors)
        prompt = build_subagent_prompt(definition.system_prompt)
        definition = replace(definition, system_prompt=prompt)
        return prepare_agent(definition, workspace, self.instructions, tools, ancestors)


def build_limits(definition: Definition | None, limits: Limits) -> Limits:
    """Return the stricter of the session's and the definition's limits."""
    if definition is None:
        return limits
    setting = f"{{}} of the agent {definition.name}"
    turns, seconds = definition.max_turns, definition.time_limit_s
    if turns is not None and (limits.turns is None or turns < limits.turns):
        limits = replace(limits, turns=turns, turns_setting=setting.format("max_turns"))
    if seconds is not None and (limits.seconds is None or seconds < limits.seconds):
        limits = replace(limits, seconds=seconds, seconds_setting=setting.format("time_limit_s"))
    return limits


def list_spawnable(definition: Definition, definitions: Iterable[Definition]) -> list[Definition]:
    """Return the subagent definitions that a definition may start."""
    return [
        candidate
        for candidate in definitions
        if candidate.mode in ("subagent", "all")
        and any(is_match(pattern, candidate.name) for pattern in definition.subagents)
    ]


def get_depth(started: SubagentStarted, max_depth: int) -> int:
    """Return an agent's depth; a record that contradicts its address gets at least the limit."""
    depth = len(started.child.segments) - 1
    return depth if started.depth == depth else max(depth, max_depth)


def _to_subagent_type(definition: Definition) -> SubagentType:
    return SubagentType(
        definition.name,
        definition.description,
        one_shot=not definition.interactive,
        background=definition.background,
        bubbles=definition.bubbles,
    )
