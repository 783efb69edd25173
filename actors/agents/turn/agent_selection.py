"""Which agent is active, and which switches of it are not on disk yet."""

from dataclasses import dataclass

from actors.agents.turn.limits import Limits
from actors.agents.turn.with_changes import with_changes
from actors.permissions.mode_order import MODES, find_strictest_mode
from messages.effort import Effort
from messages.policy import PermissionMode
from messages.turns import AgentSwitched


@dataclass(frozen=True, slots=True)
class PrimaryAgent:
    """An agent that the session can be switched to."""

    name: str
    max_mode: PermissionMode = "yolo"
    """The loosest mode it may use."""
    model: str = ""
    """Its model unless the user chooses another; empty: the one in use."""
    effort: Effort | None = None
    """Its effort unless the user chooses another; None: the model's default."""
    limits: Limits = Limits()  # noqa: RUF009  (frozen, so it may be shared)


@dataclass(frozen=True, slots=True)
class PendingSwitch:
    """A switch of the primary agent that is not on disk yet."""

    append_id: int
    switched: AgentSwitched


@dataclass(frozen=True)
class AgentSelection:
    """The active agent and the agents that the session can be switched to."""

    agent: str = "build"
    """Name of the active definition."""
    previous_agent: str = "build"
    """The agent that a switch without a name goes back to."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode the agent may use, whichever primary agent is active."""
    primary_agents: tuple[PrimaryAgent, ...] = ()
    """Agents that the session can be switched to; empty for a subagent."""
    plan_file: str = ""
    """Path of the plan file, as the model reads it."""
    switch_count: int = 0
    """Switches of the primary agent so far."""
    pending_switches: tuple[PendingSwitch, ...] = ()
    """Switches that are not on disk yet."""

    @property
    def max_modes(self) -> dict[str, PermissionMode]:
        """The loosest mode of each primary agent, by name."""
        return {primary.name: primary.max_mode for primary in self.primary_agents}

    @property
    def active_primary(self) -> PrimaryAgent | None:
        """The active agent, if it is a primary agent."""
        primaries = (primary for primary in self.primary_agents if primary.name == self.agent)
        return next(primaries, None)

    @property
    def next_agent(self) -> str:
        """The active agent, or the one that is active once pending switches are on disk."""
        return self.pending_switches[-1].switched.agent if self.pending_switches else self.agent

    @property
    def agent_to_return_to(self) -> str:
        """The agent that a switch without a name goes back to, pending switches included."""
        if self.pending_switches:
            return self.pending_switches[-1].switched.previous_agent
        return self.previous_agent

    @property
    def strictest_agent(self) -> str:
        """The agent whose profile applies: the strictest while a switch is pending."""
        max_modes = self.max_modes
        names = (self.agent, *(pending.switched.agent for pending in self.pending_switches))
        return (
            min(names, key=lambda name: MODES.index(max_modes[name])) if max_modes else self.agent
        )

    def get_max_mode(self) -> PermissionMode:
        """Return the loosest mode that this agent and the agents it starts may use now."""
        return find_strictest_mode(self.max_modes.get(self.strictest_agent, "yolo"), self.max_mode)

    def is_switch_pending(self, failed_append_id: int) -> bool:
        """Return whether a switch is being written and has not failed."""
        return any(pending.append_id > failed_append_id for pending in self.pending_switches)

    def with_pending(self, pending: PendingSwitch) -> "AgentSelection":
        """Return the selection with one more switch that is not on disk yet."""
        return with_changes(
            self,
            switch_count=self.switch_count + 1,
            pending_switches=(*self.pending_switches, pending),
        )

    def with_first_applied(self) -> "AgentSelection":
        """Return the selection after the first pending switch is on disk."""
        switched = self.pending_switches[0].switched
        return with_changes(
            self,
            agent=switched.agent,
            previous_agent=switched.previous_agent,
            pending_switches=self.pending_switches[1:],
        )

    def with_last_recorded(self, switches: list[AgentSwitched]) -> "AgentSelection":
        """Return the selection with the agent that was active last, if it still exists."""
        if not switches or switches[-1].agent not in self.max_modes:
            return self
        last = switches[-1]
        return with_changes(self, agent=last.agent, previous_agent=last.previous_agent)
