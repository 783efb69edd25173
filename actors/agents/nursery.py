"""Makes the agents below the primary: who may start whom, by which limits, in which role."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from actors.agents.agent import Agent
from actors.agents.definitions import Definition, find, profile_of
from actors.agents.limits import Limits, TimerState, UsageTotals
from actors.agents.neighbours import Collaborators, Ports
from actors.agents.prompts import Instructions, told_below
from actors.agents.roles import PreparedAgent, role_of
from actors.agents.state import AgentState, RestoredState, SlotState
from actors.models.client import ModelClient
from actors.permissions.modes import strictest_mode
from actors.permissions.rules import has_tool, matches
from actors.runtime.actor import Factory
from actors.tools.task import TASK, offering
from actors.tools.tasks import SpawnOptions, SubagentType
from actors.tools.tool import AnyTool, ToolContext
from messages.address import JOURNAL, PERMISSIONS
from messages.rules import PermissionMode, PermissionProfile
from messages.subagents import AssignTask, SubagentStarted
from messages.turns import SessionConfigured

NEVER_BELOW = ("plan_enter", "plan_exit", "help")
"""Tools that no subagent is offered: they are between the person and the primary."""
MOST_LIVES = 1_000
"""More crashes than one start of an agent survives."""
HEADER = "x-greenroom-subagent"

Bound = TypeVar("Bound", int, float)


@dataclass(frozen=True, slots=True)
class SubagentFactory:
    """Everything that agents of one session have in common."""

    definitions: tuple[Definition, ...]
    tools: tuple[AnyTool, ...]
    instructions: tuple[Instructions, ...]
    model: ModelClient
    context: ToolContext
    introduction: SessionConfigured
    """The primary's, of which each agent's differs by its type."""
    limits: Limits
    max_depth: int
    run: int

    def profile(self, agent: str, ceiling: PermissionMode) -> PermissionProfile:
        """Say what one of a type may that is started under this ceiling.

        It holds for as long as it works; one whose type is gone may nothing.
        """
        definition = find(agent, self.definitions)
        if definition is None:
            return PermissionProfile(agent=agent, tools=())
        profile = profile_of(definition)
        return replace(profile, mode=strictest_mode(profile.mode, ceiling))

    def offer(self, agent: str, depth: int) -> SpawnOptions:
        """Say whom an agent of a type may start at its depth; one word for offering and running."""
        definition = find(agent, self.definitions)
        if depth >= self.max_depth:
            refusal = f"this agent is at depth {depth}, and the limit is {self.max_depth}"
            return SpawnOptions(refusal=f"{refusal} (--max-depth)")
        if definition is None or not has_tool(profile_of(definition), TASK.name):
            return SpawnOptions()
        return SpawnOptions(tuple(_kind(each) for each in startable(definition, self.definitions)))

    def equipped(self, offer: SpawnOptions) -> list[AnyTool]:
        """List the tools there are, `task` made out to these types, or left out without any."""
        made_out = offering(offer)
        return [
            made_out if tool.name == TASK.name and made_out else tool
            for tool in self.tools
            if tool.name != TASK.name or made_out
        ]

    def make(self, started: SubagentStarted, errand: AssignTask, *, on_disk: bool) -> Factory:
        """Say how to make one; `on_disk`: it goes on from its records."""
        depth = depth_of(started, self.max_depth)
        offer = self.offer(started.agent, depth)
        definition = find(started.agent, self.definitions)
        role = self._role(definition, started.agent, offer)
        role = replace(role, profile=self.profile(started.agent, started.max_mode))
        posts = Collaborators(
            journal=JOURNAL, engine=PERMISSIONS, approvals=started.parent, reports=started.parent
        )
        context = replace(self.context, offer=offer)
        ports = Ports(self.model, context, self, {HEADER: started.agent})
        limits = self._limits(definition)
        model = (definition.model if definition else "") or started.model
        turn = AgentState(
            reading=frozenset(tool.name for tool in role.tools if tool.reads_only),
            asker=started.child,
            run=self.run,
            life=(started.task_number - 1) * MOST_LIVES + 1,
            cwd=str(self.context.workspace.cwd),
            seed=f"{self.introduction.session_id}{started.child}",
            model=model,
            agent=started.agent,
            max_mode=role.profile.mode,
            account=UsageTotals(limits),
            clock=TimerState(left_s=limits.seconds),
            one_shot=started.one_shot,
            place=SlotState.NONE,
        )
        past = RestoredState(turn, on_disk=on_disk, errand=errand)
        news = {"agent": started.agent, "model": model, "next_turn": 1, "running_turn": None}
        introduction = self.introduction.model_copy(update=news)
        return partial(Agent, (role,), posts, ports, past, introduction)

    def _role(
        self, definition: Definition | None, agent: str, offer: SpawnOptions
    ) -> PreparedAgent:
        if definition is None:  # its file has gone since it was started
            definition = Definition(name=agent, prompt="", tools=())
        tools = [tool for tool in self.equipped(offer) if tool.name not in NEVER_BELOW]
        told = replace(definition, prompt=told_below(definition.prompt))
        return role_of(told, self.context.workspace, self.instructions, tools)

    def _limits(self, definition: Definition | None) -> Limits:
        """Narrow the session's limits by the definition's; tokens are counted above."""
        turns = definition.max_turns if definition else None
        seconds = definition.time_limit_s if definition else None
        return Limits(
            turns=strictest(turns, self.limits.turns),
            seconds=strictest(seconds, self.limits.seconds),
        )


def startable(definition: Definition, among: Iterable[Definition]) -> list[Definition]:
    """List whom an agent may start: those made for it that its definition names."""
    return [
        each
        for each in among
        if each.mode in ("subagent", "all")
        and any(matches(pattern, each.name) for pattern in definition.subagents)
    ]


def depth_of(started: SubagentStarted, max_depth: int) -> int:
    """Say how deep an agent stands; a record that contradicts its address counts as the limit."""
    depth = len(started.child.names) - 1
    return depth if started.depth == depth else max(depth, max_depth)


def strictest(own: Bound | None, of_session: Bound | None) -> Bound | None:
    """Take the stricter of two limits; None: there is none."""
    if own is None or of_session is None:
        return of_session if own is None else own
    return min(own, of_session)


def _kind(definition: Definition) -> SubagentType:
    return SubagentType(
        definition.name, definition.description, one_shot=not definition.interactive
    )
