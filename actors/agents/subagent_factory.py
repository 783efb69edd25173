"""Makes the agents below the primary: who may start whom, by which limits, in which role."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from actors.agents.agent import Agent
from actors.agents.definition.definition import Definition, build_profile, find_definition
from actors.agents.definition.prepared_agent import PreparedAgent, prepare_agent
from actors.agents.definition.system_prompts import Instructions, build_subagent_prompt
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.turn.agent_state import AgentState, RestoredState, SlotState
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.models.model_client import ModelClient
from actors.permissions.mode_order import find_strictest_mode
from actors.permissions.rules import has_tool, is_match
from actors.runtime.actor import ActorFactory
from actors.tools.subagent_types import SpawnOptions, SubagentType
from actors.tools.task import TASK, make_task_tool
from actors.tools.tool import AnyTool, ToolContext
from messages.address import JOURNAL, PERMISSIONS
from messages.policy import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted
from messages.turns import SessionConfigured

PRIMARY_ONLY_TOOLS = ("plan_enter", "plan_exit", "help")
"""Tools that no subagent is offered: they are between the person and the primary."""
MAX_INCARNATIONS = 1_000
"""More crashes than one start of an agent survives."""
SUBAGENT_HEADER = "x-greenroom-subagent"

Limit = TypeVar("Limit", int, float)


@dataclass(frozen=True, slots=True)
class DefaultSubagentFactory:
    """Everything that agents of one session have in common."""

    definitions: tuple[Definition, ...]
    tools: tuple[AnyTool, ...]
    instructions: tuple[Instructions, ...]
    model: ModelClient
    tool_context: ToolContext
    session_configured: SessionConfigured
    """The primary's, of which each agent's differs by its type."""
    limits: Limits
    max_depth: int
    run: int

    def get_profile(self, agent: str, ceiling: PermissionMode) -> PermissionProfile:
        """Say what one of a type may that is started under this ceiling.

        It holds for as long as it works; one whose type is gone may nothing.
        """
        definition = find_definition(agent, self.definitions)
        if definition is None:
            return PermissionProfile(agent=agent, tools=())
        profile = build_profile(definition)
        return replace(profile, max_mode=find_strictest_mode(profile.max_mode, ceiling))

    def get_spawn_options(self, agent: str, depth: int) -> SpawnOptions:
        """Say whom an agent of a type may start at its depth; one word for offering and running."""
        definition = find_definition(agent, self.definitions)
        if depth >= self.max_depth:
            refusal = f"this agent is at depth {depth}, and the limit is {self.max_depth}"
            return SpawnOptions(unavailable_reason=f"{refusal} (--max-depth)")
        if definition is None or not has_tool(build_profile(definition), TASK.name):
            return SpawnOptions()
        return SpawnOptions(
            tuple(_kind(each) for each in list_spawnable(definition, self.definitions))
        )

    def build_tools(self, spawn_options: SpawnOptions) -> list[AnyTool]:
        """List the tools there are, `task` made out to these types, or left out without any."""
        made_out = make_task_tool(spawn_options)
        return [
            made_out if tool.name == TASK.name and made_out else tool
            for tool in self.tools
            if tool.name != TASK.name or made_out
        ]

    def make_factory(
        self, started: SubagentStarted, task: AssignTask, *, has_records: bool
    ) -> ActorFactory:
        """Say how to make one; `on_disk`: it goes on from its records."""
        depth = get_depth(started, self.max_depth)
        offer = self.get_spawn_options(started.agent_type, depth)
        definition = find_definition(started.agent_type, self.definitions)
        role = self._role(definition, started.agent_type, offer)
        role = replace(role, profile=self.get_profile(started.agent_type, started.max_mode))
        posts = Collaborators(
            journal=JOURNAL,
            permissions=PERMISSIONS,
            approvals=started.parent,
            events_to=started.parent,
        )
        context = replace(self.tool_context, spawn_options=offer)
        ports = AgentPorts(self.model, context, self, {SUBAGENT_HEADER: started.agent_type})
        limits = self._limits(definition)
        model = (definition.model if definition else "") or started.model
        turn = AgentState(
            read_only_tools=frozenset(tool.name for tool in role.tools if tool.reads_only),
            agent_address=started.child,
            run=self.run,
            incarnation=(started.task_number - 1) * MAX_INCARNATIONS + 1,
            cwd=str(self.tool_context.workspace.cwd),
            jitter_seed=f"{self.session_configured.session_id}{started.child}",
            model=model,
            agent=started.agent_type,
            max_mode=role.profile.max_mode,
            totals=UsageTotals(limits),
            timer=TimerState(remaining_s=limits.seconds),
            one_shot=started.one_shot,
            slot=SlotState.NONE,
        )
        past = RestoredState(turn, has_records=has_records, task=task)
        news = {"agent": started.agent_type, "model": model, "next_turn": 1, "running_turn": None}
        introduction = self.session_configured.model_copy(update=news)
        return partial(Agent, (role,), posts, ports, past, introduction)

    def _role(
        self, definition: Definition | None, agent: str, offer: SpawnOptions
    ) -> PreparedAgent:
        if definition is None:  # its file has gone since it was started
            definition = Definition(name=agent, system_prompt="", tools=())
        tools = [tool for tool in self.build_tools(offer) if tool.name not in PRIMARY_ONLY_TOOLS]
        told = replace(definition, system_prompt=build_subagent_prompt(definition.system_prompt))
        return prepare_agent(told, self.tool_context.workspace, self.instructions, tools)

    def _limits(self, definition: Definition | None) -> Limits:
        """Narrow the session's limits by the definition's; tokens are counted above."""
        turns = definition.max_turns if definition else None
        seconds = definition.time_limit_s if definition else None
        return Limits(
            turns=get_stricter_limit(turns, self.limits.turns),
            seconds=get_stricter_limit(seconds, self.limits.seconds),
        )


def list_spawnable(definition: Definition, among: Iterable[Definition]) -> list[Definition]:
    """List whom an agent may start: those made for it that its definition names."""
    return [
        each
        for each in among
        if each.mode in ("subagent", "all")
        and any(is_match(pattern, each.name) for pattern in definition.subagents)
    ]


def get_depth(started: SubagentStarted, max_depth: int) -> int:
    """Say how deep an agent stands; a record that contradicts its address counts as the limit."""
    depth = len(started.child.segments) - 1
    return depth if started.depth == depth else max(depth, max_depth)


def get_stricter_limit(own: Limit | None, of_session: Limit | None) -> Limit | None:
    """Take the stricter of two limits; None: there is none."""
    if own is None or of_session is None:
        return of_session if own is None else own
    return min(own, of_session)


def _kind(definition: Definition) -> SubagentType:
    return SubagentType(
        definition.name, definition.description, one_shot=not definition.interactive
    )
